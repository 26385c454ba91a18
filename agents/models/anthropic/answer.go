package anthropic

import (
	"encoding/json"
	"io"
	"strconv"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// An answer is the part of an answer received so far.
type answer struct {
	wire.Answer
	id     string
	blocks []*block    // as they began
	usage  wire.Object // the last count of each sort that is not zero
}

// A block is a part of the content.
type block struct {
	index       string
	object      wire.Object // as it began
	think, sign wire.Text
	parts       bool // the input of a call comes in parts, and not with its beginning
}

// read reads the next event, or a whole message.
func (a *answer) read(e wire.Event) error {
	o := e.Object()
	switch sort := o.Text("type"); sort {
	case "message_start":
		a.start(o.Object("message"))
	case "message":
		a.start(o)
		a.End(o)
		return io.EOF
	case "content_block_start":
		a.begin(o.Label("index"), o.Object("content_block"))
	case "content_block_delta":
		a.delta(o.Label("index"), o.Object("delta"))
	case "message_delta":
		a.End(o.Object("delta"))
		a.count(o)
	case "message_stop":
		return io.EOF
	}
	return nil
}

// start begins a message. Some gateways say its beginning twice; with another id the answer starts over,
// since what is before them asked again.
func (a *answer) start(message wire.Object) {
	id := message.Label("id")
	if a.Begun && id != a.id {
		a.Again()
		a.blocks, a.usage = nil, nil
	}
	a.Begun, a.id, a.Model = true, id, wire.Clean(message.Text("model"))
	a.count(message)
	for i, b := range message.List("content") {
		a.begin(strconv.Itoa(i), wire.ObjectOf(b))
	}
}

func (a *answer) begin(index string, o wire.Object) {
	a.blocks = append(a.blocks, &block{index: index, object: o})
	switch o.Text("type") {
	case "text":
		a.Say(o.Text("text"))
	case "tool_use":
		a.call(wire.Object{"id": o["id"], "name": o["name"]}, len(a.blocks)-1)
	}
}

// delta adds to the block that began last with that index, or without one.
func (a *answer) delta(index string, d wire.Object) {
	at := len(a.blocks) - 1
	for at > 0 && index != "" && a.blocks[at].index != index {
		at--
	}
	a.Say(d.Text("text"))
	if at < 0 {
		return
	}
	b := a.blocks[at]
	b.think.Add(d.Text("thinking"))
	b.sign.Add(d.Text("signature"))
	if b.object.Text("type") == "tool_use" && d.Has("partial_json") {
		b.parts = true
		a.call(wire.Object{"input": d["partial_json"]}, at)
	}
}

// call adds a part of the call of a block, whose indexes some gateways use again.
func (a *answer) call(part wire.Object, at int) {
	part["index"] = json.RawMessage(strconv.Itoa(at))
	a.Call(part, "")
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
	var thoughts []json.RawMessage
	for at, b := range a.blocks {
		switch b.object.Text("type") {
		case "thinking", "redacted_thinking":
			thoughts = append(thoughts, b.thought())
		case "tool_use":
			if !b.parts {
				a.call(wire.Object{"input": b.object["input"]}, at)
			}
		}
	}
	read, written := a.usage.Number("cache_read_input_tokens"), a.usage.Number("cache_creation_input_tokens")
	to, err := a.Answer.Answer(id, r, models.Usage{
		Input:     a.usage.Number("input_tokens") + read + written, // the provider's count excludes the others
		CacheRead: read, CacheWrite: written, Output: a.usage.Number("output_tokens"),
		Reasoning: a.usage.Object("output_tokens_details").Number("thinking_tokens", "reasoning_tokens"),
	})
	if err != nil {
		return nil, err
	}
	if data, err := json.Marshal(thoughts); err == nil && thoughts != nil && len(to.Calls) > 0 {
		to.Kept = &models.Kept{Model: id, Data: data}
	}
	return to, to.Validate(id)
}

// thought returns a block of reasoning as it goes back: as it came, with its signature if it has one.
func (b *block) thought() json.RawMessage {
	for name, text := range map[string]string{"thinking": b.think.String(), "signature": b.sign.String()} {
		if text = b.object.Text(name) + text; text != "" {
			b.object[name], _ = json.Marshal(text)
		}
	}
	data, _ := json.Marshal(b.object)
	return data
}
