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

// booking is the body of a record of [Book].
type booking struct {
	Booked *booked `json:"booked"`
}

type booked struct {
	Tokens int          `json:"tokens"`
	Money  models.Money `json:"money"`
}

// Book records a change of what the calls of a run are booked with, for [Spent]. It fits
// [limits.Budget.Keep], whose changes include calls that fail or are interrupted.
//
// [limits.Budget.Keep]: https://pkg.go.dev/github.com/swarmbus/swarmbus/agents/models/limits#Budget.Keep
func Book(j journal.Store, tokens int, money models.Money) error {
	head, err := json.Marshal(journal.Key{Agent: "cassette", Request: "booked"})
	if err != nil {
		return err
	}
	body, err := json.Marshal(booking{&booked{tokens, money}})
	if err == nil {
		_, err = j.Append(journal.Record{Type: journal.TypeResult, Head: head, Body: body})
	}
	return err
}

// Spent returns what the calls that a journal has were booked with ([Book]), for the
// budget of a run that goes on. In a journal without bookings, and before its first, it
// is what the answers took.
func Spent(j journal.Reader) (tokens int, money models.Money, err error) {
	snapshot, err := j.Snapshot()
	if err != nil {
		return 0, 0, err
	}
	books := false
	for record, err := range j.Read(snapshot.Through) {
		if err != nil {
			return 0, 0, err
		}
		var e struct {
			entry
			booking
		}
		switch {
		case record.Type != journal.TypeResult || json.Unmarshal(record.Body, &e) != nil:
		case e.Booked != nil:
			books = true
			tokens += e.Booked.Tokens
			money += e.Booked.Money
		case e.Answer != nil && !books:
			tokens += e.Answer.Usage.Tokens()
			money += e.Answer.Cost
		}
	}
	return tokens, money, nil
}
