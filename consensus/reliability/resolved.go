package reliability

import "slices"

// A Resolved is a decision whose outcome is known.
type Resolved struct {
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

// Resolved returns the decisions whose outcome is known, newest first, at most that many. A ledger with
// [Options.Stances] has none, since each of its proposals is a question of its own.
func (l *Ledger) Resolved(most int) (all []Resolved) {
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
		t := Resolved{d.By, d.Chose, *d.Right, make(map[string]string, len(d.Rows[0].Voter))}
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
