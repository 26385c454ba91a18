package memory

import (
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Decision is a decision of a solve with the facts that the solve knew.
type Decision struct {
	Thread   string    `json:"thread"`
	Proposal string    `json:"proposal"` // its id
	Decision string    `json:"decision"` // in words
	Time     time.Time `json:"time"`
	Facts    []string  `json:"facts"` // ids
}

// DecisionOf returns the decision in the log of a solve, and whether there is one. It
// stood on all facts that were recalled or stated before it: no log says which of them
// made up an agent's mind.
func DecisionOf(log []signals.Any) (Decision, bool) {
	var facts []string
	for _, s := range log {
		if d, ok := signals.As[signals.Consensus](s); ok {
			slices.Sort(facts)
			return Decision{d.Thread, d.Payload.ProposalID, d.Payload.Decision, d.Time, slices.Compact(facts)}, true
		}
		shown, _ := shows(s)
		for _, c := range shown {
			facts = append(facts, c.ID())
		}
	}
	return Decision{}, false
}
