package signals_test

import (
	"math"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/internal/forms"
	"github.com/swarmbus/swarmbus/signals"
)

// For a header with one number that is invalid or at the limit, Inspect returns
// what Validate returns. It does not check source and thread.
func TestInspectAgreesWithValidateAboutHeaders(t *testing.T) {
	form := formOf(signals.New(signals.Header{}, task))
	for name, set := range map[string]func(*signals.Header){
		"nothing":              func(*signals.Header) {},
		"everything":           func(h *signals.Header) { *h = fullHeader() },
		"time":                 func(h *signals.Header) { h.Time = time.Unix(0, 0) },
		"time too late":        func(h *signals.Header) { h.Time = time.Unix(9_223_372_037, 0) },
		"confidence 1":         func(h *signals.Header) { h.Confidence = 1 },
		"confidence below 0":   func(h *signals.Header) { h.Confidence = -0.1 },
		"confidence above 1":   func(h *signals.Header) { h.Confidence = 1.1 },
		"confidence NaN":       func(h *signals.Header) { h.Confidence = math.NaN() },
		"round":                func(h *signals.Header) { h.Round = 1 },
		"round below 0":        func(h *signals.Header) { h.Round = -1 },
		"counterfactual":       func(h *signals.Header) { h.CausalLevel = signals.Counterfactual },
		"causal level unknown": func(h *signals.Header) { h.CausalLevel = signals.Counterfactual + 1 },
		"recipients":           func(h *signals.Header) { h.Recipients = signals.To("a") },
		"recipient no name":    func(h *signals.Header) { h.Recipients = signals.To("a", "") },
		"trace":                func(h *signals.Header) { h.Trace = fullHeader().Trace },
		"trace without ids":    func(h *signals.Header) { h.Trace = &signals.Trace{} },
	} {
		s := signals.New(signals.Header{}, task)
		set(&s.Header)
		want := signals.Validate(s)
		head, kind, err := form.Inspect(signals.Limits{}, s)
		if short(err) != short(want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
		if head != &s.Header || kind != signals.KindTask {
			t.Errorf("%s: the header is not that of the signal, or its kind is %q", name, kind)
		}
	}
}

func TestInspectLooksIntoThePayload(t *testing.T) {
	s := signals.New(signals.Header{}, signals.Task{Task: "12345"})
	form := formOf(s)
	for bytes, want := range map[int]bool{4: false, 5: true} {
		if _, _, err := form.Inspect(signals.Limits{TextBytes: bytes}, s); (err == nil) != want {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
}

func TestAFormFitsItsPayloadTypeAlone(t *testing.T) {
	form := formOf(signals.New(signals.Header{}, task))
	for _, s := range []signals.Any{sign(discovery), nil, (*signals.Signal[signals.Task])(nil)} {
		head, _, err := form.Inspect(signals.Limits{}, s)
		if form.Fits(s) || head != nil || err != nil {
			t.Errorf("%v fits, or is inspected: %v, %v", s, head, err)
		}
	}
	if !form.Fits(sign(task)) {
		t.Error("its own does not fit")
	}
}

func TestHeadIsTheHeaderItself(t *testing.T) {
	s := signals.New(fullHeader(), task)
	if formOf(s).Head(s) != &s.Header {
		t.Error("it is another")
	}
	page := formOf(s).NewPage()
	if _, h := page.Put(5, s); page.Head(5) != h || h == &s.Header || h.ID != s.ID {
		t.Error("a page has another")
	}
}

func formOf(s signals.Any) forms.Form[signals.Any, signals.Header, signals.Kind, signals.Limits] {
	return forms.Of(s).(forms.Form[signals.Any, signals.Header, signals.Kind, signals.Limits])
}
