package thinker

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Coordinates returns the kinds with which a thinker can coordinate. Each takes room in
// the prompt, so they are not among [Says]: an agent that uses them lists them in CanEmit.
func Coordinates() []signals.Kind {
	return []signals.Kind{
		coordination.KindAttention, coordination.KindConfidence, coordination.KindConflict,
		coordination.KindHandoff, coordination.KindEscalation, coordination.KindTransition,
	}
}

// note has the members of an element of an answer that coordinates.
type note struct {
	To       string `json:"to"`
	State    string `json:"state"`
	Priority string `json:"priority"`
	Summary  string `json:"summary"`
	Details  string `json:"details"`
}

// draft returns a note of that form as the model stated it.
func (s *said) draft(form string) (signals.Any, error) {
	n := coordination.Note{Summary: s.Summary, Details: s.Details}
	if s.Confidence != nil && (form == "confidence" || form == "conflict") {
		n.Confidence = coordination.Graded(*s.Confidence + 0)
	}
	err := n.Class.UnmarshalText([]byte(class(form, s)))
	if err != nil {
		return nil, errors.New("state has to be one of those that the form names")
	}
	if s.To != "" {
		err = n.Audience.UnmarshalText([]byte(s.To))
	}
	if s.Priority != "" && err == nil {
		err = n.Priority.UnmarshalText([]byte(s.Priority))
	}
	return coordination.Draft(n), err
}

// class returns the class of a note, whose name begins with that of its message class.
func class(form string, s *said) string {
	switch form {
	case "attention":
		return "attention.raise"
	case "confidence":
		return "confidence." + grade(*s.Confidence)
	case "alarm":
		return "escalation." + s.State
	}
	return form + "." + s.State
}

// grade returns the band that a confidence is in.
func grade(x float64) string {
	switch {
	case x == 0:
		return "blocker"
	case x < 0.4:
		return "low"
	case x < 0.8:
		return "medium"
	}
	return "high"
}

// asSaid adds the members with which the model stated a note.
func asSaid(l *line, n *coordination.Note) {
	f, name := formOf(n.Class.Message().Kind()), n.Class.String()
	if f.has("to") {
		l.say("to", n.Audience.String())
	}
	if f.has("state") {
		l.say("state", name[len(n.Class.Message().String())+1:])
	}
	if f.has("priority") {
		l.say("priority", n.Priority.String())
	}
	l.say("summary", n.Summary)
	l.add("details", text.Prompt(n.Details, l.text))
}

// addressed returns a signal of the inbox as a line.
func (v *view) addressed(s *coordination.Signal) string {
	l := &line{text: v.text}
	l.add("ref", fmt.Sprintf(`"S%d"`, s.Seq))
	l.add("from", text.Prompt(s.Source, signals.NameBytes))
	l.say("class", s.Class.String())
	if s.Priority != coordination.Normal {
		l.say("priority", s.Priority.String())
	}
	l.say("summary", s.Summary)
	v.detail(l, "details", s.Details)
	if x, given := s.Confidence.Get(); given {
		l.add("confidence", fmt.Sprintf("%.2f", x))
	}
	return l.String()
}
