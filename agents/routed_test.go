package agents_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

func TestActionsReactBeforeTheReactorAndReply(t *testing.T) {
	s := signals.New(signals.Header{ID: signals.MustID("sig_1")}, signals.Task{Task: "x"})
	calls := 0
	a := &agents.Agent{
		ID: "a",
		Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
			calls++
			return agents.Emit(finding("reactor"))
		}),
		Actions: map[string]agents.Each{
			"page":   func(context.Context, signals.Any) seq { return agents.Emit(finding("page")) },
			"broken": func(context.Context, signals.Any) seq { return nil },
		},
	}
	routed := func(name string) []agents.Routed { return []agents.Routed{{Action: name, Signal: s}} }
	for name, c := range map[string]struct {
		turn agents.Turn
		want []string
		err  error
	}{
		"both":      {agents.Turn{New: inbox("x"), Routed: routed("page")}, []string{"page", "reactor"}, nil},
		"routed":    {agents.Turn{Routed: routed("page")}, []string{"page"}, nil},
		"new":       {agents.Turn{New: inbox("x")}, []string{"reactor"}, nil},
		"no action": {agents.Turn{New: inbox("x"), Routed: routed("none")}, nil, signals.ErrInvalid},
		"nil":       {agents.Turn{Routed: routed("broken")}, nil, agents.ErrNil},
	} {
		said, err := a.Take(t.Context(), &c.turn)
		if diff := cmp.Diff(c.want, findings(said)); diff != "" || !errors.Is(err, c.err) {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		if len(c.turn.Routed) > 0 && len(said) > 0 && said[0].Head().ReplyTo != s.ID {
			t.Errorf("%s: it replies to %v", name, said[0].Head().ReplyTo)
		}
	}
	if calls != 2 {
		t.Errorf("the reactor was called %d times, want 2", calls)
	}
}
