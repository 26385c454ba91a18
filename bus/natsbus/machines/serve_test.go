package machines_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/signals"
)

var errServed = errors.New("served")

// serves is a server whose only call has an empty request.
type serves struct{ answer []byte }

func (s *serves) Serve(ctx context.Context, _ string, answer func(context.Context, []byte) []byte) error {
	s.answer = answer(ctx, nil)
	return errServed
}

// An agent that cannot be built is an error at the start, and later one of its turn: it takes no
// other agents of the process with it.
func TestAgentThatIsNotBuiltIsAnErrorOfServe(t *testing.T) {
	t.Parallel()
	does := agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return agents.Emit() })
	for want, build := range map[string]func() *agents.Agent{
		`no agent for "ann"`:  func() *agents.Agent { return nil },
		`the agent "bob" for`: func() *agents.Agent { return &agents.Agent{ID: "bob", Reactor: does} },
		`"ann", which is not valid: signals: agent.reactor: required`: func() *agents.Agent { return &agents.Agent{ID: "ann"} },
	} {
		if err := machines.Serve(t.Context(), &serves{}, "ann", build); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	built, s := 0, &serves{}
	err := machines.Serve(t.Context(), s, "ann", func() *agents.Agent {
		if built++; built > 1 {
			return nil
		}
		return &agents.Agent{ID: "ann", Reactor: does}
	})
	if !errors.Is(err, errServed) || !strings.Contains(string(s.answer), "no agent for the turn") {
		t.Errorf("%v, and a turn is answered with %s", err, s.answer)
	}
}
