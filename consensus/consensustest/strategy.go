// Package consensustest is the contract of a consensus.Strategy as a test suite.
package consensustest

import (
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// Reporter is what the suite needs of a test; *testing.T is one.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// TestStrategy checks that a strategy keeps every rule of package consensus, one subtest per rule, on
// ballots drawn from the seed, and that a [consensus.Round] of it decides as it does.
func TestStrategy(t *testing.T, s consensus.Strategy, seed uint64) {
}
