package connectivity_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
)

var link = connectivity.Link{Layer: "main", Since: 1}

func note(c connectivity.Class) connectivity.Note {
	return connectivity.Note{
		Link: link, Class: c, Audience: connectivity.Coordinator, Priority: connectivity.Normal,
		Confidence: connectivity.Graded(0.5), Summary: "something", Step: 2, ExpiresAtStep: 7,
	}
}

// kinds holds a valid payload of every kind of the layer.
func kinds() []signals.Any {
	h := signals.Header{Thread: "t", Confidence: 0.5}
	id := signals.MustID("sig_a")
	return []signals.Any{
		signals.New(h, connectivity.Attention{Note: note(connectivity.AttentionRaise)}),
		signals.New(h, connectivity.Confidence{Note: note(connectivity.ConfidenceMedium)}),
		signals.New(h, connectivity.ConflictNotice{Note: note(connectivity.ConflictActive)}),
		signals.New(h, connectivity.Handoff{Note: note(connectivity.HandoffPartial)}),
		signals.New(h, connectivity.Escalation{Note: note(connectivity.EscalationInterrupt)}),
		signals.New(h, connectivity.Transition{Link: link, State: connectivity.Resolved, Signals: []signals.ID{id, signals.MustID("sig_b")}}),
		signals.New(h, connectivity.Step{Link: link, Step: 3}),
		signals.New(h, connectivity.Requested{Link: link, For: id, At: 1, Mode: signals.Deep}),
		signals.New(h, connectivity.Members{Link: link, Joined: []string{"a"}, Coordinator: new(string)}),
		signals.New(h, connectivity.Closed{Link: link}),
	}
}

func TestEveryKindReadsBackEqual(t *testing.T) {
	codec, err := signals.NewCodec(connectivity.Payloads()...)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(connectivity.Payloads()); got != len(kinds()) {
		t.Fatalf("%d payloads, %d samples", got, len(kinds()))
	}
	for _, s := range kinds() {
		data, err := signals.Marshal(s)
		if err != nil {
			t.Fatalf("%s: %v", s.Kind(), err)
		}
		back, err := codec.Unmarshal(data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		id := cmp.Comparer(func(a, b signals.ID) bool { return a == b })
		if diff := cmp.Diff(s.Body(), back.Body(), id); diff != "" {
			t.Errorf("%s changed:\n%s", s.Kind(), diff)
		}
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
		var c connectivity.Class
		if err := c.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		if got := c.Message().Kind(); got != kind || c.String() != name {
			t.Errorf("%s (%s): kind %s, want %s", name, c, got, kind)
		}
	}
	for _, old := range []string{"attention.dismiss", "handoff.blocked", "escalation.required", "escalation.immediate", "conflict.detected", ""} {
		var c connectivity.Class
		if err := c.UnmarshalText([]byte(old)); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("class %q: %v", old, err)
		}
	}
}

func TestKindAndClassCannotDisagree(t *testing.T) {
	s := signals.New(signals.Header{Thread: "t"}, connectivity.Attention{Note: note(connectivity.HandoffReady)})
	refused(t, signals.Validate(s), "class")
}

func TestBooksAreChecked(t *testing.T) {
	for field, p := range map[string]signals.Any{
		"state":       signals.New(signals.Header{}, connectivity.Transition{Link: link, State: connectivity.Emitted}),
		"signals":     signals.New(signals.Header{}, connectivity.Transition{Link: link, State: connectivity.Expired}),
		"step":        signals.New(signals.Header{}, connectivity.Step{Link: link}),
		"effort":      signals.New(signals.Header{}, connectivity.Requested{Link: link, For: signals.MustID("sig_a"), At: 1}),
		"for":         signals.New(signals.Header{}, connectivity.Requested{Link: link, At: 1, Mode: signals.Fast}),
		"layer":       signals.New(signals.Header{}, connectivity.Closed{Link: connectivity.Link{Layer: "\n"}}),
		"components":  signals.New(signals.Header{}, connectivity.Members{Link: link, Joined: []string{""}}),
		"coordinator": signals.New(signals.Header{}, connectivity.Members{Link: link, Coordinator: &[]string{"\n"}[0]}),
	} {
		refused(t, signals.Validate(p), field)
	}
}

// Confidence bands have no gap and no overlap.
func TestConfidenceBands(t *testing.T) {
	fits := func(c connectivity.Class, x float64) bool {
		n := note(c)
		n.Confidence = connectivity.Graded(x)
		return signals.Validate(signals.New(signals.Header{Thread: "t"}, connectivity.Confidence{Note: n})) == nil
	}
	for x, want := range map[float64]connectivity.Class{
		0: connectivity.ConfidenceBlocker, math.SmallestNonzeroFloat64: connectivity.ConfidenceLow,
		0.05: connectivity.ConfidenceLow, 0.39: connectivity.ConfidenceLow,
		math.Nextafter(0.4, 0): connectivity.ConfidenceLow, 0.4: connectivity.ConfidenceMedium,
		0.795: connectivity.ConfidenceMedium, math.Nextafter(0.8, 0): connectivity.ConfidenceMedium,
		0.8: connectivity.ConfidenceHigh, 1: connectivity.ConfidenceHigh,
	} {
		for c := connectivity.ConfidenceHigh; c <= connectivity.ConfidenceBlocker; c++ {
			if got := fits(c, x); got != (c == want) {
				t.Errorf("%s with %v: fits %v, want %v", c, x, got, c == want)
			}
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), -0.1, 1.1} {
		for c := connectivity.ConfidenceHigh; c <= connectivity.ConfidenceBlocker; c++ {
			if fits(c, x) {
				t.Errorf("%s accepts %v", c, x)
			}
		}
	}
}

func TestGradeTellsNoneFromZero(t *testing.T) {
	var none, zero connectivity.Grade
	if err := json.Unmarshal([]byte("null"), &none); err != nil || !none.IsZero() || none.String() != "none" {
		t.Errorf("null reads as %v: %v", none, err)
	}
	if err := json.Unmarshal([]byte("0"), &zero); err != nil || zero.IsZero() || !zero.Equal(connectivity.Graded(0)) {
		t.Errorf("0 reads as %v: %v", zero, err)
	}
	if zero.Equal(none) {
		t.Error("none equals 0")
	}
	if got := connectivity.Graded(0.875).String(); got != "0.875" {
		t.Errorf("0.875 is %s", got)
	}
}

func refused(t *testing.T, err error, field string) {
	t.Helper()
	var f *signals.FieldError
	if !errors.As(err, &f) || f.Field != field {
		t.Errorf("got %v, want a refusal of %s", err, field)
	}
}
