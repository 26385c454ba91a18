package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/retract"
	"github.com/swarmbus/swarmbus/swarm/claims"
)

// Withdrawn is what of a thread does not count any more: what was taken back, and the votes
// that rest on nothing else.
type Withdrawn struct {
	retract.Fold
	Fallen []*signals.Signal[signals.Vote] // in log order; shared

	fallen map[signals.ID]bool // votes
}

// Counts reports whether a vote counts, or a proposal as an answer.
func (w *Withdrawn) Counts(id signals.ID) bool { return !w.fallen[id] && !w.Has(id) }

// byOperator reports whether the operator has taken a signal back.
func (w *Withdrawn) byOperator(id signals.ID) bool {
	return w.Has(id) && slices.ContainsFunc(w.Said, func(s *signals.Signal[retract.Retraction]) bool {
		return s.Source == bus.System && s.Payload.TargetSignalID == id
	})
}

// stated returns a proposal, without its reason if that was taken back.
func (w *Withdrawn) stated(p *signals.Signal[signals.Proposal]) *signals.Signal[signals.Proposal] {
	if !w.Any() || !w.Has(p.ID) {
		return p
	}
	bare := p.Payload
	bare.Reasoning = ""
	return signals.New(p.Header, bare)
}

// withdraw finds the votes that fall, and counts without them. A voter whose vote falls has
// the vote before it, which may fall, too. changed says that something else is taken back.
func (t *Thread) withdraw(changed bool) (err error) {
	w := &t.Withdrawn
	if changed {
		w.fallen = map[signals.ID]bool{}
		err = t.Votes.recount()
	}
	for more := w.Any(); more && err == nil; {
		more = false
		for _, c := range claims.Of(t.Log, t.Votes.Show("")).Retracted().Fall {
			if c.Kind == signals.KindVote && w.Counts(c.ID) {
				w.fallen[c.ID], more, changed = true, true, true
			}
		}
		if more {
			err = t.Votes.recount()
		}
	}
	if !changed {
		return err
	}
	t.Votes.changes++
	w.Fallen = nil
	for _, v := range t.Votes.cast {
		if w.fallen[v.ID] {
			w.Fallen = append(w.Fallen, v)
		}
	}
	return err
}
