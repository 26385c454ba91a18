package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// called are a team whose agents have names of their own: they propose, vote and coordinate.
func called(name string) []*agents.Agent {
	stances := map[string]signals.Stance{"a": yes, "b": no}
	return []*agents.Agent{
		proposer(name+"-p", "a", "do a"), proposer(name+"-q", "b", "do b"), voter(name+"-v", stances), voter(name+"-w", stances),
		{ID: name + "-n", Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round > 1 {
				return agents.Emit()
			}
			return agents.Emit(coordination.Draft(coordination.Note{Class: coordination.AttentionRaise, Audience: coordination.All, Summary: name}))
		})},
	}
}

// Signals of two buses have no order, so that a journal of both could not be read: two teams have one
// audit journal one after the other.
func TestAJournalThatAnotherSwarmWritesIsRefused(t *testing.T) {
	t.Parallel()
	const each = 5
	b, err := bus.New(&bus.Options{Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	audit := new(journal.Memory)
	for i, name := range []string{"red", "blue"} {
		s, err := swarm.New(swarm.Options{Agents: called(name), Journal: audit, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for of, shared := range map[string]*bus.Bus{"its own bus": nil, "a bus": b} {
			other, err := swarm.New(swarm.Options{Agents: called("green"), Bus: shared, Journal: audit})
			if err == nil {
				other.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "give each swarm a journal of its own") {
				t.Errorf("a second swarm with %s: %v", of, err)
			}
		}
		for n := range each {
			if r, err := s.Solve(t.Context(), signals.Task{Task: fmt.Sprint(n)}); err != nil || r.Answer != "do a" {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, err := solves.List(audit)
		if err != nil || len(all) != (i+1)*each {
			t.Errorf("%d solves, %v", len(all), err)
		}
		derives(t, audit)
	}
}

// Two teams that are on one bus at once, with agents of the same names and one seed, and layers of the program that
// coordinate in their threads, have one audit journal: that of a writer on the bus, or of one of the teams. Both
// can be read; what a second swarm with a journal decided could not be derived.
func TestTeamsOnOneBusHaveOneAuditJournal(t *testing.T) {
	t.Parallel()
	const each = 5
	b, err := bus.New(&bus.Options{Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	audit, own := new(journal.Memory), new(journal.Memory)
	w, err := journal.Attach(t.Context(), b, audit, codec)
	if err != nil {
		t.Fatal(err)
	}
	red, err := swarm.New(swarm.Options{Agents: called("red"), Bus: b, Seed: 7, Journal: own})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := swarm.New(swarm.Options{Agents: called("red"), Bus: b, Journal: new(journal.Memory)}); err == nil || !strings.Contains(err.Error(), "give each swarm a bus of its own") {
		t.Errorf("a second journal of the bus: %v", err)
	}
	blue, err := swarm.New(swarm.Options{Agents: called("red"), Bus: b, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	var solving sync.WaitGroup
	for name, s := range map[string]*swarm.Swarm{"main": red, "swarm": blue} {
		beside, err := connectivity.New(b, &connectivity.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		solving.Go(func() {
			for n := range each {
				if err := besideLayer(t, s, beside, fmt.Sprint(name, n)); err != nil {
					t.Errorf("beside the layer %s: %v", name, err)
				}
			}
		})
	}
	solving.Wait()
	for _, s := range []*swarm.Swarm{red, blue} {
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, j := range map[string]*journal.Memory{"audit": audit, "red": own} {
		all, err := solves.List(j)
		if err != nil || len(all) != 2*each {
			t.Errorf("%s: %d solves, %v", name, len(all), err)
		}
		for _, r := range all {
			if strings.HasPrefix(r.Task.Task, "main") && (r.Stop != runlog.StopConsensus || r.Answer != "do a") {
				t.Errorf("%s: %s is recorded as %v %q", name, r.Thread, r.Stop, r.Answer)
			}
		}
		derives(t, j)
		again, err := swarm.New(swarm.Options{Agents: called("red"), Journal: j, Seed: 7})
		if err != nil {
			t.Fatalf("%s is opened again: %v", name, err)
		}
		again.Close()
	}
	again, err := swarm.New(swarm.Options{Agents: called("red"), Bus: b, Journal: own})
	if err != nil {
		t.Fatal("after the first was closed:", err)
	}
	again.Close()
}

// besideLayer solves a task, while a layer of the program emits in its thread.
func besideLayer(t *testing.T, s *swarm.Swarm, beside *connectivity.Layer, task string) error {
	thread := ""
	for e, err := range s.Stream(t.Context(), signals.Task{Task: task}) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case solves.Started:
			thread = e.Thread
		case solves.RoundStarted:
			input := connectivity.Input{Thread: thread, Source: "program", Class: coordination.AttentionRaise, Audience: coordination.All, Summary: fmt.Sprint("round ", e.Round)}
			if _, err := beside.Emit(t.Context(), input); err != nil {
				return err
			}
		case solves.Stopped:
			if e.Result.Answer != "do a" {
				return fmt.Errorf("%v: %s", e.Result.Stop, e.Result.Detail)
			}
		}
	}
	return nil
}

// derives derives all decisions of a journal from it.
func derives(t *testing.T, j journal.Reader) {
	t.Helper()
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := j.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	past, err := replay.New(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer past.Close()
	for s, err := range journal.Signals(j, codec, snapshot.Through) {
		if err == nil {
			err = past.Next(s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
