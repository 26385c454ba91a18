package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
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
