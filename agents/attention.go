package agents

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Fresh is a signal that an agent has not heard yet.
type Fresh struct {
	Signal signals.Any
	Waited int     // turns of the agent in which it was left out
	Record float64 // how often its source was right, in [0,1]
}

// patience is the maximum number of turns that a signal waits for newer, more
// relevant signals of its priority.
const patience = 4

// Attend returns the signals that the agent hears in a turn, and those that wait.
// If there are more than its Attention, those with the highest priority in their
// headers come first, and among equals the most relevant. Both results keep the
// order of fresh, which is that of the log; ties go to the older signal.
//
// How relevant a signal is to the agent is the mean of four numbers in [0,1]: the
// relevance that it states (or its confidence), the record of its source, its
// causal level (counterfactual 1, intervention 2/3, correlation 1/3, none 0), and
// the personality trait that belongs to its kind. Each turn that it has waited
// adds 1/4, so that after four turns no newer signal of its priority goes before
// it. None of this affects the weight of votes.
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
	return (Relevance(f.Signal)+f.Record+causal+a.Personality.interest(f.Signal))/4 + float64(f.Waited)/patience
}

// Relevance returns the relevance that a signal states: its own, or its confidence.
func Relevance(s signals.Any) float64 {
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

// interest returns the trait that belongs to the kind of a signal.
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
