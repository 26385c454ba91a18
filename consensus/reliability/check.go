package reliability

import (
	"errors"
	"fmt"
	"math"
)

// check returns an error if no book can be restored from the state. The state is not trusted: whoever wrote it, a
// restored book must not panic.
func (s *state) check() error {
	if s.Version != version {
		return fmt.Errorf("unknown version %d", s.Version)
	}
	if err := s.Options.fault(); err != nil {
		return err
	}
	if s.Options.withDefaults().Window != s.Options.Window || s.Options.Rounds == 0 || s.Options.Weight == 0 {
		return errors.New("options without defaults")
	}
	if err := s.checkNames(); err != nil {
		return err
	}
	if err := s.Votes.check(newKind(&s.Options).newBatch()); err != nil {
		return err
	}
	rows := 0
	for _, d := range s.Decisions {
		if d.Rows < 0 || d.Rows > s.Votes.size() {
			return errors.New("decisions without votes")
		}
		if rows += d.Rows; s.Options.Stances && len(d.Names) != d.Rows || !s.Options.Stances && d.Rows > 1 {
			return errors.New("decisions that are not between their proposals")
		}
		if len(s.Options.Choices) == 0 && !s.Options.Stances && d.Rows == 1 && s.Votes.field(rows-1) != len(d.Names)+1 {
			return errors.New("decisions between other proposals")
		}
	}
	switch {
	case rows != s.Votes.size(), len(s.Voters) < s.Votes.Voters:
		return errors.New("votes that belong to nothing")
	case s.Learned < 0 || s.Learned > len(s.Decisions) || s.Resolved < 0 || s.Changed < 0 || s.Known < 0 || s.Known > len(s.Voters):
		return errors.New("counts out of range")
	case s.Model == nil:
		return nil
	}
	if err := s.Model.check(s); err != nil {
		return err
	}
	return s.Certificate.check()
}

func (c *Certificate) check() error {
	if !within([]float64{c.Doubt, c.Below, c.Rival, c.RivalBelow, c.Block}, 0, 1) {
		return errors.New("a certificate with numbers out of range")
	}
	return nil
}

func (s *state) checkNames() error {
	voters, ids := map[string]bool{}, map[string]bool{}
	for _, name := range s.Voters {
		if voters[name] {
			return fmt.Errorf("voter %q twice", name)
		}
		voters[name] = true
	}
	for _, d := range s.Decisions {
		if ids[d.ID] && d.ID != "" {
			return fmt.Errorf("decision %q twice", d.ID)
		}
		ids[d.ID] = true
	}
	return nil
}

func (b *batch) field(t int) int {
	if t >= len(b.Field) {
		return 0
	}
	return int(b.Field[t])
}

// check returns an error if the batch is malformed, or not of the same kind as the empty one.
func (b *batch) check(empty batch) error {
	n := len(b.Known)
	switch {
	case b.Own != empty.Own || b.Stances != empty.Stances, !b.Own && b.Choices != empty.Choices:
		return errors.New("votes of another kind")
	case len(b.Start) != n+1, len(b.Field) != n, len(b.Said) != len(b.Voter), b.Stated != nil && len(b.Stated) != len(b.Voter), b.Voters < 0:
		return errors.New("votes of unequal lengths")
	case b.Start[0] != 0, int(b.Start[n]) != len(b.Voter):
		return errors.New("votes cut short")
	}
	for t := range n {
		f := b.Field[t]
		if b.Start[t] > b.Start[t+1] || int(b.Start[t+1]) > len(b.Voter) || f < 2 ||
			!b.Own && int(f) != b.Choices || b.Known[t] < -1 || b.Known[t] >= f {
			return errors.New("votes out of order")
		}
		if err := b.checkVotes(t); err != nil {
			return err
		}
	}
	if !within(b.Stated, math.SmallestNonzeroFloat64, 1) {
		return errors.New("votes that are sure out of range")
	}
	return nil
}

func (b *batch) checkVotes(t int) error {
	seen := map[int32]bool{}
	v := b.votes(t)
	for i, j := range v.voter {
		if j < 0 || int(j) >= b.Voters || v.said[i] < 0 || v.said[i] >= v.field || seen[j] {
			return errors.New("votes by nobody or for nothing")
		}
		seen[j] = true
	}
	return nil
}

