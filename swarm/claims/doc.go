// Package claims says what the answer of a solve stands on.
//
//	g := claims.Of(result.Log, result.Proposals)
//	for _, c := range g.Cases() {
//		fmt.Println(c.Proposal.Proposal, len(c.For), len(c.Against))
//	}
//	effect, err := g.Without(finding)
//
// A [Graph] is made of the signals of a thread that claim something: findings
// (discoveries, shared facts and results of tools), doubts, challenges, proposals, and
// the newest vote of each voter on each proposal. Equal proposals are one claim.
//
// # Links
//
// A claim rests on another, or speaks against it, where the log says so:
//
//   - a vote is for or against its proposal; a doubt and a challenge are against their target;
//   - what replies to a finding, or has its id as a word of its text, rests on it;
//   - a finding that replies to a proposal or cites it is for it, unless its source votes
//     against the proposal: then it is against it;
//   - what an agent says after a result of a tool that it triggered in the same round rests on the
//     result.
//
// A vote that rests on nothing so is linked with what its source had found before. Such a
// link is weak: it says what the voter knew, not why it voted so.
//
// # What was checked
//
// [Checks] says which votes rest on what a tool returned, or on a discovery that a second source
// confirms by what a tool returned to it, that their voters had not heard before: of what a voter votes after
// its first ballot, a swarm counts only that.
//
// # What falls
//
// A claim falls with what it rests on: if it rests on claims by links that are not weak,
// and all of them have fallen. If some have, it is weakened. [Graph.Without] says what
// falls if claims are retracted.
//
// [Graph.Assume] says which claims fall if a claim is made true (an
// intervention: Pearl, Causality, 2nd ed. 2009, section 3.2). The claim then stands
// whatever it rested on, and a claim of level "correlation" no longer rests on it: that two
// things were observed together says nothing about what happens when one of them is made.
// Claims that state another level, or none, go on resting on it.
//
// What the log takes back (a retraction) has fallen from the beginning: no [Case] has it,
// and [Graph.Retracted] says what fell with it. The graph decides nothing; package runlog
// does not count votes that fall so.
//
// # The answer as a text
//
// A [Brief] says what was decided and what it stands on, the dissent with its strongest
// reason, the conflicts that are open, and what would change it. Each sentence that claims
// something ends with the places in the log that it is from, such as [12]. [Brief.Text] is a
// template, a function of the log. A [Writer], such as a model (teams.WriterBy), may say it
// better: its text is used if it cites the log as well ([Brief.Check]), and is recorded
// ([Written]), so that a log that is read, replayed or resumed has it without another call.
// Otherwise the template is recorded, with the reason.
package claims
