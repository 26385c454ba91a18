// Package talk says what hearing each other changed in a solve: who changed its mind, whether
// agents were unanimous before and after it, and whether fewer challenged than expected.
//
//	d := talk.Of(result.Log)
//	fmt.Println(d)
//
// A [Diagnosis] is a function of the log, and nothing that decides reads it: as triggers within
// a solve none of its numbers pays (benchmarks/swarms/RESULTS.md). Over many solves they say
// what kind of task it is. Where talk moves facts or proofs, most flips go to what is right;
// where agents repeat each other, they are unanimous more often after it, and not more often
// right.
//
// # Stands
//
// An agent stands for the proposal that it agrees with most in the last turn in which it agrees
// with any; of equal ones for the one that it stood for, or else the first. One that disagrees
// with that, or with the first that it judges, stands for none of the proposals, which is a
// stand, too. One that abstains from it, or takes its vote back, has no stand. In a solve that
// does not deliberate answers are stands; otherwise proposals are not.
//
// A stand is independent if the agent had heard no proposal and no vote of another one when its
// turn began. Answers that a plan asks for are, since nobody is shown those of others; verdicts
// of judges are not.
//
// # Challengers
//
// Those who could challenge are the agents whose turns began after they had heard another one's
// proposal. The log does not say who may: an agent that may not emit challenges counts as one
// that did not challenge. Result.Groupthink of a solve that ran in this process counts only those
// that may.
package talk
