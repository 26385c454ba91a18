package agents_test

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// wary is a reactor that says what is wrong with it.
type wary struct {
	agents.Reactor
	err error
}

func (w wary) Validate() error { return w.err }

func TestAgentIsValidatedWithItsReactorAndRouter(t *testing.T) {
	silent := agents.Each(func(context.Context, signals.Any) seq { return agents.Emit() })
	if err := (&agents.Agent{ID: "a", Reactor: wary{silent, nil}}).Validate(); err != nil {
		t.Error(err)
	}
	broken := errors.New("no model")
	if err := (&agents.Agent{ID: "a", Reactor: wary{silent, broken}}).Validate(); !errors.Is(err, broken) {
		t.Errorf("a reactor that is not valid: %v", err)
	}
	router, err := routing.New(routing.Config{Agent: []routing.Route{{Kind: signals.KindTask, Action: routing.Custom("page")}}})
	if err != nil {
		t.Fatal(err)
	}
	a := &agents.Agent{ID: "a", Reactor: silent, Router: router}
	var field *signals.FieldError
	if err := a.Validate(); !errors.As(err, &field) || field.Field != "agent.actions" || field.Value != "page" {
		t.Errorf("an action that is missing: %v", err)
	}
	a.Actions = map[string]agents.Each{"page": func(context.Context, signals.Any) seq { return agents.Emit() }}
	if err := a.Validate(); err != nil {
		t.Error(err)
	}
}

func TestDefaultsOfAnAgent(t *testing.T) {
	var a agents.Agent
	if got := a.VoteWeight(); got != 1 {
		t.Errorf("a weight of 0 counts %v", got)
	}
	if !a.May(signals.KindVote) {
		t.Error("an agent with no CanEmit may not vote")
	}
	a.Weight, a.CanEmit = 0.5, []signals.Kind{signals.KindDoubt}
	if got := a.VoteWeight(); got != 0.5 {
		t.Errorf("a weight of 0.5 counts %v", got)
	}
	if a.May(signals.KindVote) || !a.May(signals.KindDoubt) {
		t.Error("CanEmit is not what it may emit")
	}
}
