package swarm

import (
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

var stances = map[signals.Stance]consensus.Stance{
	signals.Agree:    consensus.Agree,
	signals.Disagree: consensus.Disagree,
	signals.Abstain:  consensus.Abstain,
}

// Fold enters a signal of a log into a round: a proposal or a vote. Other
// kinds change nothing. weight, in [0,1], is a factor on the weight that a
// voter writes into its vote. A [signals.Vote] does not say what its voter
// expects of others: who has predictions for [consensus.Surprising] sets
// [consensus.Vote.Expected] in votes of its own, such as those of
// [Result].Decision.Ballots().
func Fold(r *consensus.Round, s signals.Any, weight float64) error {
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		return r.Propose(s.Payload.ProposalID)
	case *signals.Signal[signals.Vote]:
		return r.Vote(consensus.Vote{
			Seq: s.Seq, Voter: s.Source, Proposal: s.Payload.ProposalID, Stance: stances[s.Payload.Stance],
			Weight: s.Payload.Weight * weight, Reason: s.Payload.Reasoning,
			CausalLevel: consensus.CausalLevel(s.CausalLevel),
		})
	}
	return nil
}
