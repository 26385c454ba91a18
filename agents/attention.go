package agents

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Fresh is a signal that an agent has not heard yet.
type Fresh struct {
	Signal signals.Any
	Waited int     // turns of the agent that it was not part of
	Record float64 // how often its source has been right, in [0,1]
}

// patience is how many turns a signal waits at most for others of its priority
// that matter more but are newer.
const patience = 4

// Attend returns what the agent hears in a turn, and what waits: all of it, or as
// many as its Attention says, by the priority of their headers, and among equals
// by how much they matter to it. Both keep the order of fresh, which is that of
// the log, and ties go to what came first.
//
// How much a signal matters is the mean of four numbers in [0,1]: its relevance
// (what it says of itself, else its confidence), the record of its source, its
// causal level (counterfactual 1, intervention 2/3, correlation 1/3, none 0), and
// the trait of the agent's personality that goes with its kind. Each turn that it
// waited counts 1/4 more, so that after four turns nothing newer of its priority
// goes before it. None of this weighs votes.
func (a *Agent) Attend(fresh []Fresh) (now, later []Fresh) {
	if a.Attention <= 0 || len(fresh) <= a.Attention {
		return fresh, nil
	}
	order := make([]int, len(fresh))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := fresh[i], fresh[j]
		return cmp.Or(cmp.Compare(y.Signal.Head().Priority, x.Signal.Head().Priority), cmp.Compare(a.salience(y), a.salience(x)))
	})
	first := order[:a.Attention]
	for i, f := range fresh {
		if slices.Contains(first, i) {
			now = append(now, f)
		} else {
			f.Waited++
			later = append(later, f)
		}
	}
	return now, later
}

func (a *Agent) salience(f Fresh) float64 {
	causal := float64(f.Signal.Head().CausalLevel) / float64(signals.Counterfactual)
	return (relevance(f.Signal)+f.Record+causal+a.Personality.interest(f.Signal))/4 + float64(f.Waited)/patience
}

// relevance is what a signal says of how much it matters.
func relevance(s signals.Any) float64 {
	switch p := s.Body().(type) {
	case signals.Task, signals.Escalation, signals.Consensus:
		return 1
	case signals.Discovery:
		return p.Relevance
	case signals.Memory:
		return p.Importance
	case signals.Doubt:
		return float64(p.Severity) / float64(signals.High)
	default:
		return s.Head().Confidence
	}
}

// interest is the trait that goes with what a signal is.
func (p Personality) interest(s signals.Any) float64 {
	p = p.leaning()
	switch s.Kind() {
	case signals.KindDiscovery, signals.KindMemory, signals.KindToolResult:
		return p.Curiosity
	case signals.KindDoubt, signals.KindChallenge, signals.KindConflict:
		return p.Caution
	case signals.KindProposal, signals.KindVote:
		return p.Conformity
	default:
		return 1
	}
}
