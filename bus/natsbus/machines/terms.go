package machines

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A TermsError says that a task is in the log already, by other terms than those with which it
// is asked now. What is decided once stays so: to ask anew, ask in other words or on another log.
type TermsError struct {
	Thread string // of the solve in the log
	Term   string // which differs: team, mode, calls, strategy, threshold or quorum
	Was    string
	Asked  string
}

func (e *TermsError) Error() string {
	return fmt.Sprintf("machines: the task is in the log, in thread %q, with %s %s, and is asked now with %s: ask in other words or on another log", e.Thread, e.Term, e.Was, e.Asked)
}

// SameTerms returns a [*TermsError] if the team, threshold, quorum or strategy of these options is not
// that of a solve, whose signals log has: [Drive] and [Resume] do not go on with it by them. What the log
// does not have yet, or the options leave to the team, is not compared.
func SameTerms(log []signals.Any, o *swarm.Options) error {
	t := termsOf(log)
	if t == nil {
		return nil
	}
	needs := consensus.DefaultThreshold
	if t.Planned { // by which the leader is chosen, unless a threshold was stated
		needs = consensus.Plurality
	}
	threshold, needed := cmp.Or(o.Threshold, needs), cmp.Or(t.Threshold, consensus.DefaultThreshold)
	team := voters(o, t.Planned)
	switch {
	case t.Electorate != nil && !sameTeam(log, t.Electorate, team):
		return differs(log, "team", t.Electorate, team)
	case threshold != needed:
		return differs(log, "threshold", needed, threshold)
	case o.Quorum > 0 && t.Quorum != o.Quorum:
		return differs(log, "quorum", t.Quorum, o.Quorum)
	case !t.Planned && (o.Strategy == nil) != t.Default, !t.Planned && o.Strategy != nil && o.Strategy.Name() != t.Strategy:
		return differs(log, "strategy", t.Strategy, strategyName(o))
	}
	return nil
}

// samePlan returns a [*TermsError] if a solve works in another mode than the options ask for, or with
// other calls. It goes on as it was planned, so that only who asks for it again is told.
func samePlan(log []signals.Any, o *swarm.Options) error {
	if termsOf(log) == nil {
		return nil
	}
	plan, asked := planOf(log), max(o.Mode, mode.Deliberate)
	switch {
	case plan == nil && asked != mode.Deliberate:
		return differs(log, "mode", mode.Deliberate, asked)
	case plan != nil && asked != mode.Auto && asked != plan.Mode:
		return differs(log, "mode", plan.Mode, asked)
	case plan != nil && o.Limits.Calls > 0 && plan.Calls != o.Limits.Calls:
		return differs(log, "calls", plan.Calls, o.Limits.Calls)
	}
	return nil
}

func differs(log []signals.Any, term string, was, asked any) error {
	return &TermsError{log[0].Head().Thread, term, fmt.Sprint(was), fmt.Sprint(asked)}
}

// voters returns the agents whose votes count: in a plan, those that may answer.
func voters(o *swarm.Options, planned bool) (ids []string) {
	kind := signals.KindVote
	if planned {
		kind = signals.KindProposal
	}
	for _, a := range o.Agents {
		if a.May(kind) {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// sameTeam reports whether a team has voted in a solve. Whoever answers from outside votes, too.
func sameTeam(log []signals.Any, electorate, team []string) bool {
	missing := slices.ContainsFunc(team, func(id string) bool { return !slices.Contains(electorate, id) })
	answered := slices.ContainsFunc(log, func(s signals.Any) bool { return s.Kind() == runlog.KindAnswered })
	return !missing && (answered || len(electorate) == len(team))
}

func strategyName(o *swarm.Options) string {
	if o.Strategy == nil {
		return "of what was learned"
	}
	return o.Strategy.Name()
}

// termsOf returns the first terms of a solve; nil: none are recorded yet.
func termsOf(log []signals.Any) *runlog.Terms {
	for _, s := range log {
		opened, ok := signals.As[runlog.Opened](s)
		if !ok {
			continue
		}
		t := new(runlog.Terms)
		if json.Unmarshal([]byte(opened.Payload.Terms), t) == nil && t.Name == runlog.Learner {
			return t
		}
	}
	return nil
}

// planOf returns the plan of a solve; nil: none is recorded.
func planOf(log []signals.Any) *mode.Plan {
	for _, s := range log {
		if planned, ok := signals.As[runlog.Planned](s); ok {
			plan, _ := planned.Payload.Of() // the codec checked it
			return plan
		}
	}
	return nil
}
