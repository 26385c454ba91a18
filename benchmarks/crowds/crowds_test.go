//go:build unix

package crowds_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// crowd returns a swarm of n agents, of which the first proposes. All vote, evenly divided,
// and hear all votes, so that no decision falls before all agents have heard all votes.
func crowd(tb testing.TB, n int) *swarm.Swarm {
	tb.Helper()
	var team []*agents.Agent
	for i := range n {
		stance := []signals.Stance{signals.Agree, signals.Disagree}[i%2]
		team = append(team, &agents.Agent{ID: fmt.Sprint("a", i), Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			switch {
			case t.Round == 1 && i == 0:
				return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "p", Content: "do it"}))
			case t.Round == 2 && i > 0:
				return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Vote{ProposalID: "p", Stance: stance, Weight: 1}))
			}
			return agents.Emit()
		})})
	}
	s, err := swarm.New(swarm.Options{Agents: team, Limits: swarm.Limits{Signals: 2*n + 10, Deadline: time.Hour}, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Shutdown(context.Background()) })
	return s
}

// solveAll lets swarms solve a task at once, and returns how many signals were delivered.
func solveAll(tb testing.TB, all []*swarm.Swarm) (delivered int) {
	tb.Helper()
	var wg sync.WaitGroup
	results := make([]*solves.Result, len(all))
	for i, s := range all {
		wg.Go(func() {
			r, err := s.Solve(context.Background(), signals.Task{Task: "?"})
			if err == nil {
				results[i] = r
			}
		})
	}
	wg.Wait()
	for _, r := range results {
		if r == nil {
			tb.Fatal("a solve failed")
		}
		delivered += int(r.Account.Delivered)
	}
	return delivered
}

// processor returns the processor time of the process.
func processor(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// held returns the bytes that a solve holds for each agent when all have heard all votes.
func held(tb testing.TB, n int) float64 {
	tb.Helper()
	heap := func() uint64 {
		runtime.GC()
		runtime.GC() // what became garbage during the first
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most := heap(), uint64(0)
	for e, err := range crowd(tb, n).Stream(context.Background(), signals.Task{Task: "?"}) {
		if err != nil {
			tb.Fatal(err)
		}
		switch e.(type) {
		case solves.RoundStarted, solves.Stopped:
			most = max(most, heap())
		}
	}
	return float64(most-before) / float64(n)
}

func crowds(tb testing.TB, swarms, n int) (all []*swarm.Swarm) {
	tb.Helper()
	for range swarms {
		all = append(all, crowd(tb, n))
	}
	return all
}

func measure(b *testing.B, swarms, n int) {
	all := crowds(b, swarms, n)
	delivered, began := 0, processor(b)
	for b.Loop() {
		delivered += solveAll(b, all)
	}
	b.ReportMetric(float64((processor(b)-began).Nanoseconds())/float64(delivered), "cpu-ns/delivered")
	b.ReportMetric(float64(delivered)/float64(b.N), "delivered/op")
}

func BenchmarkOneSolveOf1000(b *testing.B) {
	measure(b, 1, 1000)
	b.ReportMetric(held(b, 1000), "B/agent")
}

func Benchmark50SolvesOf200(b *testing.B) { measure(b, 50, 200) }

// cost returns the least processor time of a delivered signal, of some tries.
func cost(tb testing.TB, swarms, n int) time.Duration {
	tb.Helper()
	all := crowds(tb, swarms, n)
	least := time.Hour
	for range 3 {
		began := processor(tb)
		delivered := solveAll(tb, all)
		least = min(least, (processor(tb)-began)/time.Duration(delivered))
	}
	return least
}

// Each agent hears every signal of every other agent. The cost of a delivery must not grow
// with the team, nor with the number of solves.
func TestADeliveredSignalCostsTheSameInACrowd(t *testing.T) {
	few, many, at := cost(t, 1, 50), cost(t, 1, 200), cost(t, 20, 50)
	t.Logf("of 50: %v, of 200: %v, 20 of 50 at once: %v", few, many, at)
	if many > 3*few/2 || at > 3*few {
		t.Errorf("a delivered signal costs %v in a team of 50, %v in one of 200 and %v in 20 of 50 at once", few, many, at)
	}
}
