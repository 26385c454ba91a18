package cassette

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/bus/journal"
)

// Tool returns what a tool does, called where the caller has no result. It fits
// [thinker.Tool].Call. A tool's error is recorded as its result is, since the model
// is told of it; what ended because its context did is not.
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
			result, err := call(ctx, args)
			if err != nil && ctx.Err() != nil {
				return nil, err
			}
			r := toolResult{Result: result}
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
		if r.Failed != nil {
			return r.Result, errors.New(*r.Failed)
		}
		return r.Result, nil
	}
}

type toolResult struct {
	Result string  `json:"result"`
	Failed *string `json:"toolFailed,omitempty"`
}

// Spent returns what the answers took that a journal has, for the budget of a run
// that goes on. What a failed call took is not in it, nor one that was broken off.
func Spent(j journal.Reader) (tokens int, money models.Money, err error) {
	snapshot, err := j.Snapshot()
	if err != nil {
		return 0, 0, err
	}
	for record, err := range j.Read(snapshot.Through) {
		if err != nil {
			return 0, 0, err
		}
		var e entry
		if record.Type != journal.TypeResult || json.Unmarshal(record.Body, &e) != nil || e.Answer == nil {
			continue
		}
		tokens += e.Answer.Usage.Tokens()
		money += e.Answer.Cost
	}
	return tokens, money, nil
}
