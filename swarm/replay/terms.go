package replay

import (
	"cmp"
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Terms are terms on record with what decides by them.
type Terms struct {
	runlog.Terms
	Seq     uint64             // of their record
	By      consensus.Strategy // nil: not one of the library's
	Options *consensus.Options
	ledger  *reliability.Ledger // nil: nothing learns
}

// strategy returns the strategy that decides, by what is known now.
func (t *Terms) strategy() (consensus.Strategy, error) {
	l := t.ledger
	if l != nil {
		l.AsBefore(t.Older())
	}
	switch {
	case t.Planned:
		if l != nil {
			l.Learn()
		}
		return consensus.Default(), nil // the plan decides, whatever counts the votes
	case t.Default && l == nil:
		return nil, fmt.Errorf("terms %q: the ledger decides, but no learner is recorded", t.Name)
	case t.Default && t.Strategy == reliability.Strategy{}.Name():
		l.Learn()
		several, _ := l.Models()
		return reliability.Strategy{Model: several}, nil
	case t.Default:
		l.Learn()
		return l.Strategy(), nil
	case l != nil:
		l.Learn()
		t.Options.Reliabilities = l.Reliabilities()
	}
	if t.Own {
		return nil, &consensus.FieldError{Field: "strategy", Value: t.Strategy, Want: "one of the library's"}
	}
	return consensus.Lookup(t.Strategy)
}

// decide returns the decision on the votes of a thread, counted as the record says.
func (t *Terms) decide(thread *runlog.Thread, p runlog.Decided) (consensus.Decision, error) {
	votes, err := t.count(thread)
	if err != nil {
		return consensus.Decision{}, err
	}
	if p.Quorum > 0 {
		votes.SetQuorum(p.Quorum)
	}
	if p.Closed {
		votes.Close()
	}
	return votes.Decision(), nil
}

// count returns the votes of a thread; equal proposals count as one if the terms say so.
func (t *Terms) count(thread *runlog.Thread) (*consensus.Round, error) {
	by := cmp.Or(t.By, consensus.Default()) // any strategy does: only the votes are needed
	if t.Same {
		return thread.Votes.CountedBy(by, t.Options, t.Weights)
	}
	votes, err := consensus.NewRound(by, t.Options)
	if err != nil {
		return nil, err
	}
	for _, s := range thread.Log {
		if s.Kind() == signals.KindVote && !thread.Withdrawn.Counts(s.Head().ID) {
			continue
		}
		weight, known := t.Weights[s.Head().Source]
		if !known {
			weight = 1
		}
		if err := runlog.Fold(votes, s, weight); err != nil {
			return nil, err
		}
	}
	return votes, nil
}
