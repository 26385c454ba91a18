package swarm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestDeadlineHoldsThoughAnInlineHandlerBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwarm(t, swarm.Options{Limits: swarm.Limits{Deadline: time.Second}, Agents: []*agents.Agent{
			proposer("p", "a", "do a"), voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
		}})
		leave := make(chan struct{})
		defer close(leave)
		_, err := bus.Handle(s.Bus(), bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Proposal]) error {
			<-leave
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
		if took := time.Since(began); took > 1100*time.Millisecond || r.Stop != runlog.StopDeadline {
			t.Errorf("stopped by %v after %v, %v; want the deadline after 1s", r.Stop, took, err)
		}
	})
}

// fragile is a payload whose Check panics.
type fragile struct{}

func (fragile) Kind() signals.Kind             { return "acme.example/fragile" }
func (fragile) Check(signals.Limits) (_ error) { panic("fragile") }

func TestPayloadWhoseCheckPanicsIsRefusedAndTheSolveGoesOn(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		proposer("p", "a", "do a"),
		voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
		{ID: "clumsy", Listens: []signals.Kind{signals.KindTask}, Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
			return agents.Emit(signals.New(signals.Header{}, fragile{}))
		})},
	}})
	var refused []error
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "which one?"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case solves.Refused:
			refused = append(refused, e.Err)
		case solves.Stopped:
			if checkResult(t, e.Result); e.Result.Stop != runlog.StopConsensus {
				t.Errorf("stopped by %v, want consensus", e.Result.Stop)
			}
		}
	}
	var field *signals.FieldError
	if len(refused) != 1 || !errors.As(refused[0], &field) || field.Kind != "acme.example/fragile" {
		t.Errorf("refused %v, want a FieldError of the kind", refused)
	}
}

// unkind is a payload whose Kind panics.
type unkind struct{}

func (unkind) Kind() signals.Kind { panic("unkind") }

// The panic is that of the agent, in its turn; what it said before counts.
func TestPayloadWhoseKindPanicsFailsItsTurnAndTheSolveGoesOn(t *testing.T) {
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		reacts("clumsy", func(_ context.Context, turn *agents.Turn) seq {
			return agents.Emit(propose("a", "do a"), signals.New(signals.Header{}, unkind{}))
		}),
		voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
	}}))
	var panicked *agents.PanicError
	if r.Stop != runlog.StopConsensus || len(r.Failed) == 0 || !errors.As(r.Failed[0].Err, &panicked) || panicked.Agent != "clumsy" {
		t.Errorf("%v, failed %v", r.Stop, r.Failed)
	}
}

func TestASolveWhoseComparisonPanicsEndsWithAnError(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: rivals(), Same: func(context.Context, signals.Proposal, signals.Proposal) bool { panic("same") }})
	r, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err == nil || r.Stop != runlog.StopError || !strings.Contains(err.Error(), "Options.Same panicked: same") {
		t.Errorf("%v, %v", r.Stop, err)
	}
}
