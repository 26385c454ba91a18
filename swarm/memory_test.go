package swarm_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// finder finds something in its first turn.
func finder(id, group, finding string) *agents.Agent {
	return &agents.Agent{
		ID: id, Group: group, CanEmit: []signals.Kind{signals.KindDiscovery},
		Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
			if t.Round > 1 {
				return agents.Emit()
			}
			return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: finding, Relevance: 1}))
		}),
	}
}

// recaller proposes the facts that it hears in the first round, and nothing afterwards.
func recaller() *agents.Agent {
	return &agents.Agent{ID: "planner", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
		for _, s := range t.New {
			if m, ok := signals.As[signals.Memory](s); ok && t.Round == 1 {
				return agents.Emit(agents.Propose("p", m.Payload.Content, 1, "it was so before"), agents.Agree("p", 1, "it was so before"))
			}
		}
		return agents.Emit()
	})}
}

func newPool(t *testing.T, s memory.Store) *memory.Pool {
	t.Helper()
	p, err := memory.New(memory.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSolveRemembersWhatEarlierOnesFound(t *testing.T) {
	store := &memorytest.Twin{}
	pool := newPool(t, store)
	work := func(m swarm.Memory, o swarm.Options) *swarm.Swarm {
		o.Agents, o.Memory, o.Quorum = []*agents.Agent{finder("ada", "one", "the task is done by x"), finder("bob", "two", "The task is done by X."), recaller()}, m, 1
		return startOn(t, o)
	}
	first := solve(t, work(pool, swarm.Options{}))
	if first.Stop == runlog.StopConsensus {
		t.Fatalf("decided without knowing anything: %v", first.Answer)
	}
	tape := new(journal.Memory)
	second := solve(t, work(pool, swarm.Options{Journal: tape}))
	if second.Stop != runlog.StopConsensus || second.Answer != "the task is done by x" {
		t.Fatalf("%v %q: %s", second.Stop, second.Answer, second.Detail)
	}
	got := sources(second.Log)[:2]
	if diff := cmp.Diff([]string{"system task:new", "system memory:shared"}, got); diff != "" {
		t.Error(diff)
	}
	recalled, _ := signals.As[signals.Memory](second.Log[1])
	if o := recalled.Payload.Origin; o.State != "confirmed" || o.Source != "ada" || o.Group != "one" || o.Thread != first.Thread {
		t.Errorf("recalled with %+v", o)
	}
	// What was recalled is in the log: it derives, and continues, without the store.
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := replayed(t, tape); err != nil {
		t.Error(err)
	}
	if again := solve(t, work(nil, swarm.Options{})); again.Stop == runlog.StopConsensus {
		t.Errorf("decided without a memory: %v", again.Answer)
	}
	cut := slices.IndexFunc(second.Log, func(s signals.Any) bool { return s.Kind() == signals.KindDiscovery })
	other := work(nil, swarm.Options{})
	r, err := other.Resume(t.Context(), second.Log[:cut], nil)
	if err != nil || r.Stop != runlog.StopConsensus || r.Answer != second.Answer {
		t.Errorf("continued without the memory: %v, %v", r, err)
	}
}

func TestAgentsOfOneGroupDoNotConfirmEachOther(t *testing.T) {
	for group, want := range map[string]int{"one": 0, "two": 1} {
		pool := newPool(t, &memorytest.Twin{})
		solve(t, startOn(t, swarm.Options{Agents: []*agents.Agent{finder("ada", "one", "the task x"), finder("bob", group, "the task x")}, Memory: pool}))
		known, err := pool.Brief(t.Context(), signals.Task{Task: "the task x"})
		if err != nil || len(known) != want {
			t.Errorf("ada of one and bob of %s: %d confirmed, %v, want %d", group, len(known), err, want)
		}
	}
}

func TestSolveThatContinuesGivesTheMemoryWhatItMissed(t *testing.T) {
	team := []*agents.Agent{finder("ada", "", "the task x"), finder("bob", "", "the task x")}
	before := solve(t, startOn(t, swarm.Options{Agents: team}))
	cut := slices.IndexFunc(before.Log, func(s signals.Any) bool { return s.Kind() == signals.KindDiscovery })
	pool := newPool(t, &memorytest.Twin{})
	s := startOn(t, swarm.Options{Agents: team, Memory: pool})
	if _, err := s.Resume(t.Context(), before.Log[:cut+1], nil); err != nil {
		t.Fatal(err)
	}
	if known, err := pool.Brief(t.Context(), signals.Task{Task: "the task x"}); err != nil || len(known) != 1 {
		t.Errorf("%v, %v", known, err)
	}
}

// A brief is what a solve begins with.
type brief []string

func (b brief) Brief(context.Context, signals.Task) (all []signals.Any, err error) {
	for _, content := range b {
		all = append(all, signals.New(signals.Header{Confidence: 1}, signals.Memory{Content: content, Category: "c", Importance: 1}))
	}
	return all, nil
}

func (brief) Keep(context.Context, []signals.Any, string) error { return nil }

func TestSolveThatIsCutWhileItRecallsRecallsTheRest(t *testing.T) {
	team := []*agents.Agent{finder("ada", "", "x")}
	whole := solve(t, startOn(t, swarm.Options{Agents: team, Memory: brief{"one", "two"}})).Log
	for cut := 1; cut <= len(whole); cut++ {
		s := startOn(t, swarm.Options{Agents: team, Memory: brief{"one", "two"}})
		r, err := s.Resume(t.Context(), whole[:cut], nil)
		if err != nil {
			t.Fatal(err)
		}
		var recalled []string
		for _, s := range r.Log {
			if m, ok := signals.As[signals.Memory](s); ok {
				recalled = append(recalled, m.Payload.Content)
			}
		}
		if diff := cmp.Diff([]string{"one", "two"}, recalled); diff != "" {
			t.Errorf("cut after %d of %d signals: %s", cut, len(whole), diff)
		}
	}
}

// A broken memory fails at what it is asked to.
type broken struct{ brief, keep error }

func (b broken) Brief(context.Context, signals.Task) ([]signals.Any, error) { return nil, b.brief }

func (b broken) Keep(context.Context, []signals.Any, string) error { return b.keep }

func TestMemoryThatFailsEndsTheSolve(t *testing.T) {
	problem := errors.New("disk full")
	for name, m := range map[string]broken{"brief": {brief: problem}, "keep": {keep: problem}} {
		r, err := startOn(t, swarm.Options{Agents: []*agents.Agent{finder("ada", "", "x")}, Memory: m}).Solve(t.Context(), signals.Task{Task: "x"})
		if !errors.Is(err, problem) || r.Stop != runlog.StopError {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}
