package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	anthropic "github.com/anthropics/anthropic-sdk-go"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// An answer is the part of an answer received so far.
type answer struct {
	show    func(models.Piece)
	message anthropic.Message
	args    map[int64]string // arguments of calls by block index: the library treats incomplete ones as none
	begun   bool
	stopped bool
}

// add adds the next event.
func (a *answer) add(e anthropic.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		if a.begun {
			return errors.New("the message begins twice")
		}
		a.begun = true
	case "message_stop":
		a.stopped = true
	case "content_block_delta":
		if e.Delta.Type == "text_delta" && e.Delta.Text != "" && a.show != nil {
			a.show(models.Piece{Text: e.Delta.Text})
		}
		if e.Delta.Type == "input_json_delta" {
			if a.args == nil {
				a.args = map[int64]string{}
			}
			a.args[e.Index] += e.Delta.PartialJSON
		}
	}
	return a.message.Accumulate(e)
}

// whole returns the answer if it is complete.
func (a *answer) whole(id models.ID) (*models.Answer, error) {
	m, u := &a.message, a.message.Usage
	to := &models.Answer{Finish: finish(m.StopReason), Model: m.Model, Usage: models.Usage{
		Input:     int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens), // the provider's count excludes the others
		CacheRead: int(u.CacheReadInputTokens), CacheWrite: int(u.CacheCreationInputTokens), Output: int(u.OutputTokens),
	}}
	if m.StopReason == anthropic.StopReasonRefusal {
		return nil, &models.Error{Model: id, Problem: models.ErrFiltered}
	}
	for i, block := range m.Content {
		switch block.Type {
		case "text":
			to.Text += block.Text
		case "tool_use":
			args := json.RawMessage(cmp.Or(a.args[int64(i)], "{}"))
			switch {
			case json.Valid(args):
				to.Calls = append(to.Calls, models.Call{ID: block.ID, Name: block.Name, Args: args})
			case to.Finish != models.FinishLength: // then the rest of the call is missing
				return nil, &models.Error{Model: id, Problem: models.ErrMalformed, Detail: models.Detail("the call of tool " + block.Name + " is not whole")}
			}
		}
	}
	switch {
	case to.Finish == "":
		return nil, &models.Error{Model: id, Problem: models.ErrCutOff, Detail: models.Detail(fmt.Sprintf("stop reason %q is not an end", m.StopReason))}
	case to.Finish == models.FinishCalls && len(to.Calls) == 0:
		return nil, &models.Error{Model: id, Problem: models.ErrMalformed, Detail: "the calls are missing"}
	}
	if to.Usage.Input == 0 || !to.Counted() { // every prompt has tokens
		to.Usage = models.Usage{}
	}
	if err := to.Validate(id); err != nil {
		return nil, err
	}
	return to, nil
}

// finish returns why the model stopped, or "" if it did not stop by itself.
func finish(why anthropic.StopReason) models.Finish {
	switch why {
	case anthropic.StopReasonEndTurn, anthropic.StopReasonStopSequence:
		return models.FinishStop
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return models.FinishLength
	case anthropic.StopReasonToolUse:
		return models.FinishCalls
	default:
		return ""
	}
}

// failed converts an error of the library.
func (m *Model) failed(ctx context.Context, err error, seen *wire.Seen) error {
	var said *anthropic.Error
	switch {
	case ctx.Err() != nil:
	case seen.Status >= 400:
		detail := err.Error()
		if errors.As(err, &said) {
			detail = words(said)
		}
		return models.StatusError(m.id, seen.Status, seen.Header, models.Detail(detail, m.secrets...))
	case errors.As(err, &said): // in the middle of a stream
		e := models.StatusError(m.id, statusOf(said.Type()), nil, models.Detail(words(said), m.secrets...))
		e.Status, e.Unbilled = seen.Status, false
		return e
	}
	return seen.Failed(ctx, m.id, err, m.secrets...)
}

// words returns the provider's message.
func words(e *anthropic.Error) string {
	var body struct {
		Error struct{ Type, Message string }
	}
	if json.Unmarshal([]byte(e.RawJSON()), &body) != nil || body.Error.Message == "" {
		return e.RawJSON()
	}
	return fmt.Sprintf("%s: %s", body.Error.Type, body.Error.Message)
}

// statusOf returns the HTTP status that an error in a stream would have had as
// a response.
func statusOf(sort anthropic.ErrorType) int {
	switch sort {
	case "invalid_request_error":
		return 400
	case "authentication_error":
		return 401
	case "billing_error":
		return 402
	case "permission_error":
		return 403
	case "not_found_error":
		return 404
	case "rate_limit_error":
		return 429
	default:
		return 500
	}
}
