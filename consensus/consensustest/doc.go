// Package consensustest is the contract of a [consensus.Strategy] as a test suite: a strategy that
// passes [TestStrategy] can be used wherever the built-in ones can.
//
//	func TestVeto(t *testing.T) {
//		consensustest.TestStrategy(t, Veto{}, 1)
//	}
//
// The rules are those in the documentation of package consensus. Ballots are drawn from the seed, so
// failures are reproducible; each message names the rule and shows the ballots. The suite is tested
// itself: this package's own tests plant bugs in strategies and rounds, and each is found.
//
// A strategy that by design cannot keep a rule declares an [Exception], which
// the suite checks too.
//
// [TestRound] does the same for implementations that decide vote by vote, like
// [consensus.Round].
package consensustest
