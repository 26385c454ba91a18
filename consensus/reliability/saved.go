package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// saved is the saved form of a ledger: votes and outcomes, and no parameters.
type saved struct {
	Options Options    `json:"options"`
	Several *savedBook `json:"several,omitempty"`
	One     *savedBook `json:"one,omitempty"`
}

type savedBook struct {
	Voters    []string          `json:"voters"`
	Groups    map[string]string `json:"groups,omitempty"`
	Decisions []decision        `json:"decisions"`
	Last      *lesson           `json:"last"` // from what the ledger last learned
}

// MarshalJSON saves the votes, the outcomes, and from which of them the ledger has learned: a restored ledger, of this
// version, continues exactly as this one would.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books()
	return json.Marshal(saved{l.o, l.several.save(), l.one.save()})
}

func (b *book) save() *savedBook {
	if b == nil {
		return nil
	}
	return &savedBook{b.names, b.groups, b.decisions, b.last}
}

// UnmarshalJSON restores a saved ledger, which may be of another version, and learns again what that had learned. If p
// is not a saved ledger, it returns an error and does not change l.
func (l *Ledger) UnmarshalJSON(p []byte) error {
	var s saved
	if err := json.Unmarshal(p, &s); err != nil {
		return fmt.Errorf("reliability: not a saved ledger: %w", err)
	}
	var restored Ledger
	if err := restored.restore(&s); err != nil {
		return fmt.Errorf("reliability: not a saved ledger: %w", err)
	}
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.o, l.several, l.one = restored.o, restored.several, restored.one
	return nil
}

func (l *Ledger) restore(s *saved) error {
	if err := s.Options.Validate(); err != nil {
		return err
	}
	l.open(s.Options)
	return errors.Join(l.several.restore(s.Several), l.one.restore(s.One))
}

func (b *book) restore(s *savedBook) error {
	switch {
	case b == nil && s == nil:
		return nil
	case b == nil || s == nil:
		return errors.New("decisions of other options")
	case s.Last != nil && len(s.Last.Known) > len(s.Decisions):
		return errors.New("more is learned than was decided")
	}
	for _, name := range s.Voters {
		b.number(name)
	}
	if len(b.names) != len(s.Voters) {
		return errors.New("a voter twice")
	}
	for voter, group := range s.Groups {
		b.groups[voter] = group
	}
	for i, d := range s.Decisions {
		if err := b.fault(&d); err != nil {
			return fmt.Errorf("decision %d: %w", i, err)
		}
		b.append(d)
	}
	return b.relearn(s.Last)
}

// fault returns what is wrong with a saved decision.
func (b *book) fault(d *decision) error {
	if d.ID != "" && b.holds(d.ID) {
		return fmt.Errorf("%q twice", d.ID)
	}
	rows, field := 1, len(d.Names)+1
	switch {
	case b.kind.stances:
		rows, field = len(d.Names), 2
	case len(d.Names) == 0:
		rows = 0
	case !b.kind.own():
		field = len(b.kind.choices)
	}
	if len(d.Votes) != rows {
		return errors.New("votes on other proposals")
	}
	for _, v := range d.Votes {
		if v.Field != field || !sound(v, len(b.names)) {
			return errors.New("votes that cannot be")
		}
	}
	return nil
}

// sound reports whether the numbers of saved votes are in range.
func sound(v fit.Votes, voters int) bool {
	within := func(x []int32, n int) bool {
		return !slices.ContainsFunc(x, func(y int32) bool { return y < 0 || int(y) >= n })
	}
	stated := !slices.ContainsFunc(v.Stated, func(x float64) bool { return !(x > 0 && x <= 1) })
	voter := slices.Sorted(slices.Values(v.Voter))
	return len(v.Voter) == len(v.Said) && (v.Stated == nil || len(v.Stated) == len(v.Voter)) && stated &&
		within(v.Voter, voters) && within(v.Said, v.Field) && v.Known >= -1 && int(v.Known) < v.Field &&
		len(slices.Compact(voter)) == len(v.Voter)
}

// relearn learns again what was last learned.
func (b *book) relearn(last *lesson) error {
	if last == nil || len(last.Known) == 0 {
		return nil
	}
	l := b.lesson()
	l.decisions, l.Known, l.Groups = l.decisions[:len(last.Known)], last.Known, last.Groups
	for i, known := range l.Known {
		if len(known) != len(l.decisions[i].Votes) {
			return errors.New("outcomes of other decisions")
		}
		for row, c := range known {
			if c < -1 || int(c) >= l.decisions[i].Votes[row].Field {
				return errors.New("outcomes that cannot be")
			}
		}
	}
	b.last = l.learn()
	return nil
}
