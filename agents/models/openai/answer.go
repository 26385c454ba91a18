package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/swarmbus/swarmbus/agents/models"
)

// An answer is the part of an answer received so far.
type answer struct {
	show    func(models.Piece)
	text    strings.Builder
	calls   []*call
	finish  openai.FinishReason
	refused string
	usage   models.Usage
	model   string
}

type call struct {
	index    int
	id, name string
	args     strings.Builder
}

// read reads the next chunk. The library takes a chunk for an error only if that is
// the first thing in it.
func (a *answer) read(line []byte) error {
	var c struct {
		openai.ChatCompletionStreamResponse
		Error *openai.APIError `json:"error"`
	}
	switch err := json.Unmarshal(line, &c); {
	case err != nil:
		return err
	case c.Error != nil:
		return c.Error
	case c.Choices == nil && c.Usage == nil:
		return fmt.Errorf("%w: neither choices nor a usage: %s", errStray, line)
	}
	return a.add(&c.ChatCompletionStreamResponse)
}

// errStray is the error of an event that is not a part of the answer.
var errStray = errors.New("an event is not a part of the answer")

// add adds the next chunk.
func (a *answer) add(c *openai.ChatCompletionStreamResponse) error {
	if c.Model != "" {
		a.model = c.Model
	}
	if u := c.Usage; u != nil { // the last one counts: some servers send running totals
		a.usage = models.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
		if d := u.PromptTokensDetails; d != nil {
			a.usage.CacheRead = d.CachedTokens
		}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.part(&choice.Delta); err != nil {
			return err
		}
		if a.finish == "" && choice.FinishReason != openai.FinishReasonNull { // the first one holds
			a.finish = choice.FinishReason
		}
	}
	return nil
}

// part adds a part of the answer. The id of the completion says nothing: gateways give
// each part one of its own.
func (a *answer) part(d *openai.ChatCompletionStreamChoiceDelta) error {
	switch {
	case d.Content == "" && d.Refusal == "" && len(d.ToolCalls) == 0:
		return nil
	case a.finish != "":
		return fmt.Errorf("%w: sent after the finish reason %q", errStray, a.finish)
	}
	a.say(d.Content)
	a.refused += d.Refusal
	for i := range d.ToolCalls {
		a.call(&d.ToolCalls[i])
	}
	return nil
}

func (a *answer) say(text string) {
	a.text.WriteString(text)
	if text != "" && a.show != nil {
		a.show(models.Piece{Text: text})
	}
}

// call adds a part of a call: to the last call with its index, or, if the server
// gives no index, to the last one. A part with another ID, and one without an index
// that has an ID or a name, begins a new call.
func (a *answer) call(part *openai.ToolCall) {
	i := len(a.calls) - 1
	for part.Index != nil && i >= 0 && a.calls[i].index != *part.Index {
		i--
	}
	head := part.ID != "" || part.Function.Name != ""
	if i < 0 || part.Index == nil && head || part.ID != "" && a.calls[i].id != "" && part.ID != a.calls[i].id {
		i = len(a.calls)
		a.calls = append(a.calls, &call{})
		if part.Index != nil {
			a.calls[i].index = *part.Index
		}
	}
	c := a.calls[i]
	if part.ID != "" {
		c.id = part.ID
	}
	if part.Function.Name != c.name { // some servers repeat it
		c.name += part.Function.Name
	}
	c.args.WriteString(part.Function.Arguments)
}

// whole returns the answer if it is complete.
func (a *answer) whole(id models.ID) (*models.Answer, error) {
	if a.refused != "" || a.finish == openai.FinishReasonContentFilter {
		return nil, &models.Error{Model: id, Problem: models.ErrFiltered, Detail: models.Detail(a.refused)}
	}
	to := &models.Answer{Text: a.text.String(), Finish: a.reason(), Usage: a.usage, Model: a.model}
	if to.Finish == "" {
		return nil, &models.Error{Model: id, Problem: models.ErrCutOff, Detail: models.Detail("finish reason " + string(a.finish))}
	}
	for _, c := range a.calls {
		args := json.RawMessage(c.args.String())
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		switch {
		case json.Valid(args) && c.id != "" && c.name != "":
			to.Calls = append(to.Calls, models.Call{ID: c.id, Name: c.name, Args: args})
		case to.Finish != models.FinishLength: // then the rest of the call is missing
			return nil, &models.Error{Model: id, Problem: models.ErrMalformed, Detail: models.Detail("the call of tool " + c.name + " is not whole")}
		}
	}
	if to.Finish == models.FinishCalls && len(to.Calls) == 0 {
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

// reason returns why the model stopped, or "" if it did not stop by itself.
func (a *answer) reason() models.Finish {
	switch a.finish {
	case openai.FinishReasonLength, "model_length": // the second is Mistral's
		return models.FinishLength
	case openai.FinishReasonToolCalls, openai.FinishReasonFunctionCall:
		return models.FinishCalls
	case openai.FinishReasonStop:
		if len(a.calls) > 0 {
			return models.FinishCalls
		}
		return models.FinishStop
	default:
		return ""
	}
}
