// Package retract has the signal by which somebody takes back what it said.
//
//	yield(retract.Of(finding.ID, "the sample was from the wrong week"), nil)
//
// A finding (a discovery, a shared fact, a result of a tool), a doubt, a challenge, a
// proposal or a vote can be retracted: by its author, or by the operator, for whom the
// system publishes the retraction. A retraction of anybody else changes nothing.
//
// What is taken back stays in the log, and counts as if it had not been said: a vote is
// the one before it, a finding supports nothing. A proposal that was taken back is still a
// choice for those who vote for it: what goes is its reason, and its author's answer where
// proposals are answers.
//
// Whoever says again what it took back, in the same words, has not taken it back. So
// retracting and stating again changes no decision. What the operator took back stays so.
//
// [Fold] says of a log what is taken back. It is pure, and costs nothing as long as nothing
// is.
package retract
