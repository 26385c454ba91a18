package tools

import (
	"context"
	"encoding/json"
	"errors"
)

// A Recorder keeps the inputs of turns, so that they can be taken again. It is safe for
// concurrent use.
type Recorder interface {
	// Do returns the record of a place. If there is none, it calls do, and returns its
	// result once that is on record; an error of do is returned and not recorded. A
	// recorder that only replays returns an error instead of calling do.
	Do(ctx context.Context, p Place, do func(context.Context) ([]byte, error)) ([]byte, error)
}

// A Place identifies a record.
type Place struct {
	Thread  string `json:"thread"`
	Agent   string `json:"agent"`
	Turn    int    `json:"turn"`
	Call    int    `json:"call"`    // of a tool within the turn, from 1
	Request string `json:"request"` // a hash of what is recorded
}

// with returns a place for something else of the same call.
func (p Place) with(parts ...string) Place {
	text, _ := json.Marshal(append([]string{"tools", p.Request}, parts...))
	p.Request = hashOf(string(text))
	return p
}

// solve returns a place for something of the agent that holds for the solve.
func (p Place) solve(parts ...string) Place {
	return Place{Thread: p.Thread, Agent: p.Agent}.with(parts...)
}

// unrecorded calls do each time, and records nothing.
type unrecorded struct{}

func (unrecorded) Do(ctx context.Context, _ Place, do func(context.Context) ([]byte, error)) ([]byte, error) {
	return do(ctx)
}

// errNothing is the error of a look-up that finds nothing.
var errNothing = errors.New("tools: nothing is on record")

// recorded does something once, as JSON.
func recorded[T any](ctx context.Context, by Recorder, p Place, do func(context.Context) (T, error)) (value T, err error) {
	text, err := by.Do(ctx, p, func(ctx context.Context) ([]byte, error) {
		value, err := do(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(value)
	})
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	return value, err
}

// found returns what is on record.
func found[T any](ctx context.Context, by Recorder, p Place) (value T, isThere bool, err error) {
	value, err = recorded(ctx, by, p, func(context.Context) (value T, err error) { return value, errNothing })
	if errors.Is(err, errNothing) {
		return value, false, nil
	}
	return value, err == nil, err
}
