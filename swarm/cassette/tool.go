package cassette

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/bus/journal"
)

// Tool returns a function that calls a tool if by has no recorded result. It fits
// [thinker.Tool].Call. An error of the tool is recorded like a result, since the model
// is told the error; a call that ended with its context is not recorded.
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

// Book records a change of the amount booked for the calls of a run, for [Spent]. It
// fits [limits.Budget.Keep], whose changes include calls that fail or are interrupted.
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

// Spent returns the amount booked ([Book]) for the calls in a journal, for the budget of
// a run that continues. In a journal without bookings, and before the first one, it is
// the cost of the answers.
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
