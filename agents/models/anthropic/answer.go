package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// An answer is the part of an answer received so far.
type answer struct {
	asked   *models.Request
	model   string
	blocks  map[int]*block // by index
	last    int            // index of the block that began last
	usage   wire.Object    // the last count of each sort that is not zero
	why     string         // the stop reason
	begun   bool
	stopped bool
}

// A block is a part of the content.
type block struct {
	object wire.Object // as it began
	text   wire.Text   // of a text
	think  wire.Text
	sign   wire.Text
	input  strings.Builder
}

// read reads the next event, or a whole message.
func (a *answer) read(o wire.Object) error {
	index := a.last
	if o["index"] != nil {
		index = o.Number("index")
	}
	switch sort := o.Text("type"); sort {
	case "message_start", "message":
		if a.begun {
			return errors.New("the message begins twice")
		}
		a.begun = true
		message := o
		if sort == "message_start" {
			message = o.Object("message")
		}
		a.model = wire.Clean(message.Text("model"))
		a.count(message)
		for i, b := range message.List("content") {
			a.begin(i, wire.ObjectOf(b))
		}
		a.why, a.stopped = message.Text("stop_reason"), sort == "message"
	case "content_block_start":
		a.begin(index, o.Object("content_block"))
	case "content_block_delta":
		if a.blocks[index] == nil {
			a.begin(index, wire.Object{"type": json.RawMessage(`"text"`)})
		}
		a.delta(a.blocks[index], o.Object("delta"))
	case "message_delta":
		a.why = cmp.Or(o.Object("delta").Text("stop_reason"), a.why)
		a.count(o)
	case "message_stop":
		a.stopped = true
	}
	return nil
}

func (a *answer) begin(index int, o wire.Object) {
	b := &block{object: o}
	a.blocks[index], a.last = b, index
	a.say(b, o.Text("text"))
}

func (a *answer) delta(b *block, d wire.Object) {
	a.say(b, d.Text("text"))
	b.think.Add(d.Text("thinking"))
	b.sign.Add(d.Text("signature"))
	b.input.WriteString(d.Text("partial_json"))
}

func (a *answer) say(b *block, text string) {
	if text = b.text.Add(text); text != "" && a.asked.Show != nil {
		a.asked.Show(models.Piece{Text: text})
	}
}

func (a *answer) count(o wire.Object) {
	for name, n := range o.Object("usage") {
		if a.usage == nil {
			a.usage = wire.Object{}
		}
		if a.usage[name] == nil || (wire.Object{"": n}).Number("") != 0 {
			a.usage[name] = n
		}
	}
}

// whole returns the answer if it is complete.
func (a *answer) whole(id models.ID, r *wire.Response) (*models.Answer, error) {
	if !a.stopped {
		return nil, r.Problem(models.ErrCutOff, strings.TrimSuffix("the stream ended without message_stop: "+r.Words(), ": "))
	}
	read, written := a.usage.Number("cache_read_input_tokens"), a.usage.Number("cache_creation_input_tokens")
	to := &models.Answer{Finish: finish(a.why), Model: a.model, Usage: models.Usage{
		Input:     a.usage.Number("input_tokens") + read + written, // the provider's count excludes the others
		CacheRead: read, CacheWrite: written, Output: a.usage.Number("output_tokens"),
		Reasoning: a.usage.Object("output_tokens_details").Number("thinking_tokens", "reasoning_tokens"),
	}}
	var thoughts []json.RawMessage
	for _, index := range slices.Sorted(maps.Keys(a.blocks)) {
		b := a.blocks[index]
		switch sort := b.object.Text("type"); sort {
		case "text":
			to.Text += b.text.String()
		case "thinking", "redacted_thinking":
			thoughts = append(thoughts, b.thought())
		case "tool_use":
			args := b.args()
			switch {
			case json.Valid(args):
				to.Calls = append(to.Calls, models.Call{ID: b.object.Label("id"), Name: b.object.Label("name"), Args: args})
			case to.Finish != models.FinishLength: // then the rest of the call is missing
				return nil, r.Problem(models.ErrMalformed, fmt.Sprintf("the call of tool %.100s is not whole: its arguments are not JSON: %.300s", b.object.Label("name"), args))
			}
		}
	}
	switch {
	case a.why == "refusal":
		return nil, r.Problem(models.ErrFiltered, to.Text)
	case to.Finish == "" && (a.why == "" || a.why == "pause_turn"):
		return nil, r.Problem(models.ErrCutOff, fmt.Sprintf("stop reason %q is not an end", a.why))
	case to.Finish == "":
		to.Finish, to.Notes = models.FinishStop, []string{fmt.Sprintf("the stop reason %.60q is not known: it is taken for an end", a.why)}
	case to.Finish == models.FinishCalls && len(to.Calls) == 0:
		return nil, r.Problem(models.ErrMalformed, "the calls are missing")
	}
	if len(to.Calls) > 0 && to.Finish == models.FinishStop {
		to.Finish = models.FinishCalls
	}
	if to.Usage.Input == 0 || !to.Counted() { // every prompt has tokens
		to.Usage = models.Usage{}
	}
	to.Identify(a.asked)
	if data, err := json.Marshal(thoughts); err == nil && thoughts != nil && len(to.Calls) > 0 {
		to.Kept = &models.Kept{Model: id, Data: data}
	}
	if err := to.Validate(id); err != nil {
		return nil, err
	}
	return to, nil
}

// args returns the arguments of a call: what came in parts, or with its beginning.
func (b *block) args() json.RawMessage {
	args := bytes.TrimSpace([]byte(wire.Clean(b.input.String())))
	if len(args) == 0 {
		args = b.object["input"]
	}
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}")
	}
	return args
}

// thought returns a block of reasoning as it goes back: as it came, with its signature.
func (b *block) thought() json.RawMessage {
	if b.object.Text("type") == "thinking" {
		thinking, _ := json.Marshal(b.object.Text("thinking") + b.think.String())
		signature, _ := json.Marshal(b.object.Text("signature") + b.sign.String())
		b.object["thinking"], b.object["signature"] = thinking, signature
	}
	data, _ := json.Marshal(b.object)
	return data
}

// finish returns why the model stopped, or "" if it did not stop by itself.
func finish(why string) models.Finish {
	switch why {
	case "end_turn", "stop_sequence":
		return models.FinishStop
	case "max_tokens", "model_context_window_exceeded":
		return models.FinishLength
	case "tool_use":
		return models.FinishCalls
	default:
		return ""
	}
}
