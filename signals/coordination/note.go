package coordination

import (
	"strconv"
	"unicode"

	"github.com/swarmbus/swarmbus/signals"
)

// Note is the content of a coordination signal, whatever its kind. Source, thread, time
// and recipients are in the header; the header's confidence is the grade, and 1 without
// one. Most notes need a class and a summary, and those about confidence and conflict a
// grade. An agent yields a note as a [Draft].
type Note struct {
	Link
	Class      Class    `json:"class"`               // required; the message class follows from it
	Audience   Audience `json:"audience"`            // 0 in a draft means Selected for handoffs, Coordinator for all others
	Priority   Priority `json:"priority"`            // 0 in a draft means High for escalations, Normal for all others
	Confidence Grade    `json:"confidence,omitzero"` // required for confidence.* and conflict.*

	Summary  string     `json:"summary"`           // required: one sentence that can be acted on
	Details  string     `json:"details,omitempty"` // preferably under 500 characters
	Replaces signals.ID `json:"replaces,omitzero"` // the live note of the thread that this one supersedes; zero: none

	// ExpiresAtStep is the step at which the note expires; it must be a later one.
	// ExpiresAfter, which only drafts have, says the same relative to the present step.
	// 0 means never; only one of the two may be set, and neither for a critical note.
	ExpiresAtStep int `json:"expiresAtStep,omitempty"`
	ExpiresAfter  int `json:"expiresAfter,omitempty"`

	Step       int `json:"step"`                 // of the thread when the note was emitted; 0 in a draft
	Components int `json:"components,omitempty"` // the number registered, if the note is for all of them
}

// The payloads of the five kinds. Agents read them and yield them as drafts ([Draft]);
// only a layer writes them to a log.
type (
	// Attention is the payload of KindAttention.
	Attention struct{ Note }
	// Confidence is the payload of KindConfidence.
	Confidence struct{ Note }
	// ConflictNotice is the payload of KindConflict.
	ConflictNotice struct{ Note }
	// Handoff is the payload of KindHandoff.
	Handoff struct{ Note }
	// Escalation is the payload of KindEscalation.
	Escalation struct{ Note }
)

// Kind returns KindAttention.
func (Attention) Kind() signals.Kind { return KindAttention }

// Kind returns KindConfidence.
func (Confidence) Kind() signals.Kind { return KindConfidence }

// Kind returns KindConflict.
func (ConflictNotice) Kind() signals.Kind { return KindConflict }

// Kind returns KindHandoff.
func (Handoff) Kind() signals.Kind { return KindHandoff }

// Kind returns KindEscalation.
func (Escalation) Kind() signals.Kind { return KindEscalation }

// Check implements [signals.Checker].
func (p *Attention) Check(l signals.Limits) error { return p.checkAs(l, AboutAttention) }

// Check implements [signals.Checker].
func (p *Confidence) Check(l signals.Limits) error { return p.checkAs(l, AboutConfidence) }

// Check implements [signals.Checker].
func (p *ConflictNotice) Check(l signals.Limits) error { return p.checkAs(l, AboutConflict) }

// Check implements [signals.Checker].
func (p *Handoff) Check(l signals.Limits) error { return p.checkAs(l, AboutHandoff) }

// Check implements [signals.Checker].
func (p *Escalation) Check(l signals.Limits) error { return p.checkAs(l, AboutEscalation) }

func (n *Note) checkAs(l signals.Limits, m Message) error {
	if n.Class.Message() != m && n.Class.Check() == nil {
		return &signals.FieldError{Field: "class", Value: n.Class.String(), Problem: "not of " + m.String()}
	}
	return n.Check(l)
}

// Check implements [signals.Checker]. It checks all rules except those that depend on the
// thread.
func (n *Note) Check(l signals.Limits) error {
	return first(
		n.Link.Check(l),
		n.Class.Check(),
		audienceNames.Check(n.Audience),
		n.Priority.Check(),
		n.Confidence.check(n.Class),
		l.Required("summary", n.Summary),
		checkSummary(n.Summary),
		l.Text("details", n.Details),
		atLeastZero("step", n.Step),
		atLeastZero("expiresAtStep", n.ExpiresAtStep),
		atLeastZero("expiresAfter", n.ExpiresAfter),
		n.checkExpiry(),
	)
}

// checkSummary refuses a text without visible characters, and one with control
// characters other than tabs: line breaks, and characters that change the
// direction of the text.
func checkSummary(text string) error {
	if isPlain(text) {
		return nil
	}
	blank := true
	for _, r := range text {
		switch {
		case visible(r):
			blank = false
		case unicode.IsControl(r) && r != '\t', unicode.In(r, unicode.Zl, unicode.Zp), reorders(r):
			return &signals.FieldError{Field: "summary", Value: text, Problem: "a control character"}
		}
	}
	if blank {
		return &signals.FieldError{Field: "summary", Value: text, Problem: "blank"}
	}
	return nil
}

// reorders reports whether r changes the order in which the characters after it
// are shown: the embeddings, overrides and isolates. Directional marks, which
// occur in ordinary Arabic and Hebrew text, do not.
func reorders(r rune) bool {
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// isPlain reports whether a text is printable ASCII that does not begin with a
// space, like most summaries. It costs a third of checkSummary.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return text != "" && text[0] != ' '
}

// visible reports whether r alone is visible. There are letters and symbols
// that are not.
func visible(r rune) bool {
	const blankBraille, nullNotehead = '\u2800', '\U0001d159'
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsPunct(r) || unicode.IsSymbol(r)) &&
		r != blankBraille && r != nullNotehead && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// checkExpiry refuses two expiries, and one that would let a critical note end
// unanswered.
func (n *Note) checkExpiry() error {
	field, steps := "expiresAtStep", n.ExpiresAtStep
	if n.ExpiresAfter != 0 {
		field, steps = "expiresAfter", n.ExpiresAfter
	}
	switch {
	case n.ExpiresAfter != 0 && n.ExpiresAtStep != 0:
		return &signals.FieldError{Field: field, Value: strconv.Itoa(steps), Problem: "expiresAtStep is set too"}
	case steps != 0 && n.Priority == Critical:
		return &signals.FieldError{Field: field, Value: strconv.Itoa(steps), Problem: "a critical signal does not expire"}
	}
	return nil
}

// first returns the first non-nil error. cmp.Or compares interfaces, which took
// a tenth of the time of a suppressed Emit.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func atLeastZero(field string, steps int) error {
	if steps >= 0 {
		return nil
	}
	return &signals.FieldError{Field: field, Value: strconv.Itoa(steps), Problem: "below 0"}
}

// String describes the note in a sentence, for people.
func (n Note) String() string {
	return sentence(n.Class, n.Priority, n.Confidence, n.Summary, n.Details)
}

// NoteOf returns the note in s, which must not be modified, or nil if s is not of one of
// the five kinds.
func NoteOf(s signals.Any) *Note {
	switch s := s.(type) {
	case *signals.Signal[Attention]:
		return &s.Payload.Note
	case *signals.Signal[Confidence]:
		return &s.Payload.Note
	case *signals.Signal[ConflictNotice]:
		return &s.Payload.Note
	case *signals.Signal[Handoff]:
		return &s.Payload.Note
	case *signals.Signal[Escalation]:
		return &s.Payload.Note
	}
	return nil
}
