package consensustest_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

func TestBuiltinStrategiesKeepTheRules(t *testing.T) {
	for _, s := range append(consensus.Builtin(), consensus.Grouped{}) {
		t.Run(s.Name(), func(t *testing.T) {
			for seed := range uint64(2) {
				consensustest.TestStrategy(t, s, seed)
			}
		})
	}
}
