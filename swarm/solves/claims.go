package solves

import (
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Claims returns what the answer stands on: the claims in the log and their links. It is
// made at each call, in a few microseconds for each signal.
func (r *Result) Claims() *claims.Graph { return claims.Of(r.Log, r.Proposals) }

// Credit returns who moved the result, as revised if it is, the greatest credit first. Where the options name no strategy, the votes of a mode count by its plan.
func (r *Result) Credit(o *CreditOptions) (*Attribution, error) {
	var own CreditOptions
	if o != nil {
		own = *o
	}
	if own.Strategy == nil {
		own.Strategy = r.planned()
	}
	return attribution(r.standing(), r.Claims(), &own)
}

// planned returns the plan as a strategy for a part of the voters, by the calls that they
// answered; nil if there is none.
func (r *Result) planned() consensus.Strategy {
	t := runlog.New(r.Thread)
	for _, s := range r.Log {
		t.Apply(s)
	}
	plan := t.Calls.Plan()
	if plan == nil {
		return nil
	}
	calls := t.Calls.All()
	return consensus.Func(plan.Mode.String(), func(b consensus.Ballots) consensus.Decision {
		votes := map[string]bool{}
		for v := range b.Votes() {
			votes[v.Voter] = true
		}
		return plan.Decide(b, slices.DeleteFunc(slices.Clone(calls), func(c mode.Call) bool { return !votes[c.Agent] }))
	})
}
