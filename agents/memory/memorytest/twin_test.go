package memorytest_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
)

func TestTwinIsAStore(t *testing.T) {
	t.Parallel()
	memorytest.TestStore(t, memorytest.Maker{
		New:   func(testing.TB) memory.Store { return &memorytest.Twin{} },
		Other: func(_ testing.TB, s memory.Store) memory.Store { return s },
	})
}
