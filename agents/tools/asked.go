package tools

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of what a log of several processes has about calls that need a person's permission.
// They count if the system says them.
const (
	KindAsked    signals.Kind = "tool:asked"
	KindAnswered signals.Kind = "tool:answered"
)

// Payloads returns the registrations of these kinds for a [signals.Codec].
func Payloads() []signals.Registration {
	return []signals.Registration{signals.For[AskedCall](), signals.For[AnsweredCall]()}
}

// AskedCall is a [Question] on its way to another process, and in a log.
type AskedCall struct {
	Agent   string `json:"agent"`             // required
	Tool    string `json:"tool"`              // required; the full name
	Args    string `json:"args"`              // required; JSON
	Why     string `json:"why"`               // required
	Changed string `json:"changed,omitempty"` // a [Spec] as JSON; "": the tool has not changed
	For     string `json:"for"`               // required
	Once    Place  `json:"once"`              // required
	Solve   Place  `json:"solve,omitzero"`
}

// AskedOf returns the payload of a question.
func AskedOf(q Question) AskedCall {
	a := AskedCall{Agent: q.Agent, Tool: q.Tool, Args: string(q.Args), Why: q.Why, For: q.For, Once: q.Once, Solve: q.Solve}
	if q.Changed != nil {
		text, _ := json.Marshal(q.Changed) // raw messages that were validated always marshal
		a.Changed = string(text)
	}
	return a
}

// Question returns the question; its error is that of a changed tool that is no [Spec].
func (p AskedCall) Question() (Question, error) {
	q := Question{Agent: p.Agent, Tool: p.Tool, Args: json.RawMessage(p.Args), Why: p.Why, For: p.For, Once: p.Once, Solve: p.Solve}
	if p.Changed == "" {
		return q, nil
	}
	q.Changed = new(Spec)
	return q, json.Unmarshal([]byte(p.Changed), q.Changed)
}

// mostAsked is the most bytes of the texts of a question.
const mostAsked = 256 << 10

// Kind returns KindAsked.
func (AskedCall) Kind() signals.Kind { return KindAsked }

// Check implements [signals.Checker]. The places have to be those of this call of this tool
// with these arguments, so that an answer allows what was shown and nothing else.
func (p AskedCall) Check(l signals.Limits) error {
	wrong := func(field, value, problem string) error {
		return &signals.FieldError{Kind: KindAsked, Field: field, Value: text.Cut(value, 80), Problem: problem}
	}
	if n := len(p.Args) + len(p.Why) + len(p.Changed) + len(p.For); n > mostAsked {
		return wrong("args", p.Args, fmt.Sprintf("the question has %d bytes, at most %d are allowed", n, mostAsked))
	}
	q, err := p.Question()
	call := Place{Thread: p.Once.Thread, Agent: p.Agent, Turn: p.Once.Turn, Call: p.Once.Call}
	switch {
	case err != nil:
		return wrong("changed", p.Changed, err.Error())
	case q.Changed != nil && (q.Changed.Full() != p.Tool || q.Changed.Hash() != p.For):
		return wrong("changed", p.Changed, "not the tool that is asked about")
	case !json.Valid([]byte(p.Args)):
		return wrong("args", p.Args, "not JSON")
	case p.Why == "":
		return wrong("why", "", "required")
	case p.Once != call.with("call", p.Tool, p.Args).with("answer", p.For):
		return wrong("once", p.Once.Request, "not the place of this call of the tool")
	case p.Solve != Place{} && p.Solve != call.solve("allow", p.Tool, p.For):
		return wrong("solve", p.Solve.Request, "not the place of the tool in the solve")
	}
	return cmp.Or(
		l.Name("agent", p.Agent), l.Name("tool", p.Tool), l.Name("thread", p.Once.Thread),
		l.Text("args", p.Args), l.Text("why", p.Why), l.Text("changed", p.Changed),
	)
}

// String describes p in words.
func (p AskedCall) String() string {
	q, _ := p.Question() // a line without the changed tool is better than none
	return q.String()
}

// AnsweredCall is an [Answer] in a log, and on its way to the process of the agent.
type AnsweredCall struct {
	Place  Place  `json:"place"` // that of the question ([Question.PlaceOf])
	Answer Answer `json:"answer"`
}

// Kind returns KindAnswered.
func (AnsweredCall) Kind() signals.Kind { return KindAnswered }

// Check implements [signals.Checker].
func (p AnsweredCall) Check(l signals.Limits) error {
	return cmp.Or(l.Name("thread", p.Place.Thread), l.Name("agent", p.Place.Agent), p.Answer.Validate(), l.Text("reason", p.Answer.Reason), l.Text("by", p.Answer.By))
}

// String describes p in words.
func (p AnsweredCall) String() string {
	line := fmt.Sprintf("%s answers %s: %s", cmp.Or(text.Printable(p.Answer.By), "a person"), p.Place.Agent, p.Answer.Verdict)
	if p.Answer.Reason != "" {
		line += ": " + excerpt(p.Answer.Reason)
	}
	return line
}
