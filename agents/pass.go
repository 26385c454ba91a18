package agents

import "github.com/swarmbus/swarmbus/signals"

// Passed says that an agent has nothing to add in a turn, and why. Every agent may
// emit it, whatever its CanEmit. A swarm keeps it in the log, but no agent hears it,
// and it does not count as a signal of the solve.
type Passed struct {
	Reason string `json:"reason,omitempty"`
}

// Kind returns "pass".
func (Passed) Kind() signals.Kind { return "pass" }

// Check implements [signals.Checker].
func (p Passed) Check(l signals.Limits) error { return l.Text("reason", p.Reason) }

// Pass returns a signal that the agent has nothing to add, with the reason.
func Pass(reason string) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, Passed{reason})
}
