// Package settle says how a conflict between two proposals is settled.
//
//	p := settle.Pair{A: t.Votes.Of("a"), B: t.Votes.Of("b")}
//	if winner, _, ok := p.Majority(nil); ok {
//		fmt.Println(winner.ID())
//	}
//
// Everything in it is a function from values to values: it publishes nothing, calls
// nobody and has no clock. The swarm calls it with what the log says of a pair of
// proposals ([Pair]), and records the result as a conflict.Resolution.
//
// # Majority
//
// Each voter has one vote, whatever its weight: it is for a side if it agrees with that
// one and not with the other. The votes that there are decide, without a quorum. A tie
// has no winner.
//
// # Debate
//
// A [Debate] has at most three rounds. In each of them two advocates, one of each side,
// attack the other side's proposal at the same time, and then answer each other's
// attacks. The others hear the arguments and may change their votes for what was checked. Agents are asked
// again only if an argument was new, so that only what is new moves votes: an argument
// counts as new if no earlier challenge of the thread says the same. The debate ends
// when the probability of one side, given that one of the two is right, is [Certain]; after three
// rounds; or when neither attack is new. Its outcome binds: the more probable side wins.
// If both are equally probable nobody does.
//
// The conflict of two proposals one of which is [Certain] already is not debated, as a
// debate that begins so is over.
//
// # Escalation
//
// [Pair.Question] asks somebody outside about what could not be settled.
//
// # What a settlement means for the votes
//
// The proposal that lost can no longer be chosen. Votes count as they were cast, those on the loser included: a
// settlement chooses between two and adds no evidence. What the votes do not decide by themselves is decided
// [consensus.BySettlement]; see [Strategy].
//
// Logs of before were counted otherwise: votes on the loser did not count, and whoever had agreed with it, and with no
// proposal that remained, abstained on all that remained; see [Yields].
package settle
