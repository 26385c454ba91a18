package otel_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// TestEvaluationIsRecordedWhenItChangesTheDecision has a team whose decision
// changes twice, among many evaluations that do not change it.
func TestEvaluationIsRecordedWhenItChangesTheDecision(t *testing.T) {
	r := newTrace(t, otel.Options{})
	talks := []*agents.Agent{proposer("p", "a")}
	for _, id := range []string{"h", "i", "j", "k"} {
		talks = append(talks, agent(id, signals.KindProposal, signals.New(signals.Header{}, signals.Discovery{Finding: "x"})))
	}
	for range 2 { // the second solve has rows of its own
		r.solve(t, swarm.Options{Agents: append(talks, voter("v", "a"), voter("w", "a")), Quorum: 2})
	}
	var reasons []string
	for _, s := range r.spans(t) {
		if strings.HasPrefix(s.Name, "evaluate_consensus") {
			reasons = append(reasons, s.Attributes["swarmbus.reason"])
		}
	}
	want := []string{"open: no one has voted; the quorum is 2", "open: 1 has voted; the quorum is 2", `reached "a": 2 of 2 agree, all of the weight; 70 % is needed; 2 voted, the quorum is 2; 91 % that it is right, by the votes alone`}
	if !slices.Equal(reasons, append(want, want...)) {
		t.Errorf("got %q, want each of %q once in each solve", reasons, want)
	}
}

// TestEvaluationOutsideOfASolveIsRecorded has a caller who evaluates alike
// twice.
func TestEvaluationOutsideOfASolveIsRecorded(t *testing.T) {
	r := newTrace(t, otel.Options{})
	for range 2 {
		_, end := hooks.Start(hooks.With(t.Context(), r), hooks.Op{Name: hooks.OpConsensus, Target: "majority"})
		end(nil, nil)
	}
	if n := len(r.spans(t)); n != 2 {
		t.Errorf("got %d spans, want 2", n)
	}
}

// TestNoReaderIsBlamedForTheRound has an agent that holds up a round, after which
// all agents hear the proposal.
func TestNoReaderIsBlamedForTheRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		snail := agent("snail", signals.KindTask)
		snail.CanEmit = []signals.Kind{signals.KindDiscovery}
		snail.Reactor = agents.Each(func(context.Context, signals.Any) seq {
			time.Sleep(time.Second)
			return agents.Emit()
		})
		r.solve(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a"), voter("v", "a"), voter("w", "a"), snail}})
		about := named(t, r, "publish proposal").Attributes
		if about["swarmbus.deliveries.slowest"] != "1" || about["swarmbus.deliveries.slowest_reader"] != "" {
			t.Errorf("got %v, want that it took a second, and nobody's name", about)
		}
	})
}

// TestSwarmsOfOnePipelineAreDistinguished has two swarms with one seed.
func TestSwarmsOfOnePipelineAreDistinguished(t *testing.T) {
	r := newTrace(t, otel.Options{})
	for _, name := range []string{"left", "right"} {
		r.solve(t, swarm.Options{Name: name, Agents: team()})
	}
	names := map[string]string{}
	spans := r.spans(t)
	for _, s := range spans {
		if strings.HasPrefix(s.Name, "invoke_workflow ") {
			names[s.Trace] = s.Attributes["gen_ai.workflow.name"]
		}
	}
	published := 0
	for _, s := range spans {
		if s.Kind == "PRODUCER" {
			published++
			if got := s.Attributes["gen_ai.workflow.name"]; got == "" || got != names[s.Trace] {
				t.Errorf("%s: got swarm %q, want %q", s.Name, got, names[s.Trace])
			}
		}
	}
	if len(names) != 2 || published == 0 {
		t.Errorf("got swarms %v with %d publishes, want two", names, published)
	}
}

// TestCallOfATurnNamesItsAgent has an agent that calls a tool that calls a
// model.
func TestCallOfATurnNamesItsAgent(t *testing.T) {
	r := newTrace(t, otel.Options{})
	asks := agent("asks", signals.KindTask)
	asks.Reactor = agents.Each(func(ctx context.Context, _ signals.Any) seq {
		ctx, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpTool, Target: "grep"})
		_, ended := hooks.Start(ctx, hooks.Op{Name: hooks.OpModel, Target: "large"})
		ended(nil, nil)
		end(nil, nil)
		return agents.Emit()
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{asks}})
	for _, name := range []string{"execute_tool grep", "chat large"} {
		about := named(t, r, name).Attributes
		if about["gen_ai.agent.name"] != "asks" || about["swarmbus.round"] != "1" || about["swarmbus.thread"] != "solve-00000001-1" {
			t.Errorf("%s: got %v, want whose it is", name, about)
		}
	}
}
