package reliability

import (
	"iter"
	"slices"
)

// A Told is a decision of which the outcome is known.
type Told struct {
	By    string            // how it was decided, as stated by [Ledger.Made]; "": not stated
	Chose string            // likewise; "": nothing was chosen
	Right string            // "": none of the proposals
	Said  map[string]string // which proposal each voter was for; "": none of them
}

// Made states how a decision was made, and which proposal was chosen, "" for none. It returns the error of
// [Ledger.Resolve] if the ledger does not hold the decision.
func (l *Ledger) Made(id, by, chose string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.index[id]
	if !ok {
		return refuse("id", id, "one that is in the ledger")
	}
	l.decisions[i].By, l.decisions[i].Chose = by, chose
	return nil
}

// Told returns the newest decisions of which the outcome is known, at most that many, newest first. Those of a ledger
// with [Options.Stances] are none, since each of their proposals is a question of its own.
func (l *Ledger) Told(most int) iter.Seq[Told] {
	return func(yield func(Told) bool) {
		for _, t := range l.toldBy(most) {
			if !yield(t) {
				return
			}
		}
	}
}

func (l *Ledger) toldBy(most int) (all []Told) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range slices.Backward(l.decisions) {
		if len(all) == most || l.o.Stances {
			break
		}
		if d.Right == nil {
			continue
		}
		names := d.Names
		if len(l.o.Choices) > 0 {
			names = l.o.Choices
		}
		t := Told{d.By, d.Chose, *d.Right, make(map[string]string, len(d.Rows[0].Voter))}
		for i, voter := range d.Rows[0].Voter {
			t.Said[voter] = ""
			if c := int(d.Rows[0].Said[i]); c < len(names) {
				t.Said[voter] = names[c]
			}
		}
		all = append(all, t)
	}
	return all
}
