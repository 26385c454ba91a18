package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// What the history of the bus has forgotten, wholly or in part, is decided nevertheless, and
// its thread is not used again.
func TestSolvesDoNotDependOnTheHistorysSize(t *testing.T) {
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

// Whoever asks again gets the whole log, and what it says was decided, once: the solve that
// was cut off goes on behind what is in the log.
func TestTaskThatIsAskedAgainHasThePastFirst(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := joinSolving(t, url, "driver")
	ask := func(until int) (past *solves.Result, said []uint64, rounds int, last *solves.Result) {
		for e, err := range machines.Drive(soon(t), l.Log, l.past, swarm.Options{Agents: team(nil), Seed: 7}, task) {
			switch e := e.(type) {
			case solves.Started:
				past = e.Past
			case solves.RoundStarted:
				rounds++
			case solves.Spoke:
				said = append(said, e.Signal.Head().Seq)
			case solves.Stopped:
				last = e.Result
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(said) == until {
				break
			}
		}
		return past, said, rounds, last
	}
	past, first, _, _ := ask(5)
	if past != nil {
		t.Errorf("the first one has a past: %+v", past)
	}
	past, whole, rounds, result := ask(-1)
	if past == nil || past.Stop == runlog.StopConsensus || len(past.Log) < 5 {
		t.Fatalf("a solve that was cut off has the past %+v", past)
	}
	if result.Stop != runlog.StopConsensus || !slices.Equal(first, whole[:5]) || !slices.IsSorted(whole) || len(slices.Compact(slices.Clone(whole))) != len(whole) || len(whole) != len(result.Log) || rounds < 2 {
		t.Errorf("signals %v, then %v of %d, %d rounds: %v %s", first, whole, len(result.Log), rounds, result.Stop, result.Detail)
	}
	past, again, roundsAgain, decided := ask(-1)
	if past == nil || past.Stop != runlog.StopConsensus || decided != past {
		t.Fatalf("a decided solve has the past %+v and the result %+v", past, decided)
	}
	if !slices.Equal(again, whole) || roundsAgain != 2 || decided.Answer != result.Answer || decided.Turns.Taken != 0 {
		t.Errorf("signals %v, want %v; %d rounds, %q", again, whole, roundsAgain, decided.Answer)
	}
}

// A task is decided once in a log: whoever asks it by other terms is told, and by which.
func TestTaskThatIsInTheLogByOtherTermsIsRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := joinSolving(t, url, "driver")
	again := func(o swarm.Options, of signals.Task) (last solves.Event, err error) {
		if o.Seed = 7; o.Agents == nil {
			o.Agents = team(nil)
		}
		for e, err := range machines.Drive(soon(t), l.Log, l.past, o, of) {
			if err != nil {
				return nil, err
			}
			last = e
		}
		return last, nil
	}
	other, renamed := signals.Task{Task: "Which mode?"}, team(nil)
	renamed[2].ID = "dan"
	for _, first := range []func() (solves.Event, error){
		func() (solves.Event, error) { return again(swarm.Options{Threshold: 0.6, Quorum: 2}, task) },
		func() (solves.Event, error) {
			return again(swarm.Options{Mode: mode.Single, Limits: swarm.Limits{Calls: 5}}, other)
		},
	} {
		if _, err := first(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		of              signals.Task
		o               swarm.Options
		term, was, asks string
	}{
		{task, swarm.Options{Threshold: 0.6, Quorum: 2}, "", "", ""},
		{task, swarm.Options{Threshold: 0.6}, "", "", ""},
		{task, swarm.Options{}, "threshold", "0.6", "0.7"},
		{task, swarm.Options{Threshold: 0.6, Agents: renamed}, "team", "[ann bob cyn]", "[ann bob dan]"},
		{task, swarm.Options{Threshold: 0.6, Agents: team(nil)[:2]}, "team", "[ann bob cyn]", "[ann bob]"},
		{task, swarm.Options{Threshold: 0.6, Quorum: 3}, "quorum", "2", "3"},
		{task, swarm.Options{Threshold: 0.6, Strategy: consensus.Voting{}}, "strategy", "confidence", "voting"},
		{task, swarm.Options{Threshold: 0.6, Mode: mode.Auto}, "mode", "deliberate", "auto"},
		{other, swarm.Options{Mode: mode.Single}, "", "", ""},
		{other, swarm.Options{Mode: mode.Auto}, "", "", ""},
		{other, swarm.Options{Mode: mode.Vote}, "mode", "single", "vote"},
		{other, swarm.Options{Mode: mode.Single, Threshold: 0.6}, "threshold", "1e-09", "0.6"},
		{other, swarm.Options{Mode: mode.Single, Limits: swarm.Limits{Calls: 9}}, "calls", "5", "9"},
		{other, swarm.Options{}, "mode", "single", "deliberate"},
	} {
		_, err := again(c.o, c.of)
		var differs *machines.TermsError
		switch refused := errors.As(err, &differs); {
		case c.term == "" && err != nil:
			t.Errorf("the same terms: %v", err)
		case c.term != "" && (!refused || differs.Term != c.term || !strings.Contains(differs.Was, c.was) || !strings.Contains(differs.Asked, c.asks)):
			t.Errorf("%s %s, then %s: %v", c.term, c.was, c.asks, err)
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
