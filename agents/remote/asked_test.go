package remote_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/remote"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

// A tape is a recorder in memory for one call at a time.
type tape map[tools.Place][]byte

func (r tape) Do(ctx context.Context, p tools.Place, do func(context.Context) ([]byte, error)) ([]byte, error) {
	if text, ok := r[p]; ok {
		return text, nil
	}
	text, err := do(ctx) // which records, too
	if err == nil {
		r[p] = text
	}
	return text, err
}

// A writer is an agent of another process that calls a tool in each turn, which a person has to
// allow.
type writer struct {
	tape  tape
	calls []string // arguments of the calls that were made
}

func (w *writer) agent() *agents.Agent {
	tool := tools.Tool{
		Spec: tools.Spec{Name: "write", Input: json.RawMessage(`{"type":"object"}`)},
		Call: func(_ context.Context, args json.RawMessage) (tools.Result, error) {
			w.calls = append(w.calls, string(args))
			return tools.Result{Text: "written"}, nil
		},
	}
	set := &tools.Set{From: []tools.Source{tool}, May: []tools.Rule{{Tools: "write", Policy: tools.Ask}}, Record: w.tape}
	return &agents.Agent{ID: "a", Actions: acts, Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
		calls, err := set.Begin(ctx)
		if err != nil {
			return agents.Fail(err)
		}
		made, err := calls.Make(ctx, models.Call{Name: "write", Args: json.RawMessage(`{ "text": "<b>" }`)})
		if err != nil {
			return agents.Fail(err)
		}
		return agents.Emit(made[0].Signal("a"))
	})}
}

// question returns the question of the turn of a writer, as the swarm gets it.
func question(t *testing.T, w *writer) asking.Call {
	t.Helper()
	_, err := elsewhere(w.agent()).Take(t.Context(), fullTurn())
	calls := asking.Asked(err)
	if len(calls) != 1 || len(w.calls) > 0 {
		t.Fatalf("%v after the calls %q", err, w.calls)
	}
	if got := calls[0].String(); got != `a wants to call write with { "text": "<b>" }: this tool needs a person's approval` {
		t.Errorf("it asks %q", got)
	}
	return calls[0]
}

// The answers travel with the next request.
func TestCallElsewhereIsMadeAsTheAnswerOfTheRequestSays(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[asking.Verdict]string{
		asking.Once: "written", asking.Solve: "written", asking.Deny: "a person has denied the call of write: not today",
	} {
		w := &writer{tape: tape{}}
		q := question(t, w)
		if again := question(t, w); again != q {
			t.Errorf("it asks for %v and then for %v", q, again)
		}
		other := q
		other.Agent = "b"
		ctx := asking.With(t.Context(), []asking.Answered{
			{Call: asking.New(other), Answer: asking.Answer{Verdict: "of another agent"}},
			{Call: q, Answer: asking.Answer{ID: q.ID, Verdict: verdict, Reason: "not today"}},
		})
		for range 2 {
			said, err := elsewhere(w.agent()).Take(ctx, fullTurn())
			if err != nil || len(said) != 1 || said[0].Body().(signals.ToolResult).Result != want {
				t.Fatalf("%s: %v, %v", verdict, said, err)
			}
		}
		if n := map[bool]int{true: 0, false: 1}[verdict == asking.Deny]; len(w.calls) != n {
			t.Errorf("%s: the calls %q were made", verdict, w.calls)
		}
	}
}

func TestAnswerOfAnUnknownVerdictIsRefused(t *testing.T) {
	t.Parallel()
	w := &writer{tape: tape{}}
	q := question(t, w)
	ctx := asking.With(t.Context(), []asking.Answered{{Call: q, Answer: asking.Answer{ID: q.ID, Verdict: "perhaps"}}})
	if _, err := elsewhere(w.agent()).Take(ctx, fullTurn()); err == nil || !strings.Contains(err.Error(), `verdict = "perhaps"`) || len(w.calls) > 0 {
		t.Errorf("got %v after the calls %q", err, w.calls)
	}
}

// A person has to see what the answer allows: a question counts if it is about a call of the turn,
// and its id is that of the tool and the arguments that it shows.
func TestHostileQuestionsAreNotAsked(t *testing.T) {
	t.Parallel()
	w := &writer{tape: tape{}}
	q := question(t, w)
	renamed := func(change func(*asking.Call)) func(*asking.Call) {
		return func(c *asking.Call) { change(c); *c = asking.New(*c) }
	}
	for name, c := range map[string]struct {
		change func(*asking.Call)
		want   string
	}{
		"another tool":        {func(c *asking.Call) { c.Tool = "read" }, "id"},
		"other arguments":     {func(c *asking.Call) { c.Args = `{}` }, "id"},
		"another turn":        {renamed(func(c *asking.Call) { c.Turn = 1 }), "turn 1 of t"},
		"another thread":      {renamed(func(c *asking.Call) { c.Thread = "u" }), "turn 2 of u"},
		"another agent":       {renamed(func(c *asking.Call) { c.Agent = "b" }), "it is of b"},
		"of its own":          {func(c *asking.Call) { c.Agent = "b" }, "id"},
		"another definition":  {func(c *asking.Call) { c.Spec = "harmless" }, "id"},
		"another rule":        {func(c *asking.Call) { c.Rule = "write: allow" }, "id"},
		"a changed tool":      {func(c *asking.Call) { c.Changed = `{"name":"write","description":"harmless","input":{}}` }, "changed"},
		"no changed tool":     {func(c *asking.Call) { c.Changed = "harmless" }, "changed"},
		"no JSON":             {func(c *asking.Call) { c.Args = "{" }, "args"},
		"no reason":           {func(c *asking.Call) { c.Why = "" }, "why"},
		"a huge question":     {func(c *asking.Call) { c.Args = `"` + strings.Repeat("x", 256<<10) + `"` }, "at most 262144 are allowed"},
		"a question too many": {nil, "65 questions, at most 64 are allowed"},
	} {
		all := []asking.Call{q}
		if c.change != nil {
			c.change(&all[0])
		} else {
			all = slices.Repeat(all, 65)
		}
		text, err := json.Marshal(map[string]any{"questions": all})
		if err != nil {
			t.Fatal(err)
		}
		hostile := &agents.Agent{ID: "a", Actions: acts, Reactor: remote.Reactor(func(context.Context, string, []byte) ([]byte, error) { return text, nil }, nil)}
		_, err = hostile.Take(t.Context(), fullTurn())
		if asking.Asked(err) != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
