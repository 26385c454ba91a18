package thinker_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

// watched is a hook that keeps the targets of the calls of tools, and their errors.
type watched struct {
	mu      sync.Mutex // protects the fields below
	targets []string
	ended   []error
}

func (h *watched) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	if op.Name == hooks.OpTool {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.targets = append(h.targets, op.Target)
		return ctx, func(_ any, err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.ended = append(h.ended, err)
		}
	}
	return ctx, func(any, error) {}
}

// returning is a tool that takes any arguments.
func returning(name string, f func(context.Context) string) tools.Tool {
	return tools.Tool{
		Spec: tools.Spec{Name: name, Input: json.RawMessage(`{"type":"object"}`)},
		Call: func(ctx context.Context, _ json.RawMessage) (tools.Result, error) {
			return tools.Result{Text: f(ctx)}, nil
		},
	}
}

func (*watched) Note(context.Context, any) {}

func (*watched) Trace(context.Context) *signals.Trace { return nil }

func TestHookGetsNoNameOfAToolThatTheModelMadeUp(t *testing.T) {
	n := 0
	m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		if n++; n == 1 {
			return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{
				{ID: "1", Name: "look_up", Args: json.RawMessage(`{}`)}, {ID: "2", Name: "my password is hunter2", Args: json.RawMessage(`{}`)},
			}}, nil
		}
		return models.Text(pass), nil
	}}
	declared := returning("look_up", func(context.Context) string { return "x" })
	hook := &watched{}
	agent := thinker.Thinker{ID: "critic", Model: m, Tools: tools.Of(declared)}.Agent()
	if _, err := agent.Take(hooks.With(t.Context(), hook), turn()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(hook.targets) // the calls are side by side
	if want := []string{"(unknown)", "look_up"}; !slices.Equal(hook.targets, want) {
		t.Errorf("got %q, want %q", hook.targets, want)
	}
}

func TestAToolThatPanicsIsAResultWithItsNameAndTheHookSeesTheStack(t *testing.T) {
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		if last := r.Messages[len(r.Messages)-1]; len(last.Results) > 0 {
			if got := last.Results[0]; !got.IsError || !strings.Contains(got.Text, "look_up panicked: oh") {
				t.Errorf("the model gets %+v", got)
			}
			return models.Text(pass), nil
		}
		return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "1", Name: "look_up", Args: json.RawMessage(`{}`)}}}, nil
	}}
	declared := returning("look_up", func(context.Context) string { panic("oh") })
	hook := &watched{}
	agent := thinker.Thinker{ID: "critic", Model: m, Tools: tools.Of(declared)}.Agent()
	if _, err := agent.Take(hooks.With(t.Context(), hook), turn()); err != nil {
		t.Errorf("the turn fails: %v", err)
	}
	var panicked *agents.PanicError
	if len(hook.ended) != 1 || !errors.As(hook.ended[0], &panicked) || panicked.Agent != "look_up" || panicked.Value != "oh" || len(panicked.Stack) == 0 {
		t.Errorf("the hook saw %v, want the panic once", hook.ended)
	}
}

func TestNoToolIsCalledAfterTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "1", Name: "pay", Args: json.RawMessage(`{}`)}, {ID: "2", Name: "pay", Args: json.RawMessage(`{}`)}}}, nil
	}}
	paid := 0
	set := tools.Of(returning("pay", func(context.Context) string {
		paid++
		cancel()
		return ""
	}))
	set.Parallel = 1
	agent := thinker.Thinker{ID: "critic", Model: m, Tools: set}.Agent()
	if _, err := agent.Take(ctx, turn()); !errors.Is(err, context.Canceled) || paid != 1 {
		t.Errorf("paid %d times: %v", paid, err)
	}
}

// How long a call took is by the run's clock.
func TestAToolResultSaysHowLongTheCallTook(t *testing.T) {
	for name, c := range map[string]struct {
		step time.Duration
		want float64
	}{
		"by the clock":          {step: 1500 * time.Microsecond, want: 1.5},
		"by one that stands":    {},
		"by one that goes back": {step: -time.Second},
	} {
		n, now := 0, time.Unix(0, 0)
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			if n++; n == 1 {
				return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "1", Name: "f", Args: json.RawMessage(`{}`)}}}, nil
			}
			return models.Text(pass), nil
		}}
		f := returning("f", func(context.Context) string {
			now = now.Add(c.step)
			return ""
		})
		turn := turn()
		turn.Clock = func() time.Time { return now }
		out, err := (thinker.Thinker{ID: "critic", Model: m, Tools: tools.Of(f)}).Agent().Take(t.Context(), turn)
		if err != nil || len(out) == 0 {
			t.Fatalf("%s: %v, %v", name, out, err)
		}
		if got := out[0].Body().(signals.ToolResult).DurationMs; got != c.want {
			t.Errorf("%s: got %v ms, want %v", name, got, c.want)
		}
	}
}

func TestAResultOfBytesThatAreEscapedIsCutFurther(t *testing.T) {
	for _, result := range []string{strings.Repeat("a\xff", 1<<19), strings.Repeat("\x00", 1<<20), strings.Repeat("\U000e0041", 1<<18), strings.Repeat("<", 5000)} {
		n, sent := 0, 0
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			if n++; n == 1 {
				return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "1", Name: "f", Args: json.RawMessage(`{}`)}}}, nil
			}
			sent = len(r.Messages[len(r.Messages)-1].Results[0].Text)
			return models.Text(pass), nil
		}}
		f := returning("f", func(context.Context) string { return result })
		if _, err := (thinker.Thinker{ID: "critic", Model: m, Tools: tools.Of(f)}).Agent().Take(t.Context(), turn()); err != nil {
			t.Fatal(err)
		}
		if sent < 4<<10 || sent > 9<<10 {
			t.Errorf("%.10q: a result of %d bytes", result, sent)
		}
	}
}
