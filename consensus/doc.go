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
// [Ballots] are all votes of a decision at once, immutable; a [Strategy] decides on them. A [Round] takes
// votes one by one and after each stands where the strategy would stand on all of them.
//
// # What is compared
//
// For a proposal p, let a be the number of voters who agree with it, s their weight and r the weight of
// those who disagree; let V be the voters with a vote that is not an abstention, W the sum of each one's
// largest weight, and ∅ the part of W that belongs to voters who agree with nothing. There are k proposals.
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
// [Decision.Confidence] is that softmax whichever strategy decides. γ = 1/(1 + ρ·max(0, W−1)) counts
// voters who share a model or a prompt for fewer than they are, as a design effect does (Kish, 1965); ρ is
// [Options.Correlation]. Where evidence is against what a strategy picked, so that a discount would flatter
// it, Confidence is the undiscounted softmax. It is a probability under the model that votes err
// independently once discounted, not a promise; what it is worth on real votes has to be measured.
//
// # What each withstands
//
//	strategy             withstands                                  does not withstand
//	voting               voters who overstate how sure they are;     many voters run by one hand; a majority that errs
//	                     rogues: under a share of the threshold      together
//	                     they cannot choose, under the rest of it
//	                     not block
//	confidence-weighted  voters who know that they do not know       a few who always write 1 while others are honest;
//	                                                                 clones
//	bayesian             clones in part, by ρ; voters known to be    thirty proposals nobody wants (confidence is then
//	                     bad, when reliabilities are handed in       shared among more); reliabilities that are wrong
//	entropy              a plurality mistaken for agreement: it      votes on many proposals at once; a voter who leaves
//	                     waits until opinion has gathered            a rival for the leader can lower support, because
//	                                                                 K falls
//	hierarchical         any number of juniors against seniors       one bad senior; a rank of one decides alone once
//	                                                                 the quorum is there
//
// None of them detects collusion. With [Options.Reliabilities] a decision is withheld, as [Uncertified],
// when by what is known of the voters it might as well be wrong.
//
// # Beyond the five
//
// They use what the five do not read, and are handed in by value: [Grouped] pools log-odds within the
// groups of [Options.Groups] and then across, so that copies of one model do not outvote several; where it
// counts, clones in a known group are one or two voters to it. [Surprising] reads [Vote.Expected], what
// voters predict of others, and finds the answer that fewer know and fewer still expect; it withstands a
// majority that errs together, and nobody who lies about what it expects. [Collapse] removes copies before
// anything is counted. For orders in the place of votes there is [Profile], with [Profile.Borda],
// [Profile.Schulze] and [Profile.Kemeny].
//
// # When to stop
//
// [Settled] tells whether anything that is left can change a decision: it never stops wrongly, and needs
// to know who may vote. Where nobody knows, [Ballots.Lead] tells how likely the leader stays the leader, and
// [Sequential] when the evidence on a proposal leaves the bounds of the errors agreed. All three may be
// looked at after every vote: Settled is sure, Sequential errs as agreed whatever the truth is, Lead on
// average over its prior.
//
// # Outcomes
//
// They are tried in this order. Fewer voters than the quorum: [Pending], or [Deadlocked] once closed.
// Reliabilities are known and by them the votes fit what is about to be settled no better than its
// opposite (odds under 11 to 9), or voting is closed and they leave the only leader at even odds:
// [Uncertified]. One proposal leads, its support reaches the threshold, and more speaks for it than
// against it: [Reached]. More speaks against every proposal than for it, and voting is closed or support
// for none of these reaches the threshold: [Rejected]. Otherwise [Deadlocked] once closed, else [Pending].
//
// What speaks for and against is counted in voters by voting, in evidence by bayesian, in weight by the
// others, for hierarchical within the rank. [Reached] stands until other votes take it back: who acts on it
// stops asking, or closes the round.
//
// # Rules of every strategy
//
// They hold for the five strategies, for [Grouped] with what a group's votes are worth together in the
// place of their number, and for [Surprising] but for two that its comment names.
// consensustest.TestStrategy checks them for any other:
//
//   - Votes on unknown proposals, of voters outside the electorate and superseded ones do not count, and
//     [Ballots.Uncounted] reports them. A vote on a proposal that is made later counts from then on.
//   - A refused vote is a [*FieldError] and spoils nothing else. Weights are finite and in [0,1].
//   - An abstention counts for the quorum and never as a "no". A voter counts once, however often it votes.
//   - The order of votes and proposals, and what they are called, change nothing. Weights are summed in
//     whole billionths, probabilities in 2^-40ths.
//   - Unanimity wins. Ties choose nothing. What nobody agrees with does not lead.
//   - A proposal that more speaks against than for never wins, alone or not.
//   - Another voter for the winner never unseats it. With bayesian, once everybody has voted down hundreds
//     of rivals, the discount can cost the winner a few thousandths of support; with entropy the rule is
//     one of voters who join, not of those who change sides (see the table).
//   - Closing takes nothing back. Nothing is settled below the quorum.
//
// # Cost
//
// Building [Ballots] is linear in the votes and counts them; deciding is then linear in the proposals. A
// vote in a [Round] is O(1), [Round.Decision] linear in the proposals. Neither allocates in the steady
// state, but for the log a Round's decisions refer to, which grows while they are asked for. What is for
// people, such as [Decision.Dissent] and [Decision.String], is worked out when asked for, in a pass over
// the votes.
//
// # Custom strategies
//
// Implement [Strategy], or hand a function to [Func]; [Ballots.Settle] turns numbers of support into a
// decision by the rules above. [Any], [All] and [Fallback] combine strategies.
package consensus
