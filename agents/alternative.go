package agents

import (
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// alternative returns the proposal that a challenge of the agent makes, or nil: its
// alternative, with the counterargument as the reason. n is the number of signals of the
// turn before it.
func (a *Agent) alternative(t *Turn, s signals.Any, n int) signals.Any {
	c, ok := signals.As[signals.Challenge](s)
	if !ok || c.Payload.AlternativeProposal == "" || !a.May(signals.KindProposal) {
		return nil
	}
	id := fmt.Sprintf("%s-alternative-%d-%d", t.Agent, t.Round, n)
	if len(id) > signals.NameBytes {
		id = t.NewID().String()
	}
	return t.complete(signals.New(
		signals.Header{Confidence: c.Confidence, ReplyTo: c.Payload.TargetSignalID, Recipients: c.Recipients},
		signals.Proposal{ProposalID: id, Content: c.Payload.AlternativeProposal, Reasoning: c.Payload.CounterArgument},
	))
}
