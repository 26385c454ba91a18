package memory_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/signals"
)

// heard is a log in which few agents say few things, with replies, evidence, facts of the
// system and results of the tool.
func heard(r *rand.Rand, thread, about string, n int) (log []signals.Any) {
	for i := range n {
		h := signals.Header{ID: signals.MustID(fmt.Sprint("s", r.Uint64())), Source: []string{"ann", "bob", "cyd", "system"}[r.IntN(4)], Thread: thread, Time: day, Round: int32(i / 4), Confidence: 1}
		if i > 0 && r.IntN(3) == 0 {
			h.ReplyTo = log[r.IntN(i)].Head().ID
		}
		content := fmt.Sprint(about, " ", r.IntN(3))
		switch r.IntN(4) {
		case 0:
			log = append(log, signals.New(h, signals.ToolResult{ToolName: "recall", Result: fmt.Sprintf(`[{"content": %q}]`, content), TriggeredBy: h.Source}))
		case 1:
			log = append(log, signals.New(h, signals.Memory{Content: content, Category: "c"}))
		default:
			log = append(log, signals.New(h, signals.Discovery{Finding: content, Evidence: []string{"", "seen", "read"}[r.IntN(3)]}))
		}
	}
	return log
}

// A pool reads of a growing log only what is new. It stores what it would if it read all of it,
// also of many logs at once, and of one that is another under the same name.
func TestPoolOfAGrowingLogEqualsThatOfTheWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		var logs [][]signals.Any
		for i := range 70 {
			logs = append(logs, heard(r, fmt.Sprint("t", i), fmt.Sprint("a", i), 12), heard(r, "the same name", fmt.Sprint("b", i), 4+r.IntN(8)))
		}
		got, want := &memorytest.Twin{}, &memorytest.Twin{}
		keeps, reads := pool(t, memory.Options{Store: got}), pool(t, memory.Options{Store: want})
		for n := 1; n <= 12; n++ {
			for _, log := range logs {
				if n > len(log) || r.IntN(4) == 0 { // it is given a log only when that states something
					continue
				}
				if err := keeps.Keep(t.Context(), log[:n], ""); err != nil {
					t.Fatal(err)
				}
				if c, ok := memory.ClaimOf(log[:n], ""); ok {
					remember(t, reads, c)
				}
			}
		}
		for _, source := range []string{"ann", "bob", "cyd"} {
			a, err := got.Linked(t.Context(), source)
			b, err2 := want.Linked(t.Context(), source)
			if err != nil || err2 != nil || len(a) == 0 || !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d: %v, %v: kept %v, want %v", seed, err, err2, a, b)
			}
		}
	}
}
