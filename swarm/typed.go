package swarm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A Typed is the result of a solve whose answer is a value of type T.
type Typed[T any] struct {
	*solves.Result
	Value T // zero unless a value was chosen: Answer is its JSON, and "" otherwise
}

// Solve is [Swarm.Solve] of a task whose answer is a value of type T. The schema of the task is that of
// T, by its json and jsonschema tags, unless the task has one.
func Solve[T any](ctx context.Context, s *Swarm, task signals.Task) (*Typed[T], error) {
	if task.Schema == "" {
		of, err := schema.For[T]()
		if err != nil {
			return nil, fmt.Errorf("swarm: %T has no JSON schema, so it cannot be an answer: %w", *new(T), err)
		}
		task.Schema = of
	}
	r := &Typed[T]{}
	var err error
	if r.Result, err = s.Solve(ctx, task); r.Result == nil {
		return nil, err
	}
	if r.Answer != "" {
		if wrong := json.Unmarshal([]byte(r.Answer), &r.Value); wrong != nil {
			return r, cmp.Or(err, fmt.Errorf("swarm: the answer %s conforms to the schema and is no %T: %w", text.Cut(r.Answer, 200), r.Value, wrong))
		}
	}
	return r, err
}

// checkSchema refuses a task with a schema that values cannot be checked against.
func checkSchema(task signals.Task) error {
	if task.Schema == "" {
		return nil
	}
	if _, err := schema.New(task.Schema); err != nil {
		return &signals.FieldError{Kind: signals.KindTask, Field: "schema", Value: text.Cut(task.Schema, 80), Problem: err.Error()}
	}
	return nil
}
