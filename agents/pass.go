package agents

import "github.com/swarmbus/swarmbus/signals"

// Records returns the kinds by which an agent says how a turn went: [Passed] and [Fallback]. Every
// agent may emit them, whatever its CanEmit. A swarm keeps them in the log, but no agent hears
// them, and they do not count as signals of the solve.
func Records() []signals.Kind { return []signals.Kind{Passed{}.Kind(), Fallback{}.Kind()} }

// Passed says that an agent has nothing to add in a turn, and why: see [Records].
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
