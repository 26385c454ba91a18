package agents

import "github.com/swarmbus/swarmbus/signals"

// Propose returns a proposal with its content, the agent's confidence in it, in
// [0,1], and a reason. It is not a vote: to support its own proposal an agent
// also has to [Agree].
func Propose(id, content string, confidence float64, reason string) signals.Any {
	return signals.New(
		signals.Header{Confidence: confidence},
		signals.Proposal{ProposalID: id, Content: content, Reasoning: reason},
	)
}

// Agree returns a vote for a proposal, with the agent's confidence in (0,1],
// which is the weight of the vote, and a reason.
func Agree(proposal string, confidence float64, reason string) signals.Any {
	return vote(proposal, signals.Agree, confidence, reason)
}

// Disagree returns a vote against a proposal: see [Agree].
func Disagree(proposal string, confidence float64, reason string) signals.Any {
	return vote(proposal, signals.Disagree, confidence, reason)
}

// Abstain returns a vote that is neither for nor against a proposal: it counts
// only for the quorum.
func Abstain(proposal string, confidence float64, reason string) signals.Any {
	return vote(proposal, signals.Abstain, confidence, reason)
}

func vote(proposal string, s signals.Stance, confidence float64, reason string) signals.Any {
	return signals.New(
		signals.Header{Confidence: confidence},
		signals.Vote{ProposalID: proposal, Stance: s, Weight: confidence, Reasoning: reason},
	)
}
