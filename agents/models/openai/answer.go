package openai

import (
	"cmp"
	"encoding/json"
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
	text    wire.Text
	repeats repeats
	refused wire.Text
	calls   calls
	kept    members
	finish  finish
	usage   usage
	model   string
	chat    bool              // what has come has the form of an answer
	stray   string            // an event that is no part of one
	items   []json.RawMessage // of Open Responses, as each is complete
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
func (a *answer) read(e wire.Event) {
	o := e.Object()
	if inner := o.Object("provider", "data", "result", "response"); inner["choices"] != nil && !o.Has("choices") {
		o = inner // of a gateway
	}
	a.chat = a.chat || o["choices"] != nil
	a.model = cmp.Or(wire.Clean(o.Text("model")), a.model)
	a.usage.add(o)
	choices := o.List("choices")
	if choices == nil && o.Object("message", "delta") != nil {
		choices = []json.RawMessage{e.Data}
	}
	if len(choices) == 0 && len(o) > 0 && o["usage"] == nil && o["choices"] == nil {
		a.stray = string(e.Data[:min(len(e.Data), 300)])
	}
	for i, value := range choices {
		c := wire.ObjectOf(value)
		if first := wire.ObjectOf(choices[0]); i > 0 && c.Label("index") != first.Label("index") {
			continue // of several answers, the first one counts
		}
		a.usage.add(c)
		a.choice(c, e.Bare)
	}
	a.finish.add(o)
}

// choice reads a choice: a delta of the answer, or a message. Some servers send an empty
// delta beside a message, others both in full.
func (a *answer) choice(c wire.Object, bare bool) {
	delta, message := c.Object("delta"), c.Object("message")
	for _, o := range []wire.Object{c, delta, message} {
		a.finish.add(o)
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
		a.finish.whole = a.finish.whole || bare
		text = a.rest(text)
	} else if text != "" {
		a.repeats = deltas
	}
	a.say(text)
	a.refused.Add(refused + part.Text("refusal"))
	calls := part.List("tool_calls")
	if calls == nil && part.Object("function_call") != nil { // else it says the same
		calls = append(calls, part["function_call"])
	}
	for i, call := range calls {
		place := ""
		if len(calls) > 1 {
			place = fmt.Sprint("place ", i)
		}
		a.calls.add(wire.ObjectOf(call), place, a.asked.Tools)
	}
	a.kept.add(part, "role", "content", "refusal", "tool_calls", "function_call", "finish_reason", "index", "name", "annotations", "audio", "logprobs")
}

// rest returns what the text of a message adds to the text so far.
func (a *answer) rest(text string) string {
	so := a.text.Raw()
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

func (a *answer) say(text string) { a.show(a.text.Add(text)) }

func (a *answer) show(text string) {
	if text != "" && a.asked.Show != nil {
		a.asked.Show(models.Piece{Text: text})
	}
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

// whole returns the answer if it is complete.
func (a *answer) whole(id models.ID, r *wire.Response) (*models.Answer, error) {
	a.show(a.text.Rest())
	if refused := a.refused.String(); refused != "" || a.finish.why == filtered {
		return nil, r.Problem(models.ErrFiltered, cmp.Or(refused, a.text.String(), a.finish.word))
	}
	to := &models.Answer{Text: a.text.String(), Finish: a.finish.why, Model: a.model}
	switch words := cmp.Or(r.Words(), a.stray); {
	case a.finish.why == broken:
		return nil, r.Problem(models.ErrCutOff, fmt.Sprintf("finish reason %s %s", a.finish.word, words))
	case a.finish.why == "" && a.finish.whole:
		to.Finish = models.FinishStop
	case a.finish.why == "":
		return nil, a.unended(r, words)
	case a.finish.odd:
		to.Notes = append(to.Notes, fmt.Sprintf("the finish reason %.60q is not known: it is taken for an end", a.finish.word))
	}
	var err error
	if to.Calls, err = a.calls.whole(to.Finish == models.FinishLength); err != nil {
		return nil, r.Problem(models.ErrMalformed, err.Error())
	}
	to.Identify(a.asked)
	a.answered(to)
	if len(to.Calls) > 0 && to.Finish != models.FinishLength {
		to.Finish = models.FinishCalls
	}
	if to.Finish == models.FinishCalls && len(to.Calls) == 0 {
		return nil, r.Problem(models.ErrMalformed, "the calls are missing")
	}
	to.Usage = a.usage.total()
	if to.Usage.Input == 0 || !to.Counted() { // every prompt has tokens
		to.Usage = models.Usage{}
	}
	to.Kept = a.keep(id, len(to.Calls))
	if err := to.Validate(id); err != nil {
		return nil, err
	}
	return to, nil
}

// unended returns the error of an answer that has no end: one that breaks off, or none at
// all, which the server would not answer otherwise the next time.
func (a *answer) unended(r *wire.Response, words string) error {
	kind := r.Header.Get("Content-Type")
	if a.text.Raw() == "" && len(a.calls) == 0 && (words != "" || !strings.HasPrefix(strings.ToLower(kind), "text/event-stream")) {
		e := r.Problem(models.ErrMalformed, fmt.Sprintf("the response of content type %q is no answer: %s", kind, words))
		e.Final = !a.chat
		return e
	}
	return r.Problem(models.ErrCutOff, strings.TrimSuffix("the stream ended without a finish reason: "+words, ": "))
}
