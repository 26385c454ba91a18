// Package consensus turns votes into decisions, and says how sure they are, what supports them and who
// dissents. It is pure: values in, values out, without clock, context or goroutine.
//
//	round, err := consensus.NewRound(consensus.ConfidenceWeighted{}, nil) // threshold 0.7, quorum 2
//	round.Propose("ship")
//	round.Vote(consensus.Vote{Seq: 1, Voter: "ada", ProposalID: "ship", Stance: consensus.Agree, Weight: 0.9})
//	round.Vote(consensus.Vote{Seq: 2, Voter: "bob", ProposalID: "ship", Stance: consensus.Agree, Weight: 0.7})
//	if d := round.Decision(); d.Outcome == consensus.Reached {
//		fmt.Println(d.Choice, d.Confidence)
//	}
//
// [Ballots] are all votes of a decision, immutable; a [Strategy] decides on them. A [Round] takes votes
// one by one; after each, its decision is the one that the strategy makes on all votes so far.
//
// # Support and confidence
//
// For a proposal p, let a be the number of voters who agree with it, s their weight and r the weight of
// those who disagree; let V be the voters with a vote that is not an abstention, W the sum of the largest
// weight with which each of them agrees or, if it agrees with nothing, disagrees, and ∅ the part of W that
// belongs to voters who agree with nothing. There are k proposals.
//
//	strategy             support of p                          support of none of these   source
//	voting               a / number of V                       share of V that agrees     approval voting: Brams and
//	                                                           with none                  Fishburn, 1978
//	confidence-weighted  s / W                                 ∅ / W                      linear opinion pool: Stone, 1961
//	bayesian             softmax of γ·ln 4·(s−r) over k and    the same softmax, at 0     weighted log-odds: Nitzan and
//	                     none, or of learned log-odds                                     Paroush, 1982; rates by voter:
//	                                                                                      Dawid and Skene, 1979
//	entropy              of the leader: 1 − H(q)/log₂ K, q     the same, if ∅ is at       normalised entropy: Shannon,
//	                     the shares of each s and of ∅, K      least the leader's s       1948
//	                     how many are above 0, at least 2
//	hierarchical         confidence-weighted within the        the same                   lexicographic rules:
//	                     highest rank that spoke; if that                                 Fishburn, 1974
//	                     settles nothing, within the next
//
// [Decision.Confidence] is the softmax of bayesian, whichever strategy decides. γ = 1/(1 + ρ·max(0, W−1))
// is a design effect (Kish, 1965): it counts voters who share a model or a prompt as fewer than they are; ρ
// is [Options.Correlation]. Where the evidence is against the strategy's choice, so that discounting would
// raise its probability, Confidence is the undiscounted softmax. It is a probability under the model that
// errors are independent after discounting, not a guarantee; how well it is calibrated on real votes has to
// be measured.
//
// # Robustness
//
//	strategy             withstands                                  does not withstand
//	voting               voters who overstate their confidence;      one party with many voters; a majority that errs
//	                     rogues, who cannot choose with a share      together
//	                     below the threshold, nor block with one
//	                     below its complement
//	confidence-weighted  voters who state honestly that they do      a few who always state 1 while others are honest;
//	                                                                 clones
//	bayesian             clones in part, by ρ; voters known to be    thirty proposals no one wants (confidence is then
//	                     bad, if reliabilities are given             shared among more); reliabilities that are wrong
//	entropy              a plurality mistaken for agreement: it      votes on many proposals at once; a voter who leaves
//	                     waits until opinion has gathered            a rival for the leader can lower support, because
//	                                                                 K falls
//	hierarchical         any number of juniors against seniors       one bad senior; a rank of one decides alone once
//	                                                                 the quorum is there
//
// None of them detects collusion. With [Options.Reliabilities] a decision is withheld, as [Uncertified],
// if its opposite is about as likely, given what is known about the voters.
//
// # Groups
//
// [Grouped] is a sixth strategy. It pools log-odds within the groups of [Options.Groups] and then across
// them, so that copies of one model do not outvote several models: the members of a group count as one or
// two voters.
//
// # When to stop
//
// [Settled] reports whether any vote that may still come can change a decision. Stopping then is always
// safe. It needs to know who may vote.
//
// # Outcomes
//
// The first of these that applies is the outcome:
//
//   - There are fewer voters than the quorum: [Pending], or [Deadlocked] once voting is closed.
//   - Reliabilities are known and, given them, the votes fit what is about to be settled no better than its
//     opposite (odds under 11 to 9), or voting is closed and the only leader has even odds: [Uncertified].
//   - One proposal leads, its support reaches the threshold, and more is for it than against it: [Reached].
//   - More is against every proposal than for it, and voting is closed or the support for "none of these"
//     reaches the threshold: [Rejected].
//   - Otherwise [Pending], or [Deadlocked] once voting is closed.
//
// For and against are counted in voters by voting, in evidence by bayesian, and in weight by the others,
// for hierarchical within the rank. Later votes may revert [Reached]: a caller that acts on it stops
// asking, or closes the round.
//
// # Rules of every strategy
//
// They hold for the built-in strategies, and for [Grouped] with the pooled evidence of each group in place of
// the number of its votes. consensustest.TestStrategy checks them for any other strategy:
//
//   - Votes on unknown proposals, votes of voters outside the electorate and superseded votes do not count;
//     [Ballots.Uncounted] reports them. A vote on a proposal made later counts from then on.
//   - A refused vote is a [*FieldError] and does not affect others. Weights are finite and in [0,1].
//   - An abstention counts for the quorum and never as a "no". A voter that votes several times counts once.
//   - The order and the names of votes and proposals change nothing. Weights are summed in
//     whole billionths, probabilities in 2^-40ths.
//   - Unanimity wins against any rejections of rivals. Ties choose nothing. A proposal that no voter agrees with does not lead.
//   - A proposal with more against it than for it never wins, alone or not.
//   - Another voter for the winner never unseats it. With bayesian, once all have voted down hundreds
//     of rivals, the discount can cost the winner a few thousandths of support; with entropy the rule is
//     one of voters who join, not of those who change sides (see the table).
//   - Closing never reverts a decision. Nothing is settled below the quorum.
//
// # Cost
//
// Building [Ballots] is linear in the votes and counts them; deciding is then linear in the proposals. A
// vote in a [Round] is O(1), [Round.Decision] linear in the proposals. Neither allocates in the steady
// state, except for the log that a Round's decisions refer to, which grows as long as decisions are
// requested. Methods for display, such as [Decision.Dissent] and [Decision.String], take a pass over the
// votes when called.
//
// # Custom strategies
//
// Implement [Strategy], or pass a function to [Func]; [Ballots.Decide] turns support values into a
// decision by the rules above.
package consensus
