package agents

import "github.com/swarmbus/swarmbus/signals"

// Propose returns a proposal: what is proposed, how sure the agent is of it, in
// [0,1], and why. It is no vote: an agent that wants it to be counted says
// [Agree] as well.
func Propose(id, content string, confidence float64, reason string) signals.Any {
	return signals.New(
		signals.Header{Confidence: confidence},
		signals.Proposal{ProposalID: id, Content: content, Reasoning: reason},
	)
}

// Agree returns a vote for a proposal: how sure the agent is of it, in (0,1],
// which is what the vote weighs, and why.
func Agree(proposal string, confidence float64, reason string) signals.Any {
	return vote(proposal, signals.Agree, confidence, reason)
}

// Disagree returns a vote against a proposal, see [Agree].
func Disagree(proposal string, confidence float64, reason string) signals.Any {
	return vote(proposal, signals.Disagree, confidence, reason)
}

// Abstain returns a vote that is neither for nor against a proposal: it counts
// for the quorum and nothing else.
func Abstain(proposal string, confidence float64, reason string) signals.Any {
	return vote(proposal, signals.Abstain, confidence, reason)
}

func vote(proposal string, s signals.Stance, confidence float64, reason string) signals.Any {
	return signals.New(
		signals.Header{Confidence: confidence},
		signals.Vote{ProposalID: proposal, Stance: s, Weight: confidence, Reasoning: reason},
	)
}
