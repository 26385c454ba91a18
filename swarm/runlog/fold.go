package runlog

import (
	"cmp"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// Fold adds a signal of a log to a round if it is a proposal or a vote; other
// kinds change nothing. A vote without a weight has its header's confidence as
// weight; weight, in [0,1], is a factor on either.
func Fold(r *consensus.Round, s signals.Any, weight float64) error {
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		return r.Propose(s.Payload.ProposalID)
	case *signals.Signal[signals.Vote]:
		return r.Vote(consensus.Vote{
			Seq: s.Seq, Voter: s.Source, ProposalID: s.Payload.ProposalID, Stance: consensus.Stance(s.Payload.Stance),
			Weight: cmp.Or(s.Payload.Weight, s.Confidence) * weight, Reasoning: s.Payload.Reasoning,
			CausalLevel: consensus.CausalLevel(s.CausalLevel),
		})
	}
	return nil
}
