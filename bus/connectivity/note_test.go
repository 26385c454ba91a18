package connectivity_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

var link = coordination.Link{Layer: "main", Since: 1}

func note(c coordination.Class) coordination.Note {
	return coordination.Note{
		Link: link, Class: c, Audience: coordination.Coordinator, Priority: coordination.Normal,
		Confidence: coordination.Graded(0.5), Summary: "something", Step: 2, ExpiresAtStep: 7,
	}
}

// kinds holds a valid payload of every kind of the layer.
func kinds() []signals.Any {
	h := signals.Header{Thread: "t", Confidence: 0.5}
	id := signals.MustID("sig_a")
	return []signals.Any{
		signals.New(h, coordination.Attention{Note: note(coordination.AttentionRaise)}),
		signals.New(h, coordination.Confidence{Note: note(coordination.ConfidenceMedium)}),
		signals.New(h, coordination.ConflictNotice{Note: note(coordination.ConflictActive)}),
		signals.New(h, coordination.Handoff{Note: note(coordination.HandoffPartial)}),
		signals.New(h, coordination.Escalation{Note: note(coordination.EscalationInterrupt)}),
		signals.New(h, coordination.Transition{Link: link, State: coordination.Resolved, Signals: []signals.ID{id, signals.MustID("sig_b")}}),
		signals.New(h, coordination.Step{Link: link, Step: 3}),
		signals.New(h, coordination.Requested{Link: link, For: id, At: 1, Mode: signals.Deep}),
		signals.New(h, coordination.Members{Link: link, Joined: []string{"a"}, Coordinator: new(string)}),
		signals.New(h, coordination.Closed{Link: link}),
	}
}

func TestEveryKindReadsBackEqual(t *testing.T) {
	codec, err := signals.NewCodec(coordination.Entries()...)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(coordination.Entries()); got != len(kinds()) {
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

func TestBooksAreReadAsSentences(t *testing.T) {
	lead, nobody := "ann", ""
	for want, p := range map[string]fmt.Stringer{
		"step 3 begins":                            coordination.Step{Step: 3},
		"sig_a asks for deep turns":                coordination.Requested{For: signals.MustID("sig_a"), Mode: signals.Deep},
		"a, b joined; c left; ann coordinates":     coordination.Members{Joined: []string{"a", "b"}, Left: []string{"c"}, Coordinator: &lead},
		"no one coordinates":                       coordination.Members{Coordinator: &nobody},
		"the coordination of the thread has ended": coordination.Closed{},
	} {
		if got := p.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBooksAreChecked(t *testing.T) {
	for field, p := range map[string]signals.Any{
		"state":       signals.New(signals.Header{}, coordination.Transition{Link: link, State: coordination.Emitted}),
		"signals":     signals.New(signals.Header{}, coordination.Transition{Link: link, State: coordination.Expired}),
		"step":        signals.New(signals.Header{}, coordination.Step{Link: link}),
		"effort":      signals.New(signals.Header{}, coordination.Requested{Link: link, For: signals.MustID("sig_a"), At: 1}),
		"for":         signals.New(signals.Header{}, coordination.Requested{Link: link, At: 1, Mode: signals.Fast}),
		"layer":       signals.New(signals.Header{}, coordination.Closed{Link: coordination.Link{Layer: "\n"}}),
		"components":  signals.New(signals.Header{}, coordination.Members{Link: link, Joined: []string{""}}),
		"coordinator": signals.New(signals.Header{}, coordination.Members{Link: link, Coordinator: &[]string{"\n"}[0]}),
	} {
		refused(t, signals.Validate(p), field)
	}
}

func refused(t *testing.T, err error, field string) {
	t.Helper()
	var f *signals.FieldError
	if !errors.As(err, &f) || f.Field != field {
		t.Errorf("got %v, want a refusal of %s", err, field)
	}
}
