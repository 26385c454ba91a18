package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
)

// Withdrawn is what of a thread does not count any more: what was taken back, and the votes
// that rest on nothing else.
type Withdrawn struct {
	signals.Retractions
	Fallen []*signals.Signal[signals.Vote] // in log order; shared

	fallen map[signals.ID]bool // votes
	found  *claims.Findings    // while something is taken back
}

// Counts reports whether a vote counts, or a proposal as an answer.
func (w *Withdrawn) Counts(id signals.ID) bool { return !w.fallen[id] && !w.Has(id) }

// byOperator reports whether the operator has taken a signal back.
func (w *Withdrawn) byOperator(id signals.ID) bool {
	return w.Has(id) && slices.ContainsFunc(w.Said, func(s *signals.Signal[signals.Retraction]) bool {
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

// withdraw finds the votes that fall after a signal, and counts without them. changed says that
// something else is taken back: then a voter whose vote falls has the vote before it, which may
// fall, too, and so may votes that were cast before their proposal. Else only the signal may.
func (t *Thread) withdraw(s signals.Any, changed bool) (err error) {
	w, more := &t.Withdrawn, changed || t.Votes.waited
	if changed {
		w.fallen, w.found = map[signals.ID]bool{}, claims.FindingsOf(t.Log, w.Has)
		err = t.Votes.recount()
	} else if w.found.Apply(s); !more && t.Votes.counted == s.Head().ID && w.found.Fell(s) {
		w.fallen[s.Head().ID], changed = true, true
		err = t.Votes.recount()
	}
	for more = more && w.Any(); more && err == nil; {
		more = false
		for _, c := range claims.Of(t.Log, t.Votes.Show("")).Retracted().Fall {
			if c.Kind == signals.KindVote && w.Counts(c.ID) {
				w.fallen[c.ID], more, changed = true, true, true
			}
		}
		err = t.Votes.recount()
	}
	if !changed {
		return err
	}
	t.Votes.changes++
	w.Fallen = slices.DeleteFunc(slices.Clone(t.Votes.cast), func(v *signals.Signal[signals.Vote]) bool { return !w.fallen[v.ID] })
	return err
}
