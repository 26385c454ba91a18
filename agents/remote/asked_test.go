package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
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
func question(t *testing.T, w *writer) tools.Question {
	t.Helper()
	_, err := elsewhere(w.agent()).Take(t.Context(), fullTurn())
	var asks *tools.AskError
	if !errors.As(err, &asks) || len(asks.Questions) != 1 || len(w.calls) > 0 {
		t.Fatalf("%v after the calls %q", err, w.calls)
	}
	if text, ok := agents.IsAsking(err); !ok || text != `a wants to call write with { "text": "<b>" }: its policy is to ask` {
		t.Errorf("it asks %q", text)
	}
	return asks.Questions[0]
}

// The answers travel with the next request. What is on record under the agent's own name is no
// answer, since whoever has its key can record it.
func TestCallElsewhereIsMadeAsTheAnswerOfTheRequestSays(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[tools.Verdict]string{
		tools.AllowOnce: "written", tools.AllowSolve: "written", tools.Refuse: "a person has denied the call of write: not today",
	} {
		w := &writer{tape: tape{}}
		q := question(t, w)
		for _, p := range []tools.Place{q.Once, q.Solve} {
			w.tape[p] = []byte(`{"answered":{"verdict":"allow once"}}`)
		}
		if again := question(t, w); again.Once != q.Once {
			t.Errorf("it asks for %v and then for %v", q.Once, again.Once)
		}
		a := tools.Answer{Verdict: verdict, Reason: "not today"}
		ctx := tools.WithAnswers(t.Context(), []tools.AnsweredCall{
			{Place: tools.Place{Thread: "t", Agent: "b"}, Answer: tools.Answer{Verdict: "of another agent"}}, {Place: q.PlaceOf(a), Answer: a},
		})
		for range 2 {
			said, err := elsewhere(w.agent()).Take(ctx, fullTurn())
			if err != nil || len(said) != 1 || said[0].Body().(signals.ToolResult).Result != want {
				t.Fatalf("%s: %v, %v", verdict, said, err)
			}
		}
		if n := map[bool]int{true: 0, false: 1}[verdict == tools.Refuse]; len(w.calls) != n {
			t.Errorf("%s: the calls %q were made", verdict, w.calls)
		}
	}
}

func TestAnswerOfAnUnknownVerdictIsRefused(t *testing.T) {
	t.Parallel()
	w := &writer{tape: tape{}}
	ctx := tools.WithAnswers(t.Context(), []tools.AnsweredCall{{Place: question(t, w).Once, Answer: tools.Answer{Verdict: "perhaps"}}})
	if _, err := elsewhere(w.agent()).Take(ctx, fullTurn()); err == nil || !strings.Contains(err.Error(), `verdict = "perhaps"`) || len(w.calls) > 0 {
		t.Errorf("got %v after the calls %q", err, w.calls)
	}
}

// A person has to see what the answer allows: a question counts if it is about a call of the turn,
// and its places are those of the tool and the arguments that it shows.
func TestHostileQuestionsAreNotAsked(t *testing.T) {
	t.Parallel()
	w := &writer{tape: tape{}}
	q := question(t, w)
	for name, c := range map[string]struct {
		change func(*tools.AskedCall)
		want   string
	}{
		"another tool":        {func(p *tools.AskedCall) { p.Tool = "read" }, "once"},
		"other arguments":     {func(p *tools.AskedCall) { p.Args = `{}` }, "once"},
		"another turn":        {func(p *tools.AskedCall) { p.Once.Turn = 1 }, "turn 1 of t"},
		"another thread":      {func(p *tools.AskedCall) { p.Once.Thread, p.Solve.Thread = "u", "u" }, "turn 2 of u"},
		"another agent":       {func(p *tools.AskedCall) { p.Agent, p.Once.Agent, p.Solve.Agent = "b", "b", "b" }, "it is of b"},
		"of its own":          {func(p *tools.AskedCall) { p.Agent = "b" }, "once"},
		"the solve's":         {func(p *tools.AskedCall) { p.Solve.Request = p.Once.Request }, "solve"},
		"a changed tool":      {func(p *tools.AskedCall) { p.Changed = `{"name":"write","description":"harmless","input":{}}` }, "changed"},
		"no changed tool":     {func(p *tools.AskedCall) { p.Changed = "harmless" }, "changed"},
		"no JSON":             {func(p *tools.AskedCall) { p.Args = "{" }, "args"},
		"no reason":           {func(p *tools.AskedCall) { p.Why = "" }, "why"},
		"a huge question":     {func(p *tools.AskedCall) { p.Args = `"` + strings.Repeat("x", 256<<10) + `"` }, "at most 262144 are allowed"},
		"a question too many": {nil, "65 questions, at most 64 are allowed"},
	} {
		all := []tools.AskedCall{tools.AskedOf(q)}
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
		if _, asks := agents.IsAsking(err); asks || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
