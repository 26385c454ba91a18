// Package reliability learns from past decisions how far each voter can be trusted, and decides by it: which voters
// are usually right, which of them repeat each other, how confident a decision may be, and whom to ask next.
//
//	ledger := new(reliability.Ledger)             // decisions with their own proposals
//	d := ledger.Strategy().Decide(ballots)        // as far as anything has been learned
//	fmt.Println(d.Choice, d.Confidence, d.Reason())
//	ledger.Observe("release 1", ballots)          // a decision that has been voted on
//	ledger.Resolve("release 1", "ship")           // its outcome, if that ever becomes known
//
// A [Ledger] can learn without outcomes: a voter that sides with the others where they agree with each other is right
// more often (Dawid and Skene, 1979). Known outcomes anchor what is learned, and from ten on they correct it. A [Model]
// is a snapshot of what has been learned: probabilities, weights, groups, whom to ask next, and when enough were asked.
// A [Strategy] decides with it. They are pure: values in, values out, without clock, context or goroutine.
//
// docs/model.md explains the model on a page, and docs/quality.md what to expect of it.
//
// # Guarantees
//
// A clear majority decides: where no known outcome says otherwise, nothing that is inferred from votes keeps open or
// turns what four voters or more decide with 0.8 of the weight that was not abstained, if that reaches the threshold.
// Nothing keeps open what two voters or more all agree with, and nobody is against; how probable it is may be less.
// Known outcomes say otherwise if the voters who are now against the majority were right more often than it in those
// decisions in which the two sides differed. Groups that the program states ([consensus.Options.Groups]) come before
// that: only the weight that a group shares counts. Eighteen agents of one model therefore do not decide against two of
// another before outcomes are known, see [Ledger].
//
// The same again is the same: when the same ballots are cast again and again, with noise or without, the outcome stays
// as it is from the tenth decision on, and from one decision to the next confidence falls by at most 0.05 and moves by
// at most 0.1, unless an outcome becomes known. What was learned is mixed with the votes alone, whose part falls with
// the number of decisions. Small teams are exceptions. Where a fifth of the votes are noise, two of four who agree may
// be believed some decisions later. If two camps of equal size err now and then, chance decides which of them is
// believed. Two of five who always agree, against three who are each for something else, are believed from about the
// fourteenth decision on.
//
// Never worse than the vote: in teams of agents as they are (some stubborn, lazy, sycophantic, or much stronger than
// the others) the default decides and is right at least as often as [consensus.ConfidenceWeighted], at every stage and
// without outcomes, but for chance. That is measured on planted teams, not guaranteed for every team: four copies of a
// weak model are believed against one strong agent until outcomes are known or they are stated as a group.
//
// [Strategy] follows the rules that package consensus states for every strategy, with one exception: its confidence is
// not the softmax of the tallies, because the model knows more about the voters. Rules about voters in general hold
// among voters whom the model considers equal. A voter who agrees with a proposal adds nothing by rejecting its rivals,
// unless every proposal is a question of its own ([Options.Stances]), to what has been learned; in the votes alone,
// rejections count as in package consensus.
//
// The same observations produce the same model, in whatever order votes, proposals and decisions arrived, as long as no
// decision has left the window and every voter stays in its group. Names serve only as identity: a voter that changes
// its name is a newcomer, who counts as an average voter. With known outcomes, other names may lead to other folds of
// the cross-validation. Between architectures, numbers may differ by rounding.
//
// # Cost
//
// A ledger learns after a tenth more decisions or a sixth of new outcomes. Learning takes 20 rounds, each over votes ·
// choices numbers; in a team of up to nine voters, one fit more for each voter; and up to one time more with known
// outcomes. A decision takes time linear in votes · candidates. In a [consensus.Round], newcomers who vote alike cost
// as much as one.
package reliability
