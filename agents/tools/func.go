package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/internal/schema"
)

// Func returns a tool that calls f. The schemas are inferred from the types: In has to be a
// struct or a map, and its json and jsonschema tags are respected. The result is the text
// of a string, and JSON of any other type. An error of f is a result with IsError, unless
// ctx has ended. Func panics for types that have no JSON schema.
func Func[In, Out any](name, description string, hints Hints, f func(ctx context.Context, in In) (Out, error)) Tool {
	t := Tool{Spec: Spec{Name: name, Description: description, Input: schemaFor[In](name), Hints: hints}}
	if !isObject(t.Input) {
		panic(fmt.Sprintf("tools: Func %q: the argument type must be a struct or a map, not %T", name, *new(In)))
	}
	if _, isText := any(*new(Out)).(string); !isText {
		t.Output = schemaFor[Out](name)
	}
	t.Call = func(ctx context.Context, args json.RawMessage) (Result, error) {
		var in In
		text, err := "", json.Unmarshal(args, &in)
		if err == nil {
			text, err = textOf(f(ctx, in))
		}
		if err == nil || ctx.Err() != nil {
			return Result{Text: text}, err
		}
		return Result{err.Error(), true}, nil
	}
	return t
}

func schemaFor[T any](name string) json.RawMessage {
	of, err := schema.For[T]()
	if err != nil {
		panic(fmt.Sprintf("tools: Func %q: %T has no JSON schema, so it cannot be an argument or a result: %v", name, *new(T), err))
	}
	return json.RawMessage(of)
}

func textOf(out any, err error) (string, error) {
	if text, ok := out.(string); ok || err != nil {
		return text, err
	}
	text, err := json.Marshal(out)
	return string(text), err
}
