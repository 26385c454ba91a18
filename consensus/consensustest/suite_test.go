package consensustest_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

func TestBuiltinStrategiesKeepTheRules(t *testing.T) {
	five := consensus.Builtin()
	for _, s := range append(
		five,
		consensus.Any(five[0], five[1], five[3]),
		consensus.All(five...),
		consensus.Fallback(five[1], five[3]),
		consensus.Grouped{},
	) {
		t.Run(s.Name(), func(t *testing.T) {
			for seed := range uint64(2) {
				consensustest.TestStrategy(t, s, seed)
			}
		})
	}
}
