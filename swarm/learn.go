package swarm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrNotObserved is returned for the outcome of a solve that is not in the
// swarm's ledger: no one voted, a proposal was not among the ledger's choices, it
// was canceled or failed, or the swarm does not learn.
var ErrNotObserved = errors.New("swarm: the solve was not observed")

// Ledger returns the ledger of what the swarm has learned of its agents, to
// inspect or save it; nil if the swarm does not learn.
//
// With a journal it learns at the terms of solves, not when it is asked; what it is
// told other than by [Swarm.RecordOutcome] is not in the journal.
func (s *Swarm) Ledger() *reliability.Ledger { return s.opts.Ledger }

// RecordOutcome reports which proposal of a solve turned out to be right, "" for none
// of them, so that later solves know better which agents to trust. It may be
// called again; the last call counts. It returns a wrapped [ErrNotObserved] for
// a solve that is not in the ledger, and a wrapped [*signals.FieldError] for a
// proposal that nobody made in it, unless it is among the ledger's choices
// ([reliability.Options.Choices]). After an error nothing has changed, except
// that one of the journal leaves open whether the outcome was recorded.
//
// Agents' strategies learn from the first call, with or without a ledger: each
// strategy chosen in a turn that proposed or voted gets as reward the fraction
// of its proposals and votes that was right. What was chosen is in the result of this
// process only, not in one of [Swarm.Results].
func (s *Swarm) RecordOutcome(r *Result, right string) error {
	if r == nil {
		return fmt.Errorf("%w: no result", ErrNotObserved)
	}
	observed := s.opts.Ledger != nil && r.Observed != ""
	if !observed && len(r.Chosen) == 0 {
		return fmt.Errorf("%w: thread %s", ErrNotObserved, r.Thread)
	}
	if observed && !s.opts.Ledger.Holds(r.Observed) {
		return s.opts.Ledger.Resolve(r.Observed, right) // says so
	}
	right, proposed := r.proposed(right)
	if !proposed && right != "" && (!observed || !slices.Contains(s.opts.Ledger.Options().Choices, right)) {
		return fmt.Errorf("swarm: outcome: %w", &signals.FieldError{Field: "right", Value: right, Problem: "nobody proposed it"})
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	var err error
	switch {
	case observed && s.writer != nil:
		err = s.publishOutcome(r, right)
	case observed:
		err = s.opts.Ledger.Resolve(r.Observed, right)
	}
	if err != nil {
		return err
	}
	return s.credit(r, right)
}

// decideBy returns the strategy and options of a solve that begins now: what is
// learned while it runs does not affect it.
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

// observe returns the first name for the votes that take accepts; "" if there is none,
// or the solve was canceled by its caller, ran out of budget or failed.
func (r *solve) observe(take func(name string, b consensus.Ballots) error) string {
	switch r.result.Stop {
	case StopCancelled, StopBudget, StopError:
		return ""
	}
	if r.opts.Ledger == nil {
		return ""
	}
	name, votes := r.result.Thread, r.votes().Ballots()
	for n := 2; ; n++ {
		err := take(name, votes)
		if err == nil {
			return name
		}
		var field *consensus.FieldError
		if !errors.As(err, &field) || field.Field != "id" {
			return "" // not between the ledger's choices, or without votes
		}
		name = fmt.Sprintf("%s#%d", r.result.Thread, n) // there was an earlier run with the same seed
	}
}
