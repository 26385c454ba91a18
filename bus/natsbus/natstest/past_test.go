package natstest_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/machines"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// What the history of the bus has forgotten, wholly or in part, is decided nevertheless, and
// its thread is not used again.
func TestSolvesDoNotDependOnWhatTheHistoryHolds(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	first := joinSolving(t, url, "first")
	want, err := solve(soon(t), first, team(nil))
	if err != nil {
		t.Fatal(err)
	}
	p := agent(t, first.Log, "noisy")
	for n := range 20 {
		must(t, p, found("another thread", fmt.Sprint(n)))
	}
	for _, history := range []int{24, 8} { // the solve's beginning is out of it, or all of the solve
		late := joinSolvingAs(t, natsbus.Options{URL: url, Process: fmt.Sprint("late-", history), Bus: bus.Options{History: history}})
		var turns atomic.Int64
		think := func(context.Context, string, int) error { turns.Add(1); return nil }
		got, err := solve(soon(t), late, team(think))
		if err != nil || got.Thread != want.Thread || got.Answer != want.Answer || turns.Load() != 0 {
			t.Errorf("history of %d: got %+v, %v, after %d turns; want %q in %s", history, got, err, turns.Load(), want.Answer, want.Thread)
		}
		got, err = late.solve(soon(t), team(nil), signals.Task{Task: fmt.Sprint("another task ", history)})
		if err != nil || got.Stop != runlog.StopConsensus || got.Thread == want.Thread {
			t.Errorf("history of %d: another task: %+v, %v", history, got, err)
		}
	}
}

// Drive needs the records of its own log.
func TestDriverWithoutTheRecordsOfItsLogIsRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease})
	must(t, agent(t, l, "a"), found("t", "x"))
	if _, err := solve(soon(t), solving{l, machines.NewRecords()}, team(nil)); err == nil || !strings.Contains(err.Error(), "Records.Digest") {
		t.Errorf("records of nothing: %v", err)
	}
}
