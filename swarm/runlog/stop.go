package runlog

import (
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
)

// StopReason says why a solve ended. Its wire form is text.
type StopReason uint8

// The stop reasons.
const (
	StopConsensus   StopReason = 1 + iota // a proposal was chosen
	StopRejected                          // every proposal was turned down
	StopDeadlock                          // all have spoken and nothing is settled
	StopUncertified                       // the votes fit the leader no better than its opposite
	StopMaxRounds                         // the maximum number of rounds
	StopNoProgress                        // no agent had anything to say, and no one had voted
	StopBudget                            // the maximum number of signals, or the budget for a quorum is used up
	StopDeadline                          // no time left
	StopCancelled                         // the caller's context ended
	StopEscalated                         // someone outside the swarm has to look
	StopError                             // so many agents failed that the others are no quorum, the bus failed, or a call is not in the recording that is played
	StopAsked                             // a person has to answer before a turn can go on ([asking.Call])
	StopSettled                           // a settlement has chosen what the votes alone have not ([consensus.BySettlement])
	StopContested                         // what leads lacks something for a consensus ([consensus.Contested])
	StopAnswered                          // one agent alone has an answer ([consensus.Answered])
	StopExpired                           // nobody answered a question in time whose rule stops the solve then ([asking.ExpiryStops])
	StopAbandoned                         // a person cancelled it while it waited for one ([Abandon])
)

var stopNames = []string{
	"", "consensus", "rejected", "deadlock", "uncertified", "max-rounds", "no-progress",
	"budget", "deadline", "cancelled", "escalated", "error", "asked", "settled", "contested", "answered", "expired", "abandoned",
}

// String returns the wire name, and "unset" for the zero value.
func (s StopReason) String() string {
	if s == 0 {
		return "unset"
	}
	if int(s) >= len(stopNames) {
		return fmt.Sprintf("StopReason(%d)", uint8(s))
	}
	return stopNames[s]
}

// MarshalText returns the wire name.
func (s StopReason) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *StopReason) UnmarshalText(text []byte) error {
	for i, name := range stopNames {
		if i > 0 && name == string(text) {
			*s = StopReason(i)
			return nil
		}
	}
	return fmt.Errorf("runlog: stop reason %q is not one of %q", text, stopNames[1:])
}

// GoesOn reports whether a swarm continues a solve that stopped so without an
// answer.
func (s StopReason) GoesOn() bool {
	switch s {
	case StopCancelled, StopDeadline, StopBudget, StopError, StopAsked:
		return true
	}
	return false
}

// Chose reports whether a solve that stopped so has an answer: a consensus, a settled one, or that of
// one agent.
func (s StopReason) Chose() bool {
	return s == StopConsensus || s == StopSettled || s == StopAnswered
}

// Follows reports whether a solve that was decided so can have stopped for the reason
// on record.
func (p Decided) Follows(d consensus.Decision) bool {
	switch {
	case p.Withheld != "" && d.Choice != "":
		return !p.Stop.Chose()
	case p.Stop.Chose(), p.Stop == StopRejected, p.Stop == StopDeadlock, p.Stop == StopUncertified, p.Stop == StopContested:
		return StopFor(d.Outcome) == p.Stop
	}
	return true
}

// StopFor returns the stop reason for a final decision.
func StopFor(o consensus.Outcome) StopReason {
	switch o {
	case consensus.Reached:
		return StopConsensus
	case consensus.Rejected:
		return StopRejected
	case consensus.Uncertified:
		return StopUncertified
	case consensus.Contested:
		return StopContested
	case consensus.BySettlement:
		return StopSettled
	case consensus.Answered:
		return StopAnswered
	default:
		return StopDeadlock
	}
}
