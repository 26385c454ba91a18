// Package retract has the signal by which an agent takes back an earlier signal.
//
//	yield(retract.Of(finding.ID, "the sample was from the wrong week"), nil)
//
// A finding (a discovery, a shared fact, a result of a tool), a doubt, a challenge, a
// proposal or a vote can be retracted: by its author, or by the operator, for whom the
// system publishes the retraction. A retraction by another source changes nothing.
//
// A retracted signal stays in the log, and counts as if it had not been published: the
// voter's vote before it counts, a finding supports nothing. A retracted proposal is still
// a choice for agents that vote for it: only its reason is gone, and its author's answer
// where proposals are answers.
//
// An author that publishes a retracted signal again, with the same content, ends its
// retraction. So retracting and stating again changes no decision. Retractions by the
// operator stay.
//
// [Fold] finds the retracted signals of a log. It is pure, and costs nothing as long as
// there are none.
package retract
