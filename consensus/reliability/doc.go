// Package reliability learns from past decisions how far each voter can be trusted, and decides by it: which voters
// are usually right, which of them err together, how confident a decision may be, and whom to ask next.
//
//	book, err := reliability.NewBook(nil) // decisions with their own proposals, default priors
//	book.Observe("release 1", ballots)    // a decision that has been voted on
//	book.Resolve("release 1", "ship")     // its outcome, if that ever becomes known
//	model := book.Model()                 // immutable
//	d := reliability.Strategy{Model: model}.Decide(next)
//	fmt.Println(d.Choice, d.Confidence)
//
// A [Book] can learn without outcomes: a voter that sides with the others where they agree with each other is right
// more often (Dawid and Skene, 1979). Known outcomes anchor the estimates, and once there are ten they also calibrate
// confidence. A [Model] is a snapshot of what has been learned. A [Strategy] decides with it, [Model.Enough] reports
// when to stop asking, [Model.Next] whom to ask, and [Model.Groups] which voters err together, for
// [consensus.Grouped]. They are pure: values in, values out, without clock, context or goroutine. A [Ledger] is the
// default where no strategy is chosen: two books, safe for concurrent use, and the strategy that suits what they
// have learned.
//
// # What is learned about a voter
//
// It depends on what decisions are between, as stated in [Options]:
//
//	decisions between          option        learned about a voter                   a ballot is a vote
//	their own proposals        none          one number: how often it is right       for the proposals it agrees with, or
//	                                                                                 else for any it does not reject
//	the same choices always    Choices       a number per choice, and what it says   the same
//	                                         instead when wrong
//	agreeing and disagreeing   Stances       sensitivity and specificity             on each proposal separately
//
// The prior of these numbers is the distribution over all voters. Its spread is fitted too, so a voter's rates per
// choice shrink to a single rate where its votes do not support more. A voter whose known outcomes show that it has
// become better or worse from some decision on, unlike the others, is known only by its votes since (change-point:
// Chernoff and Zacks, 1964; the Bayes factor has to exceed 20). A newcomer, that is a voter the model does not
// know, is treated as an average voter; before anything is learned, as one that is right with log-odds of 1.
//
// The weight of a vote is its voter's stated confidence. What it means is learned for each voter, once more than half
// of the voters have stated less than 1 (see [Model.Calibrated]). From then on a weight raises or lowers the log-odds
// that its vote is right, but never so far that the vote counts against what it is for, and it never raises those of a
// newcomer. Until then a weight scales the evidence of its vote.
//
// With Choices, a voter who names the same one whatever the question, another less than a tenth as often as the plurality
// of the others does in the same decisions, is constant: its votes for that choice are neither learned from nor counted,
// except by peers, below, who weigh it by its few other votes.
//
// # How votes are pooled
//
//	quantity                                  method                                          source
//	probability that a voter is right         σ(rate)                                         Dawid and Skene, 1979
//	number of wrong answers                   how seldom two wrong voters agree; a truth that    Simpson, 1949
//	                                          nobody named is one of them
//	rates of voters and choices               normal around the pool's                        Kim and Ghahramani, 2012;
//	                                                                                          Paun et al., 2018
//	stated confidence                         calibration slope in log-odds, per voter        Turner et al., 2014
//	a ballot for several, or against some     the probability of any answer it allows         Heitjan and Rubin, 1991
//	voters who err together                   weights w ≥ 0 that minimise ½wᵀRw − μᵀw,        Winkler, 1981; Clemen and
//	                                          R their correlation, shrunk to the pool's       Winkler, 1985
//	copies                                    share one vote                                  ours
//	voters who follow a source                copies, if likelihood and shared mistakes       Dong, Berti-Equille and
//	                                          show it                                         Srivastava, 2009
//	residual correlation, not seen in votes   evidence / (1 + ρ·(n−1)), n the weights' sum    Kish, 1965
//	known outcomes, ten or more               scale, bonus per voter, lapse; ridges by        Genest and Zidek, 1986
//	                                          cross-validation
//	when to stop                              expected value of sample information            Raiffa and Schlaifer, 1961
//
// ρ is [consensus.Options.Correlation], scaled down in small teams: a tenth of it for five voters, all of it for 23
// and more. If all voters are of one group of [consensus.Options.Groups], it is not scaled down.
//
// # Model averaging
//
// The votes often do not show by which structure they came about. The model above is therefore one of four, whose
// probabilities are averaged (linear opinion pool: Stone, 1961). The average is confident only where all of them are;
// [Model.Structures] shows each.
//
//	structure   assumption                                    weight                        source
//	rates       the table above                               1, 1 more in a small team     above
//	                                                          with shared choices, and 1
//	                                                          more for every ten known
//	                                                          outcomes
//	coins       each voter is right equally often in all      2 in a small team, 0 in a     Kim and Ghahramani, 2012;
//	            decisions, independently of the others;       crowd, divided by             over modes: ours
//	            averaged over all modes of the posterior      1 + r·(votes per decision − 1),
//	                                                          r the correlation of errors
//	peers       a voter's weight grows exponentially with     1 from nine voters on, 2 in   ours; variance components:
//	            its agreement with the others, who are        a crowd                       Henderson, 1953; chance:
//	            weighted likewise and less if they err with                                 Scott, 1955
//	            it, above chance, as far as differences
//	            between voters are reliable and errors
//	            correlated
//	subtypes    each shared choice comes in three kinds,      5·v/(v + 5·n) in a crowd, v   Li, Rubinstein and
//	            and a voter's habits depend on the kind       the votes and n the           Cohn, 2019
//	                                                          parameters per voter,
//	                                                          divided by
//	                                                          1 + ρ·(votes per decision − 1);
//	                                                          less in a small team
//
// # What confidence means
//
// [consensus.Decision.Confidence] and Support are probabilities of being right. Known outcomes calibrate them. Without
// any they rest on the assumption that most votes come from voters who beat chance; the more the votes contradict it,
// the less a decision claims (see [Certificate]). A decision that is withheld for that reason alone is
// [consensus.Uncertified]. benchmarks/quality measures how well the probabilities hold on real votes.
//
// # Rules
//
// [Strategy] follows the rules that package consensus states for every strategy, with one inherent exception: its
// confidence is not the softmax of the tallies, because the model knows more about the voters than the tallies do.
// Rules about voters in general hold among voters whom the model considers equal: one voter known to be right nearly
// always prevails over several who toss coins, and another supporter known to be wrong does not help. The evidence for
// and against a proposal is counted in its voters' log-odds above chance. A voter who agrees with a proposal adds
// nothing by rejecting its rivals, unless every proposal is a question of its own. Names serve only as identity: a
// voter that changes its name is a newcomer. One thing depends on them: the folds into which known outcomes are divided to
// choose the ridge of their correction, so with few outcomes other names may lead to another ridge.
//
// # Order, limits and cost
//
// The same observations produce the same model, in whatever order votes, proposals and decisions arrived, as long as no
// decision has left the window, no voter has been forgotten or found to have changed, and every voter stays in its
// group. A restored book continues as the saved one would have. Both hold on the same architecture; between
// architectures, numbers may differ by rounding.
//
// Learning takes about 20 rounds, each over votes · choices numbers and over the pairs of votes in a decision, and up to
// 400 rounds over votes · choices for subtypes. Where decisions have their own proposals, one between thousands does not
// make the others more expensive. On a server's processor, learning from 8,000 votes on two choices takes 0.1 s, or
// 0.2 s with their outcomes; from 1,050 votes of seven voters on two choices, 9 and 23 ms; from 50,000 votes of 500
// voters, 0.3 and 0.5 s. With 4 to 24 voters, the search for sources adds some 30 ms for nine voters and 300 decisions,
// 0.2 s for 24, and up to 1.1 s if they follow eleven sources; more decisions add nothing. Weights other than 1 make it
// three to four times as expensive. Up to [Options.MaxPairs] voters have a correlation for each pair.
//
// A decision on n votes takes at most 12 · n² operations for known voters, and n for newcomers: 0.5 ms for 10,000, to
// which [Model.Enough] adds 0.05 ms. In a [consensus.Round], newcomers who vote alike cost as much as one: a decision
// on 10,000 votes takes 3 µs with one proposal, and 50 µs with several.
package reliability
