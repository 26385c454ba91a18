package coordination_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func note(c coordination.Class) coordination.Note {
	return coordination.Note{
		Class: c, Audience: coordination.Coordinator, Priority: coordination.Normal, Confidence: coordination.Graded(0.5), Summary: "something",
	}
}

func TestMessageClassFollowsFromClass(t *testing.T) {
	want := map[string]signals.Kind{
		"attention.raise": "attention", "confidence.high": "confidence", "confidence.medium": "confidence",
		"confidence.low": "confidence", "confidence.blocker": "confidence", "conflict.active": "conflict.notice",
		"conflict.resolved": "conflict.notice", "handoff.ready": "handoff", "handoff.partial": "handoff",
		"escalation.interrupt": "escalation", "escalation.uncertainty": "escalation",
	}
	if len(want) != 11 {
		t.Fatal("eleven classes")
	}
	for name, kind := range want {
		var c coordination.Class
		if err := c.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		if got := c.Message().Kind(); got != kind || c.String() != name {
			t.Errorf("%s (%s): kind %s, want %s", name, c, got, kind)
		}
	}
	for _, old := range []string{"attention.dismiss", "handoff.blocked", "escalation.required", "escalation.immediate", "conflict.detected", ""} {
		var c coordination.Class
		if err := c.UnmarshalText([]byte(old)); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("class %q: %v", old, err)
		}
	}
}

func TestKindAndClassCannotDisagree(t *testing.T) {
	s := signals.New(signals.Header{Thread: "t"}, coordination.Attention{Note: note(coordination.HandoffReady)})
	refused(t, signals.Validate(s), "class")
}

// Confidence bands have no gap and no overlap.
func TestConfidenceBands(t *testing.T) {
	fits := func(c coordination.Class, x float64) bool {
		n := note(c)
		n.Confidence = coordination.Graded(x)
		return signals.Validate(signals.New(signals.Header{Thread: "t"}, coordination.Confidence{Note: n})) == nil
	}
	for x, want := range map[float64]coordination.Class{
		0: coordination.ConfidenceBlocker, math.SmallestNonzeroFloat64: coordination.ConfidenceLow,
		0.05: coordination.ConfidenceLow, 0.39: coordination.ConfidenceLow,
		math.Nextafter(0.4, 0): coordination.ConfidenceLow, 0.4: coordination.ConfidenceMedium,
		0.795: coordination.ConfidenceMedium, math.Nextafter(0.8, 0): coordination.ConfidenceMedium,
		0.8: coordination.ConfidenceHigh, 1: coordination.ConfidenceHigh,
	} {
		for c := coordination.ConfidenceHigh; c <= coordination.ConfidenceBlocker; c++ {
			if got := fits(c, x); got != (c == want) {
				t.Errorf("%s with %v: fits %v, want %v", c, x, got, c == want)
			}
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), -0.1, 1.1} {
		for c := coordination.ConfidenceHigh; c <= coordination.ConfidenceBlocker; c++ {
			if fits(c, x) {
				t.Errorf("%s accepts %v", c, x)
			}
		}
	}
}

func TestGradeDistinguishesNoneFromZero(t *testing.T) {
	var none, zero coordination.Grade
	if err := json.Unmarshal([]byte("null"), &none); err != nil || !none.IsZero() || none.String() != "none" {
		t.Errorf("null reads as %v: %v", none, err)
	}
	if err := json.Unmarshal([]byte("0"), &zero); err != nil || zero.IsZero() || !zero.Equal(coordination.Graded(0)) {
		t.Errorf("0 reads as %v: %v", zero, err)
	}
	if zero.Equal(none) {
		t.Error("none equals 0")
	}
	if got := coordination.Graded(0.875).String(); got != "0.875" {
		t.Errorf("0.875 is %s", got)
	}
}

// A draft says what its author left open, and is checked before it is emitted.
func TestADraftHasDefaults(t *testing.T) {
	for c := coordination.AttentionRaise; c <= coordination.EscalationUncertainty; c++ {
		n := note(c)
		n.Audience, n.Priority, n.Confidence = 0, 0, coordination.Grade{}
		audience, priority := coordination.Coordinator, coordination.Normal
		switch c.Message() {
		case coordination.AboutHandoff:
			audience = coordination.Selected
		case coordination.AboutEscalation:
			priority = coordination.High
		}
		s := coordination.Draft(n)
		if got := coordination.NoteOf(s); got.Audience != audience || got.Priority != priority || s.Kind() != c.Message().Kind() {
			t.Errorf("%s: to %s at %s, of kind %s", c, got.Audience, got.Priority, s.Kind())
		}
	}
}

func TestInvalidNotesAreRefused(t *testing.T) {
	for field, change := range map[string]func(*coordination.Note){
		"class":         func(n *coordination.Note) { n.Class = 0 },
		"audience":      func(n *coordination.Note) { n.Audience = 9 },
		"priority":      func(n *coordination.Note) { n.Priority = 9 },
		"summary":       func(n *coordination.Note) { n.Summary = "\u202e" },
		"step":          func(n *coordination.Note) { n.Step = -1 },
		"expiresAtStep": func(n *coordination.Note) { n.ExpiresAtStep, n.Priority = 3, coordination.Critical },
		"expiresAfter":  func(n *coordination.Note) { n.ExpiresAfter = -1 },
		"layer":         func(n *coordination.Note) { n.Layer = "\n" },
	} {
		n := note(coordination.AttentionRaise)
		change(&n)
		refused(t, signals.Validate(coordination.Draft(n)), field)
	}
	n := note(coordination.AttentionRaise)
	n.ExpiresAfter, n.ExpiresAtStep = 1, 1
	refused(t, signals.Validate(coordination.Draft(n)), "expiresAfter")
	refused(t, signals.Validate(coordination.Resolution()), "signals")
}

func TestNotesAreReadAsSentences(t *testing.T) {
	n := note(coordination.ConfidenceMedium)
	n.Details, n.Priority = "two of three agree", coordination.High
	if got, want := n.String(), "high confidence.medium 0.50: something — two of three agree"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s := coordination.Signal{Source: "tester", Class: coordination.HandoffReady, Priority: coordination.Normal, Summary: "all green"}
	if got, want := s.String(), "tester: handoff.ready: all green"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	tr, _ := signals.As[coordination.Transition](coordination.Resolution(signals.MustID("sig_a"), signals.MustID("sig_b")))
	if got, want := tr.Payload.String(), "resolved: sig_a, sig_b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func refused(t *testing.T, err error, field string) {
	t.Helper()
	var f *signals.FieldError
	if !errors.As(err, &f) || f.Field != field {
		t.Errorf("got %v, want a refusal of %s", err, field)
	}
}