func (m *parameters) check(s *state) error {
	k, v := m.Choices, m.Voters
	if m.Own != s.Votes.Own || m.Stances != s.Votes.Stances || k < 2 || k > 1<<16 || v != s.Known+1 || !m.Own && k != s.Votes.Choices {
		return errors.New("a model of another kind")
	}
	c := m.cols()
	lengths := len(m.Prior) == k && len(m.Rate) == v*c && len(m.Base) == v && len(m.Shift) == c
	if !m.Own {
		lengths = lengths && len(m.Wrong) == v*c*c && len(m.PoolWrong) == c*c
	}
	if !lengths || m.Corr == nil || m.Corr.Voters < 0 || m.Corr.Voters >= v ||
		m.Corr.Pair != nil && len(m.Corr.Pair) != m.Corr.Voters*m.Corr.Voters {
		return errors.New("a model of unequal lengths")
	}
	for _, part := range []struct {
		of     []float64
		lo, hi float64
	}{
		{m.Prior, -100, 0},
		{m.Rate, -1e7, 1e7},
		{m.Base, -1e7, 1e7},
		{m.Shift, -mostShift, mostShift},
		{m.Wrong, -1000, 1e-9},
		{m.PoolWrong, 0, 1 + 1e-9},
		{m.Corr.Pair, 0, closest},
		{[]float64{m.Corr.Pooled}, 0, closest},
		{[]float64{m.Mean}, -1e7, 1e7},
		{[]float64{float64(m.Decisions), float64(m.Told), float64(m.Voting), m.Density, m.PerVoter}, 0, 1 << 31},
		{[]float64{m.SdVoter, m.SdClass, m.SdPool, m.Rows, m.Residual, m.Others}, 0, 1e6},
	} {
		if !within(part.of, part.lo, part.hi) {
			return errors.New("a model with numbers out of range")
		}
	}
	if !within([]float64{m.SdVoter, m.SdClass, m.SdPool}, 1e-9, mostSpread) || !within([]float64{m.Crowd}, 1e-9, 1) {
		return errors.New("a model without a spread")
	}
	if !m.mixable() {
		return errors.New("a model of structures that do not fit")
	}
	if err := m.Stated.check(v); err != nil {
		return err
	}
	return m.Refit.check()
}

// mixable reports whether the structures other than rates fit the number of voters and choices.
func (m *parameters) mixable() bool {
	for j, g := range m.Shared {
		if g < 0 || int(g) > j {
			return false
		}
	}
	for _, r := range m.Records {
		if r.Right < 0 || r.Right > r.Told {
			return false
		}
	}
	if len(m.Shared) >= m.Voters || len(m.Records) >= m.Voters || len(m.Constant) >= m.Voters {
		return false
	}
	if p := m.Peers; p != nil && (len(p.Weight) >= m.Voters || !within(p.Weight, 0, 1e12)) {
		return false
	}
	if m.Coins != nil && !m.Coins.fit(m.Voters) {
		return false
	}
	s, k := m.Subtypes, m.Choices
	if s == nil {
		return true
	}
	n := k * subkinds
	return !m.Own && s.Choices == k && len(s.Prior) == n && len(s.Mean) == k*n && len(s.Votes)%(k*n) == 0 &&
		len(s.Votes) <= m.Voters*k*n && within(s.Prior, -1e9, 0) && within(s.Mean, -1e9, 0) && within(s.Votes, -1e9, 0)
}

// fit reports whether the modes fit that many voters, the last of whom is the newcomer.
func (c *coins) fit(voters int) bool {
	sum := 0.0
	for _, m := range c.Modes {
		if len(m.Right) < 2 || len(m.Right) > voters || !within(m.Right, 0, 1) || !within([]float64{m.Weight}, 0, 1) {
			return false
		}
		sum += m.Weight
	}
	return math.Abs(sum-1) < 1e-6
}

func (c *calibration) check(voters int) error {
	if c == nil {
		return nil
	}
	if len(c.Slope) != voters || len(c.Usual) != voters || len(c.Vary) != voters {
		return errors.New("a calibration of other voters")
	}
	if !within(c.Slope, 0, 100) || !within(c.Usual, -10, 10) || !within(c.Vary, 0, 100) ||
		!within([]float64{c.Pool}, -10, 10) || !within([]float64{c.Mean, c.Sd}, 0, 100) {
		return errors.New("a calibration with numbers out of range")
	}
	return nil
}

func (r *refit) check() error {
	if r == nil {
		return nil
	}
	if !within([]float64{r.Scale}, 0, 1e6) || !within([]float64{r.Lapse}, 0, 1) || !within([]float64{r.Ridge}, 0, noBonus) ||
		!within(r.Bonus, -1e3, 1e3) {
		return errors.New("a refit with numbers out of range")
	}
	return nil
}

// within reports whether all numbers are in [lo,hi].
func within(xs []float64, lo, hi float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || x < lo || x > hi {
			return false
		}
	}
	return true
}
