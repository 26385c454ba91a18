package swarm

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// ErrNotObserved is returned for the outcome of a solve that the swarm's
// ledger does not hold: nobody voted, it was cancelled or broke, or nothing is
// learned at all.
var ErrNotObserved = errors.New("swarm: the solve was not observed")

// Ledger returns what the swarm learns of its agents, to look into it or to
// save it; nil if it does not learn.
func (s *Swarm) Ledger() *reliability.Ledger { return s.opts.Ledger }

// Resolve tells which proposal of a solve turned out to be right, "" for none
// of them, so that the solves that begin from then on know better whom to
// trust. It may be told again; what was told last counts. It returns
// [ErrNotObserved], wrapped, for a solve that is not in the ledger.
//
// Agents' strategies learn from what is told first, with a ledger or without:
// each that was chosen in a turn which proposed or voted gets the part of these
// proposals and votes that was right.
func (s *Swarm) Resolve(r *Result, right string) error {
	if r == nil {
		return fmt.Errorf("%w: no result", ErrNotObserved)
	}
	observed := s.opts.Ledger != nil && r.Observed != ""
	if !observed && len(r.Chosen) == 0 {
		return fmt.Errorf("%w: thread %s", ErrNotObserved, r.Thread)
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	if observed {
		if err := s.resolve(r, right); err != nil {
			return err
		}
	}
	return s.credit(r, right)
}

func (s *Swarm) resolve(r *Result, right string) error {
	if err := s.opts.Ledger.Resolve(r.Observed, right); err != nil || s.writer == nil {
		return err
	}
	return s.recordOutcome(r.Thread, right)
}

// decideBy returns what a solve that begins now decides by: what is learned
// while it runs does not touch it.
func (o *Options) decideBy() (consensus.Strategy, *consensus.Options) {
	terms := o.terms()
	switch {
	case o.Strategy == nil:
		return o.Ledger.Strategy(), terms
	case o.Ledger != nil:
		terms.Reliabilities = o.Ledger.Reliabilities()
	}
	return o.Strategy, terms
}

// learn enters the votes into the ledger. A solve that was cut short by its
// caller, or broke, teaches nothing.
func (r *solve) learn() {
	if r.opts.Ledger == nil || r.result.Stop == StopCancelled || r.result.Stop == StopError {
		return
	}
	name := r.result.Thread
	for n := 2; ; n++ {
		err := r.opts.Ledger.Observe(name, r.votes.Ballots())
		if err == nil {
			r.result.Observed = name
			return
		}
		var field *consensus.FieldError
		if !errors.As(err, &field) || field.Field != "id" {
			return // not between the ledger's choices, or nobody spoke
		}
		name = fmt.Sprintf("%s#%d", r.result.Thread, n) // a run with the same seed was here before
	}
}
