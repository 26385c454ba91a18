package connectivity

import (
	"strconv"
	"unicode"

	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of the layer's signals on the bus: one for each message class.
const (
	KindAttention  signals.Kind = "attention"
	KindConfidence signals.Kind = "confidence"
	KindConflict   signals.Kind = "conflict.notice"
	KindHandoff    signals.Kind = "handoff"
	KindEscalation signals.Kind = "escalation"
)

// Note is the content of every signal of the layer on the bus, whatever its
// kind. Source, thread, time and recipients are in the header; the header's
// confidence is the grade, and 1 without one.
type Note struct {
	Link
	Class         Class      `json:"class"` // required
	Audience      Audience   `json:"audience"`
	Priority      Priority   `json:"priority"`
	Confidence    Grade      `json:"confidence,omitzero"`
	Summary       string     `json:"summary"` // required
	Details       string     `json:"details,omitempty"`
	Replaces      signals.ID `json:"replaces,omitzero"`
	Step          int        `json:"step"`                    // of the thread when the signal was emitted
	ExpiresAtStep int        `json:"expiresAtStep,omitempty"` // 0: never
	ExpiresAfter  int        `json:"expiresAfter,omitempty"`  // of a draft: see [Input]
	Components    int        `json:"components,omitempty"`    // the number registered, if the signal is for all of them
}

// The payloads of the five kinds. They are read from the bus, but published
// only by a [Layer]: one that names no layer is a draft, see [Input.Draft].
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
	if n.Class.Message() != m && classNames.Has(n.Class) {
		return &signals.FieldError{Field: "class", Value: n.Class.String(), Problem: "not of " + m.String()}
	}
	return first(n.Link.check(l), n.check(l))
}

// check checks all rules except those that depend on the thread.
func (n *Note) check(l signals.Limits) error {
	return first(
		classNames.Check(n.Class),
		audienceNames.Check(n.Audience),
		priorityNames.Check(n.Priority),
		n.Confidence.check(n.Class),
		l.Required("summary", n.Summary),
		checkSummary(n.Summary),
		l.Text("details", n.Details),
		checkStep("step", n.Step),
		checkStep("expiresAtStep", n.ExpiresAtStep),
		n.checkCritical(),
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

// checkCritical refuses what would let a critical signal end unanswered.
func (n *Note) checkCritical() error {
	if n.Priority != Critical || n.ExpiresAtStep == 0 {
		return nil
	}
	return &signals.FieldError{
		Field: "expiresAtStep", Value: strconv.Itoa(n.ExpiresAtStep), Problem: "a critical signal does not expire",
	}
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

func checkStep(field string, step int) error {
	if step >= 0 {
		return nil
	}
	return &signals.FieldError{Field: field, Value: strconv.Itoa(step), Problem: "below 0"}
}

// NoteOf returns the note in s, and whether s is of one of the layer's five
// kinds.
func NoteOf(s signals.Any) (Note, bool) {
	if n := noteOf(s); n != nil {
		return *n, true
	}
	return Note{}, false
}

// noteOf returns the note in s itself, or nil.
func noteOf(s signals.Any) *Note {
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
