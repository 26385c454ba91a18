package fit

import "math"

// Model is what a batch taught. It is never modified.
type Model struct {
	voters int
	first  []int32 // by voter, the first of those it copies; nil: no copies
	modes  *modes
	peers  *peers // nil before anything is learned
	known  *correction
	doubt  Doubt
	crowd  float64 // from 0.1 in a small team to 1
	voting float64 // voters learned from, of copies one
	alone  bool    // all voters are of one stated group
}

// Learn learns from a batch. It is deterministic, and the order of the decisions makes no difference.
func Learn(b *Batch) *Model {
	b = b.telling().sorted()
	m := &Model{voters: b.Voters, first: b.copies(), alone: b.alone()}
	b = b.oneOfEach(m.first)
	m.voting = float64(b.voting())
	m.crowd = max(0.1, ramp(m.voting, 3, 23))
	m.modes = learnModes(b, m.crowd)
	m.peers = learnPeers(b, m.modes.all[0].errors, m.crowd)
	m.known = m.correct(b)
	m.doubt = m.modes.doubts(b, m.crowd, float64(b.outcomes()))
	return m
}

// alone reports whether all voters are of one stated group.
func (b *Batch) alone() bool {
	for _, group := range b.Group {
		if group == "" || group != b.Group[0] {
			return false
		}
	}
	return len(b.Group) > 1
}

// Doubt returns how far the votes leave open whether their consensus is right.
func (m *Model) Doubt() Doubt { return m.doubt }

// Newcomer returns the number that stands for voters who are not known.
func (m *Model) Newcomer() int32 { return int32(m.voters) }

// First returns the first of the voters that the voter copies or is copied by, or the voter itself.
func (m *Model) First(j int32) int32 {
	if int(j) < len(m.first) {
		return m.first[j]
	}
	return j
}

// Right returns how often the voter is right on a choice, or where decisions have their own candidates on any.
func (m *Model) Right(j int32, choice int) float64 {
	return m.modes.average(func(r *rates) float64 { return r.on(m.First(j), min(choice, r.choices-1)) })
}

// Strength returns a voter's log-odds above chance.
func (m *Model) Strength(j int32) float64 {
	return m.modes.average(func(r *rates) float64 { return r.strength(m.First(j)) })
}

// Errors returns the mean correlation of two voters' errors.
func (m *Model) Errors() float64 { return m.modes.all[0].errors }

// Saying returns the probability that the voter says l where c is right.
func (m *Model) Saying(j int32, c, l, field int) float64 {
	return m.modes.average(func(r *rates) float64 {
		w := r.wrongly(field)
		return math.Exp(r.says(m.First(j), c, l, &w))
	})
}

// Structure is what one account of how votes come about says of a decision.
type Structure struct {
	Name   string
	Weight float64   // in the mean over the structures
	Each   []float64 // probability of each candidate
}

// Probabilities returns the probability of each candidate, without the doubt, given the votes and the correlation of
// errors that votes cannot show. Without votes it returns nil.
func (m *Model) Probabilities(v *Votes, residual float64) []float64 {
	if len(v.Voter) == 0 {
		return nil
	}
	v = m.read(v)
	p := logs(m.mixed(v, residual))
	m.known.apply(v, p)
	return p
}

// Structures returns what each structure says of the decision. Without votes it returns nil.
func (m *Model) Structures(v *Votes, residual float64) []Structure {
	if len(v.Voter) == 0 {
		return nil
	}
	return m.structures(m.read(v), residual)
}

// read returns the votes with those of copies as of the first of them, who share one vote.
func (m *Model) read(v *Votes) *Votes {
	if m.first == nil {
		return v
	}
	r, n := *v, map[int32]float64{}
	r.Voter, r.Times = make([]int32, len(v.Voter)), make([]float64, len(v.Voter))
	for i, j := range v.Voter {
		r.Voter[i] = m.First(j)
		n[r.Voter[i]]++
	}
	for i, j := range r.Voter {
		r.Times[i] = v.times(i)
		if int(j) < m.voters {
			r.Times[i] /= n[j]
		}
	}
	return &r
}

// mixed returns the mean over the structures (linear opinion pool: Stone, 1961): votes do not show which of them holds,
// and the mean is sure only where all are.
func (m *Model) mixed(v *Votes, residual float64) []float64 {
	p, all := make([]float64, v.Field), 0.0
	for _, s := range m.structures(v, residual) {
		all += s.Weight
		for c, x := range s.Each {
			p[c] += s.Weight * x
		}
	}
	for c := range p {
		p[c] /= all
	}
	return p
}

func (m *Model) structures(v *Votes, residual float64) []Structure {
	if !m.alone {
		residual *= m.crowd
	}
	all := []Structure{{"rates", 1, m.modes.probabilities(v, residual)}}
	share := make([]float64, v.Field)
	if m.peers != nil && m.peers.shares(v, v.parts(), share) {
		all = append(all, Structure{"peers", m.peersWeight(), share})
	}
	return all
}

// peersWeight is 0 for one voter and 2 in a crowd: one voter of three has only two peers.
func (m *Model) peersWeight() float64 {
	return ramp(m.voting, 1, 9)*min(1, m.crowd/0.3) + m.crowd
}

// probabilities returns the mean over the modes.
func (m *modes) probabilities(v *Votes, residual float64) []float64 {
	p, ev := make([]float64, v.Field), make([]float64, v.Field)
	for i, r := range m.all {
		f := r.factors(v, v.parts())
		r.joint(v, f, ev)
		discount := 1 / (1 + residual*max(0, sum(f)-1)) // Kish, 1965
		for c := range ev {
			ev[c] *= discount
		}
		softmax(ev)
		for c, x := range ev {
			p[c] += m.likely[i] * x
		}
	}
	return p
}
