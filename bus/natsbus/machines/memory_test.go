package machines_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/signals"
)

// The work is counted in allocations. With twice the facts there were 2.0 times as many, and 4.0
// times when each fact looked at all those before it.
func TestLearningTwiceTheFactsOfAThreadTakesTwiceTheWork(t *testing.T) {
	learn := func(facts int) float64 {
		from := machines.NewRecords()
		for i := range facts {
			h := signals.Header{ID: signals.MustID(fmt.Sprint("s", i)), Seq: uint64(i) + 1, Source: "ann", Thread: "t", Time: time.Unix(int64(i), 0), Confidence: 1}
			from.Fold(signals.New(h, signals.Discovery{Finding: fmt.Sprintf("port %d is open", i), Relevance: 1}))
		}
		return testing.AllocsPerRun(1, func() {
			store := &memorytest.Twin{}
			pool, err := memory.New(memory.Options{Store: store})
			if err != nil {
				t.Fatal(err)
			}
			m, err := machines.NewMemory(pool, from)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Learn(t.Context()); err != nil {
				t.Fatal(err)
			}
			if known, err := store.Linked(t.Context(), "ann"); err != nil || len(known) != facts {
				t.Fatalf("learned %d of %d, %v", len(known), facts, err)
			}
		})
	}
	few, many := learn(300), learn(600)
	t.Logf("%.0f allocations, then %.0f: %.2f times", few, many, many/few)
	if many > 2.5*few {
		t.Errorf("%.1f times the work with twice the facts", many/few)
	}
}
