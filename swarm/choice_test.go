package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/choice"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// strategist proposes what its strategy says.
func strategist(t *testing.T) (*agents.Agent, *choice.Sampler) {
	t.Helper()
	s, err := choice.New("right", "wrong")
	if err != nil {
		t.Fatal(err)
	}
	return &agents.Agent{
		ID: "ada", Listens: []signals.Kind{signals.KindTask}, Strategies: s,
		Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			return agents.Emit(propose(turn.Strategy, "do what is "+turn.Strategy), vote(turn.Strategy, yes, 1))
		}),
	}, s
}

func TestStrategiesLearnFromOutcomes(t *testing.T) {
	run := func() (chosen []string) {
		ada, sampler := strategist(t)
		s := newSwarm(t, swarm.Options{Seed: 5, Agents: []*agents.Agent{ada, voter("v", map[string]signals.Stance{"right": yes, "wrong": yes})}})
		for range 40 {
			r := solve(t, s)
			if len(r.Chosen) != 1 || r.Chosen[0].Agent != "ada" || r.Chosen[0].Round != 1 {
				t.Fatalf("chosen %+v", r.Chosen)
			}
			right := "right"
			if r.Chosen[0].Strategy == "wrong" {
				right = "" // the right answer was not proposed
			}
			for range 2 { // a repeated outcome teaches nothing new
				if err := s.RecordOutcome(r, right); err != nil {
					t.Fatal(err)
				}
			}
			chosen = append(chosen, r.Chosen[0].Strategy)
		}
		for _, a := range sampler.Arms() {
			gains, losses := 40, 0
			if a.Name == "wrong" {
				gains, losses = 0, 40
			}
			if a.Gains > float64(gains) || a.Losses > float64(losses) || a.Gains+a.Losses == 0 {
				t.Errorf("%+v", a)
			}
		}
		return chosen
	}
	first := run()
	if n := len(slices.DeleteFunc(slices.Clone(first[20:]), func(s string) bool { return s == "wrong" })); n < 18 {
		t.Errorf("after 20 tasks the right strategy was chosen %d times of 20", n)
	}
	if diff := cmp.Diff(first, run()); diff != "" {
		t.Errorf("the same seed chooses otherwise: %s", diff)
	}
}

// Strategies learn without a ledger too, and from what is right alone.
func TestStrategiesLearnWithoutALedger(t *testing.T) {
	ada, sampler := strategist(t)
	s := newSwarm(t, swarm.Options{Seed: 5, Strategy: consensus.Voting{}, Agents: []*agents.Agent{ada}})
	r := solve(t, s)
	var field *signals.FieldError
	if err := s.RecordOutcome(r, "what nobody said"); !errors.As(err, &field) {
		t.Errorf("got %v", err)
	}
	if err := s.RecordOutcome(r, r.Chosen[0].Strategy); err != nil {
		t.Fatal(err)
	}
	for _, a := range sampler.Arms() {
		if chosen := a.Name == r.Chosen[0].Strategy; chosen && a.Gains != 1 || !chosen && a.Gains+a.Losses != 0 {
			t.Errorf("%+v", a)
		}
	}
}

// An agent that takes in two signals a turn hears all of them in the end, what
// matters most first.
func TestAttentionSpreadsNewSignalsOverTurns(t *testing.T) {
	var heard [][]string
	reader := &agents.Agent{
		ID: "reader", Listens: []signals.Kind{signals.KindDiscovery}, Attention: 2,
		Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			var names []string
			for _, s := range turn.New {
				names = append(names, s.Body().(signals.Discovery).Finding)
			}
			heard = append(heard, names)
			return agents.Emit()
		}),
	}
	finder := &agents.Agent{
		ID: "finder", Listens: []signals.Kind{signals.KindTask},
		Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
			var all []signals.Any
			for i, relevance := range []float64{0.1, 0.9, 0.2, 0.8, 0.7} {
				all = append(all, signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint(i), Relevance: relevance}))
			}
			return agents.Emit(all...)
		}),
	}
	solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{finder, reader}}))
	if diff := cmp.Diff([][]string{{"1", "3"}, {"2", "4"}, {"0"}}, heard); diff != "" {
		t.Error(diff)
	}
}

