package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

const anything = `{"type":"object"}`

// does is a tool of a server that returns a text.
func does(server, name string, hints tools.Hints, f func(context.Context) (tools.Result, error)) tools.Tool {
	return tools.Tool{
		Spec: tools.Spec{Server: server, Name: name, Description: "Does " + name + ".", Input: json.RawMessage(anything), Hints: hints},
		Call: func(ctx context.Context, _ json.RawMessage) (tools.Result, error) { return f(ctx) },
	}
}

func says(text string) func(context.Context) (tools.Result, error) {
	return func(context.Context) (tools.Result, error) { return tools.Result{Text: text}, nil }
}

func call(name, args string) models.Call {
	return models.Call{ID: name + args, Name: name, Args: json.RawMessage(args)}
}

// inTurn runs f in a turn of an agent.
func inTurn(ctx context.Context, round int, f func(ctx context.Context) error) error {
	a := &agents.Agent{ID: "ann", Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
		if err := f(ctx); err != nil {
			return agents.Fail(err)
		}
		return agents.Emit()
	})}
	_, err := a.Take(ctx, &agents.Turn{Thread: "t", Round: round})
	return err
}

// answered returns a context with the answers of a set's records.
func answered(ctx context.Context, set *tools.Set) context.Context {
	if set != nil {
		if by, ok := set.Record.(*records); ok {
			return asking.With(ctx, by.said)
		}
	}
	return ctx
}

// makes makes calls in one turn, with the answers of the set's records.
func makes(ctx context.Context, set *tools.Set, calls ...models.Call) (all []tools.Outcome, err error) {
	return all, inTurn(answered(ctx, set), 1, func(ctx context.Context) error {
		begun, err := set.Begin(ctx)
		if err == nil {
			all, err = begun.Make(ctx, calls...)
		}
		return err
	})
}

// made is makes for calls that return.
func made(t *testing.T, set *tools.Set, calls ...models.Call) []tools.Outcome {
	t.Helper()
	all, err := makes(t.Context(), set, calls...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func offered(t *testing.T, set *tools.Set, round int) (names []string) {
	t.Helper()
	err := inTurn(answered(t.Context(), set), round, func(ctx context.Context) error {
		begun, err := set.Begin(ctx)
		if err == nil {
			for _, o := range begun.Offer() {
				names = append(names, o.Name+": "+o.Description)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// records is a recorder in memory, of a process that is killed after a number of records.
type records struct {
	mu   sync.Mutex // protects the fields below
	all  map[tools.Place][]byte
	left int // records until the process is killed; <0: it is not

	said []asking.Answered
}

func newRecords() *records { return &records{all: map[tools.Place][]byte{}, left: -1} }

var errKilled = errors.New("killed")

// Do implements [tools.Recorder].
func (r *records) Do(ctx context.Context, p tools.Place, do func(context.Context) ([]byte, error)) ([]byte, error) {
	if text, ok := r.get(p); ok {
		return text, nil
	}
	text, err := do(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 {
		return nil, errKilled
	}
	r.left--
	r.all[p] = text
	return text, nil
}

func (r *records) get(p tools.Place) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, ok := r.all[p]
	return text, ok
}

// after returns the records as a process has them that starts now and is killed after left
// more.
func (r *records) after(left int) *records {
	return &records{all: maps.Clone(r.all), left: left, said: r.said}
}

// answer notes an answer, which counts in the turns that follow.
func (r *records) answer(q asking.Call, a asking.Answer) {
	a.ID = q.ID
	r.said = append(r.said, asking.Answered{Call: q, Answer: a})
}

// asked returns the questions of an error.
func asked(t *testing.T, err error) []asking.Call {
	t.Helper()
	calls := asking.Asked(err)
	if calls == nil {
		t.Fatalf("got %v, want a question", err)
	}
	return calls
}
