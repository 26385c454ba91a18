// Package reliability learns how far voters can be trusted, across decisions, and decides by it: which voters
// are right, which of them err together, how sure one may be, and whom to ask next.
//
//	book, err := reliability.NewBook(nil) // proposals of each decision's own, default priors
//	book.Observe("release 1", ballots)    // a decision that has been voted on
//	book.Resolve("release 1", "ship")     // what turned out to be right, where that is ever known
//	model := book.Model()                 // immutable
//	d := reliability.Strategy{Model: model}.Decide(next)
//	fmt.Println(d.Choice, d.Confidence)
//
// A [Book] needs no outcomes: voters who agree with others where those agree among themselves are right more
// often (Dawid and Skene, 1979). Outcomes anchor it where there are some, and from ten on correct its
// confidence too. A [Model] is a snapshot; a [Strategy] pools with it; [Model.Enough] says when to stop asking and
// [Model.Next] whom to ask; [Model.Groups] says who errs together, for [consensus.Grouped]. Everything is values in,
// values out, without clock, context or goroutine. A [Ledger] is what programs decide by when nobody chooses: two
// books that many goroutines may share, and the strategy that suits what they know.
//
// # What is learned of a voter
//
// It depends on what decisions are between, as stated in [Options]:
//
//	decisions between          say           a voter has                             a vote is
//	proposals of their own     nothing       one number: how often it is right       for what it agrees with, or else
//	                                                                                 for anything it does not reject
//	the same choices always    Choices       a number per choice, and what it says   the same
//	                                         instead when wrong
//	agreeing and disagreeing   Stances       sensitivity and specificity             one per proposal
//
// All numbers have the pool of voters as their prior, whose spread is fitted too, so a voter's rates per choice
// fall together where votes do not support more than one. A newcomer is an average voter, and before anything
// is known one that is right with log-odds of 1.
//
// A vote's weight says how sure its voter is. What that means is learned too, voter by voter, once more than half of
// the voters have said less than 1 ([Model.Calibrated]): a weight then raises or lowers the log-odds that the vote is
// right, never so low that it speaks against what it is for, and a newcomer's never above those of a newcomer. Until
// then a weight scales what its vote counts.
//
// # How votes are pooled
//
//	what                                      how                                             source
//	a voter is right                          σ(rate)                                         Dawid and Skene, 1979
//	rates of voters and choices               normal around those of the pool                 Kim and Ghahramani, 2012;
//	                                                                                          Paun et al., 2018
//	how sure a voter says it is               a slope in log-odds, by voter                   Turner et al., 2014
//	a ballot for several, or against some     the probability of any that it allows           Heitjan and Rubin, 1991
//	voters who err together                   weights w ≥ 0 that minimise ½wᵀRw − μᵀw,        Winkler, 1981; Clemen and
//	                                          R their correlation, shrunk to the pool's       Winkler, 1985
//	copies                                    one vote                                        ours
//	correlation that votes cannot show        evidence / (1 + ρ·(n−1)), n the weights' sum    Kish, 1965
//	known outcomes, ten or more               scale, bonus per voter, lapse; ridges by        Genest and Zidek, 1986
//	                                          cross-validation
//	when to stop                              expected value of sample information            Raiffa and Schlaifer, 1961
//
// ρ is [consensus.Options.Correlation], a tenth of it in a team of five and all of it in a crowd of 23 and more.
//
// # Which structure holds
//
// The votes often leave that open. The model above is one of four structures whose probabilities are averaged
// (linear opinion pool: Stone, 1961); the mean is sure only where all are, and [Model.Structures] shows each:
//
//	structure   what it takes the votes for                   weight                        source
//	rates       the table above                               1, and 1 more for each ten    above
//	                                                          outcomes that are known
//	coins       each voter is right as often always, by       2 in a team of a few, 0 in    Kim and Ghahramani, 2012;
//	            itself; the mean over every reading of        a crowd, divided by           over modes: ours
//	            the votes                                     1 + r·(votes a decision − 1),
//	                                                          r how much voters err together
//	peers       who agrees more with the others, weighed      1 from nine voters on, 2 in   ours; variance components:
//	            alike, counts exponentially more, so far      a crowd                       Henderson, 1953
//	            as differences between voters are reliable
//	subtypes    each shared choice is of three kinds, and     2, divided by                 Li, Rubinstein and
//	            a voter's habits depend on the kind           1 + ρ·(votes a decision − 1)  Cohn, 2019
//
// # What confidence means
//
// [consensus.Decision.Confidence] and Support are the probability of being right. Known outcomes calibrate it; without
// any it rests on the belief that most votes are by voters who beat chance. The more the votes speak against
// that belief, the less a decision claims, see [Certificate]; what it would have settled and does not for that alone
// is [consensus.Uncertified].
// benchmarks/quality measures what the numbers are worth on real votes.
//
// # Rules
//
// The strategy keeps the rules of every strategy (see package consensus) with one exception by its nature:
// confidence is not the softmax that the tallies hold, since it knows more of the voters than they do. Where
// rules speak of voters in general they hold among voters that the model takes for equals: one that is known
// to be right nearly always prevails over several that toss coins, and another supporter who is known to be
// wrong does not help. What speaks for a proposal and against it is counted in what voters are worth; rejecting the
// rivals of a proposal that one agrees with says nothing more, but where every proposal is a question of its own. Names
// mean nothing but identity: who changes its name is a newcomer.
//
// # Order, limits and cost
//
// The same observations in the same order give the same model, and a saved book goes on as it would have, on
// one kind of machine; between kinds numbers may differ by rounding. The order of votes and of
// proposals changes nothing; that of decisions changes nothing but rounding, as long as none has left.
//
// Learning costs about 20 rounds over votes · choices numbers, and over pairs of votes, decision by decision: where
// proposals are each decision's own, one between thousands makes no other dearer. On a server's
// processor 8,000 votes on two choices take 50 ms, or 110 ms with their outcomes; 1,050 votes of seven 7 and 17 ms; 50,000
// votes of 500 voters 0.4 and 0.8 s. Up to [Options.MaxPairs] voters have correlations by pair. A decision
// of n votes of known voters costs 12 · n² at most, of newcomers n: 0.5 ms for 10,000, and [Model.Enough] 0.05 ms
// more. In a [consensus.Round] newcomers who vote alike cost what one does: a look at 10,000 votes takes 3 µs where there
// is one proposal, 50 µs between several. Weights other than 1 make learning three to four
// times as expensive. What voters predict of others is not read.
package reliability
