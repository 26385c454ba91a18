// Package consensustest is the contract of a [consensus.Strategy] as a test suite: whoever writes a
// strategy calls [TestStrategy] and knows that it can be used wherever the built-in ones are.
//
//	func TestVeto(t *testing.T) {
//		consensustest.TestStrategy(t, Veto{}, 1)
//	}
//
// The rules are those in the documentation of package consensus. Ballots are drawn from the seed, so a
// failure comes again; each message names the rule and shows the ballots. A suite that accepts everything
// proves nothing: this package's own tests plant bugs in strategies and rounds, and each is rejected.
//
// A strategy that cannot keep a rule by its nature says so with an [Exception], which the suite checks too.
//
// [TestRound] does the same for something that decides vote by vote, as [consensus.Round] does.
package consensustest