// A strategy gets the part of what was said in its own turns that was right:
// also a no to what is wrong, and not what was said in other turns.
func TestStrategiesAreWorthWhatWasRightInTheirTurns(t *testing.T) {
	sampler, err := choice.New("only")
	if err != nil {
		t.Fatal(err)
	}
	ada := &agents.Agent{ID: "ada", Strategies: sampler, Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
		switch turn.Round {
		case 1:
			return agents.Emit(propose("a", "do a"), propose("b", "do b")) // half is right
		case 2:
			return agents.Emit(vote("a", yes, 1), vote("b", no, 1), vote("b", pass, 1)) // all of it
		case 3:
			return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: "neither"})) // nothing to judge
		default:
			return agents.Emit()
		}
	})}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{ada, echo("e", 4)}, Quorum: 2})
	r := solve(t, s)
	if err := s.RecordOutcome(r, "a"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]choice.Arm{{Name: "only", Gains: 1.5, Losses: 0.5}}, sampler.Arms()); diff != "" {
		t.Error(diff)
	}
}

// Of two findings as relevant, the one is heard first whose source has been right
// more often in the solves before.
func TestAttentionGoesToThoseWithTheBetterRecord(t *testing.T) {
	finds := func(id string, s signals.Stance) *agents.Agent {
		return reacts(id, func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round == 1 {
				return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: id, Relevance: 0.5}))
			}
			if p, ok := turn.Standing("a"); ok && p.VoteOf(id) == nil {
				return agents.Emit(vote("a", s, 1))
			}
			return agents.Emit()
		})
	}
	var first []string
	reader := &agents.Agent{
		ID: "reader", Listens: []signals.Kind{signals.KindDiscovery}, Attention: 1,
		Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			if len(turn.Heard) == 0 {
				first = append(first, turn.New[0].Head().Source)
			}
			return agents.Emit()
		}),
	}
	s := newSwarm(t, swarm.Options{Seed: 3, Agents: []*agents.Agent{
		finds("bad", no), finds("good", yes), proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}),
		voter("w", map[string]signals.Stance{"a": yes}), reader,
	}})
	for range 30 {
		if err := s.RecordOutcome(solve(t, s), "a"); err != nil {
			t.Fatal(err)
		}
	}
	if first[0] != "bad" || first[len(first)-1] != "good" {
		t.Errorf("heard first, solve by solve: %v", first)
	}
}

// A low-relevance signal is eventually heard, even if more relevant ones keep coming in.
func TestASignalThatWaitsForAttentionGainsRank(t *testing.T) {
	found := func(name string, relevance float64) signals.Any {
		return signals.New(signals.Header{}, signals.Discovery{Finding: name, Relevance: relevance})
	}
	finder := reacts("finder", func(_ context.Context, turn *agents.Turn) seq {
		switch {
		case turn.Round == 1:
			return agents.Emit(found("dull", 0), found("bright", 0.9))
		case turn.Round < 6:
			return agents.Emit(found("bright", 0.9))
		default:
			return agents.Emit()
		}
	})
	var heard []string
	reader := &agents.Agent{
		ID: "reader", Listens: []signals.Kind{signals.KindDiscovery}, Attention: 1,
		Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			heard = append(heard, turn.New[0].Body().(signals.Discovery).Finding)
			return agents.Emit()
		}),
	}
	solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{finder, echo("e", 6), reader}}))
	if at := slices.Index(heard, "dull"); at != 1 {
		t.Errorf("heard %v, want dull second: after one turn it goes before what is new", heard)
	}
}
