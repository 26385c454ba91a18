package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// An answer is the part of an answer received so far.
type answer struct {
	wire.Answer
	repeats repeats
	usage   usage
	items   responseItems
}

// repeats says whether the messages of a stream repeat what came before them.
type repeats int

const (
	unknown repeats = iota
	deltas          // the text came in deltas, so that a message is the whole of it
	all             // each message has the text so far
	none            // each has a part of it
)

// read reads the next event, of which no member has to be there.
func (a *answer) read(e wire.Event) error {
	o := e.Object()
	if inner := o.Object("provider", "data", "result", "response"); inner["choices"] != nil && !o.Has("choices") {
		o = inner // of a gateway
	}
	a.Begun = a.Begun || o["choices"] != nil
	a.Model = cmp.Or(wire.Clean(o.Text("model")), a.Model)
	a.usage.add(o)
	choices := o.List("choices")
	if choices == nil && o.Object("message", "delta") != nil {
		choices = []json.RawMessage{e.Data}
	}
	if len(choices) == 0 && len(o) > 0 && o["usage"] == nil && o["choices"] == nil {
		a.Stray = string(e.Data[:min(len(e.Data), 300)])
	}
	for i, value := range choices {
		c := wire.ObjectOf(value)
		if first := wire.ObjectOf(choices[0]); i > 0 && c.Label("index") != first.Label("index") {
			continue // of several answers, the first one counts
		}
		a.usage.add(c)
		a.choice(c, e.Bare)
	}
	a.End(o)
	return nil
}

// choice reads a choice: a delta of the answer, or a message. Some servers send an empty
// delta beside a message, others both in full.
func (a *answer) choice(c wire.Object, bare bool) {
	delta, message := c.Object("delta"), c.Object("message")
	for _, o := range []wire.Object{c, delta, message} {
		a.End(o)
	}
	part, whole := delta, false
	if says := func(name string) bool { return name != "role" && delta.Has(name) }; message != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(delta)), says) {
		part, whole = message, true
	}
	text, refused := content(part["content"])
	if part == nil {
		text = c.Text("text")
	}
	if whole {
		a.Whole = a.Whole || bare
		text = a.rest(text)
	} else if text != "" {
		a.repeats = deltas
	}
	a.Say(text)
	a.Refused.Add(refused + part.Text("refusal"))
	calls := part.List("tool_calls")
	if calls == nil && part.Object("function_call") != nil { // else it says the same
		calls = append(calls, part["function_call"])
	}
	for i, call := range calls {
		place := ""
		if len(calls) > 1 {
			place = fmt.Sprint("place ", i)
		}
		a.Call(wire.ObjectOf(call), place)
	}
	a.Keep(part, "role", "content", "refusal", "tool_calls", "function_call", "finish_reason", "index", "name", "annotations", "audio", "logprobs")
}

// rest returns what the text of a message adds to the text so far.
func (a *answer) rest(text string) string {
	so := a.Text()
	switch {
	case so == "" || text == "":
	case a.repeats != none && strings.HasPrefix(text, so) && (a.repeats != unknown || len(so) > 3):
		if a.repeats == unknown {
			a.repeats = all
		}
		return text[len(so):]
	case a.repeats == unknown:
		a.repeats = none
	}
	return text
}

// content returns the text of a content, which is a text, a part or several, or the JSON
// that was asked for, and the refusal in it.
func content(value json.RawMessage) (text, refused string) {
	parts, o := []json.RawMessage{}, wire.ObjectOf(value)
	switch {
	case len(value) == 0 || string(value) == "null":
		return "", ""
	case value[0] == '"':
		return wire.TextOf(value), ""
	case o != nil:
		parts = append(parts, value)
	case json.Unmarshal(value, &parts) != nil:
		return string(value), "" // a number
	}
	for _, part := range parts {
		o := wire.ObjectOf(part)
		sort := o.Text("type")
		is := func(s string) bool { return strings.Contains(sort, s) }
		switch {
		case o == nil:
			text += wire.TextOf(part)
		case sort == "refusal":
			refused += o.Text("refusal", "text")
		case is("think") || is("reason"):
		case is("text") || sort == "" && len(o) <= 2 && o["text"] != nil:
			text += cmp.Or(o.Text("text"), o.Object("text").Text("value"), o.Text("content"))
		case !is("image") && !is("audio") && !is("refer") && !is("cit") && !is("tool"):
			return string(value), "" // no part
		}
	}
	return text, refused
}
