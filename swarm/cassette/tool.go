package cassette

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
)

// Tool returns a function that calls a tool if by has no recorded result. It fits
// [thinker.Tool].Call. An error of the tool is recorded like a result, since the model
// is told the error, and so is how long the call took ([agents.Took]); a call that ended with its context is not recorded.
func Tool(name string, call func(ctx context.Context, args json.RawMessage) (string, error), by journal.Caller) func(context.Context, json.RawMessage) (string, error) {
	places := newPlaces()
	return func(ctx context.Context, args json.RawMessage) (string, error) {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		request, err := json.Marshal(struct {
			Tool string `json:"tool"`
			Args string `json:"args"`
		}{name, string(args)})
		if err != nil {
			return "", err
		}
		text, err := by.Do(ctx, places.next(ctx, request), func(ctx context.Context) ([]byte, error) {
			began := agents.Now(ctx)
			result, err := call(ctx, args)
			if err != nil && ctx.Err() != nil {
				return nil, err
			}
			r := toolResult{Result: result, Took: agents.Now(ctx).Sub(began)}
			if err != nil {
				problem := err.Error()
				r.Failed = &problem
			}
			return json.Marshal(r)
		})
		if err != nil {
			return "", err
		}
		var r toolResult
		if err := json.Unmarshal(text, &r); err != nil {
			return "", err
		}
		agents.Took(ctx, r.Took)
		if r.Failed != nil {
			return r.Result, errors.New(*r.Failed)
		}
		return r.Result, nil
	}
}

type toolResult struct {
	Result string        `json:"result"`
	Failed *string       `json:"toolFailed,omitempty"`
	Took   time.Duration `json:"took,omitempty"` // by the run's clock
}
