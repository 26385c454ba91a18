package agents

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// alternative returns the proposal that a challenge of the agent makes, or nil: its
// alternative, with the counterargument as the reason. One that says what a proposal says is a
// vote for that. n is the number of signals of the turn before it.
func (a *Agent) alternative(t *Turn, s signals.Any, n int) signals.Any {
	c, ok := signals.As[signals.Challenge](s)
	if !ok || c.Payload.AlternativeProposal == "" {
		return nil
	}
	says := text.Plain(c.Payload.AlternativeProposal)
	if i := slices.IndexFunc(t.Proposals, func(p Standing) bool { return text.Plain(p.Proposal.Payload.Content) == says }); i >= 0 && a.May(signals.KindVote) {
		vote := Agree(t.Proposals[i].ID(), c.Confidence, c.Payload.CounterArgument)
		return t.complete(signals.With(vote, signals.Header{Confidence: c.Confidence, Recipients: c.Recipients}))
	}
	if !a.May(signals.KindProposal) {
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
