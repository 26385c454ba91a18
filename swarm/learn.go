package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// ErrNotObserved is returned for the outcome of a solve that is not in the
// swarm's ledger: no one voted, a proposal was not among the ledger's choices, it
// was canceled or failed, or the swarm does not learn.
var ErrNotObserved = errors.New("swarm: solve is not in the ledger")

// Ledger returns the ledger of what the swarm has learned of its agents, to
// inspect or save it; nil if the swarm does not learn.
//
// With a journal it learns when a solve records its terms, not when it is asked. The
// journal has only the outcomes that [Swarm.RecordOutcome] records.
func (s *Swarm) Ledger() *reliability.Ledger { return s.opts.Ledger }

// RecordOutcome reports which proposal of a solve turned out to be right, "" for none
// of them, so that later solves know better which agents to trust. It may be
// called again; the last call counts. It returns a wrapped [ErrNotObserved] for
// a solve that is not in the ledger, and a wrapped [*signals.FieldError] for a
// proposal that no agent made in it, unless it is among the ledger's choices
// ([reliability.Options.Choices]). After an error nothing has changed, except
// that one of the journal leaves open whether the outcome was recorded.
//
// Agents' strategies learn from the first call, with or without a ledger: each
// strategy chosen in a turn that proposed or voted gets as reward the fraction
// of its proposals and votes that was right. What was chosen is in the result of this
// process only, not in one of [Swarm.Results].
func (s *Swarm) RecordOutcome(r *solves.Result, right string) error {
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
	right, proposed := r.Proposed(right)
	if !proposed && right != "" && (!observed || !slices.Contains(s.opts.Ledger.Options().Choices, right)) {
		return fmt.Errorf("swarm: outcome: %w", &signals.FieldError{Field: "right", Value: right, Problem: "nobody proposed it"})
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	var err error
	switch {
	case observed && s.keeper != nil:
		err = s.publishOutcome(r, right)
	case observed:
		err = s.opts.Ledger.Resolve(r.Observed, right)
	}
	if err != nil {
		return err
	}
	return s.credit(r, right)
}

// publishOutcome records an outcome and, if the log accepted it, resolves it in the
// ledger.
func (s *Swarm) publishOutcome(r *solves.Result, right string) error {
	ctx := context.Background()
	told := signals.New(
		signals.Header{Thread: r.Thread, Confidence: 1, Time: s.clock.Now(), TTL: runlog.Forever}, runlog.Outcome{ProposalID: right, Observed: r.Observed},
	)
	receipt, err := s.bus.System().Publish(ctx, told)
	if err == nil {
		err = s.opts.Ledger.Resolve(r.Observed, right)
	}
	if err != nil {
		return err
	}
	return s.keeper.Sync(ctx, receipt.Seq)
}

// credit lets the agents' strategies learn from an outcome, once. The caller
// holds the lock recording.
func (s *Swarm) credit(r *solves.Result, right string) error {
	var problems []error
	for _, a := range append(slices.Clone(s.opts.Agents), s.benched()...) {
		for i, c := range r.Chosen {
			if c.Agent != a.ID || a.Strategies == nil || c.Credited {
				continue
			}
			r.Chosen[i].Credited = true
			if reward, spoke := r.Worth(c, right); spoke {
				problems = append(problems, learn(a, c.Strategy, reward))
			}
		}
	}
	return errors.Join(problems...)
}

func learn(a *agents.Agent, strategy string, reward float64) error {
	if err := a.Strategies.Learn(strategy, reward); err != nil {
		return fmt.Errorf("swarm: strategies of %s: %w", a.ID, err)
	}
	return nil
}
