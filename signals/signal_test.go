package signals_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

func refusesType[P signals.Payload](t *testing.T) {
	t.Helper()
	var zero P
	s := signals.New(signals.Header{}, zero)
	if kind := s.Kind(); kind != "" {
		t.Errorf("%T has kind %q", zero, kind)
	}
	refusedFor(t, signals.Validate(s), "", "payload")
	if _, err := json.Marshal(s); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("%T: json.Marshal says %v", zero, err)
	}
	if _, err := signals.NewCodec(signals.For[P]()); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("%T: NewCodec says %v", zero, err)
	}
	if err := json.Unmarshal([]byte(fullJSON("vote", "{}")), s); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("%T: json.Unmarshal says %v", zero, err)
	}
	with := signals.With(s, fullHeader())
	if d := diff(fullHeader(), with.Head()); d != "" {
		t.Errorf("%T: With (-want +got):\n%s", zero, d)
	}
	refusedFor(t, signals.Validate(with), "", "payload")
	if _, ok := signals.As[signals.Vote](with); ok {
		t.Errorf("%T is a vote", zero)
	}
}

func TestPayloadTypesThatAreNoValuesAreRefusedWithoutPanic(t *testing.T) {
	refusesType[*onPointer](t)
	refusesType[*signals.Vote](t)
	refusesType[signals.Payload](t)
	refusesType[onMap](t)
	refusesType[onSlice](t)
	refusesType[onFunc](t)
	refusesType[onChan](t)

	// Nor does it help to fill them.
	refusedFor(t, signals.Validate(sign(&signals.Vote{})), "", "payload")
	refusedFor(t, signals.Validate(sign[signals.Payload](vote)), "", "payload")
	refusedFor(t, signals.Validate(sign(onSlice{"slice"})), "", "payload")
}

func TestOtherKindsHaveRulesOfTheirOwn(t *testing.T) {
	if err := signals.Validate(sign(tick{-1})); err != nil {
		t.Error(err)
	}
	if err := signals.Validate(sign(ranked{1})); err != nil {
		t.Error(err)
	}
	refusedFor(t, signals.Validate(sign(ranked{-1})), "acme.example/ranked", "rank")
	own := errors.New("own")
	if err := signals.Validate(sign(ruled{own})); !errors.Is(err, own) {
		t.Errorf("got %v", err)
	}
}

func TestAsFindsThePayloadTypeAndNoOther(t *testing.T) {
	var s signals.Any = signals.New(fullHeader(), vote)
	if got, ok := signals.As[signals.Vote](s); !ok || got != s || got.Payload != vote {
		t.Errorf("got %v, %v", got, ok)
	}
	if got, ok := signals.As[signals.Proposal](s); ok || got != nil {
		t.Errorf("a vote is %v", got)
	}
	if got, ok := signals.As[signals.Vote](nil); ok || got != nil {
		t.Errorf("nothing is %v", got)
	}
	// A Raw of kind vote is not a Vote.
	if _, ok := signals.As[signals.Vote](sign(signals.Raw{Type: "vote", JSON: "{}"})); ok {
		t.Error("a raw payload is a vote")
	}
}

func TestWithChangesACopy(t *testing.T) {
	before := signals.New(fullHeader(), vote)
	h := before.Head()
	h.Seq, h.Source = 8, "critic"
	h.Time = time.Now().In(time.FixedZone("", 3600))
	after := signals.With(before, h)
	if d := diff(fullHeader(), before.Head()); d != "" {
		t.Errorf("the first changed (-want +got):\n%s", d)
	}
	if d := diff(h, after.Head()); d != "" {
		t.Errorf("the header is not the one given (-want +got):\n%s", d)
	}
	if got := after.Head().Time; got != h.Time.Round(0).UTC() {
		t.Errorf("time %#v is not plain UTC", got)
	}
	if after.Body() != signals.Payload(vote) || after.Kind() != signals.KindVote {
		t.Errorf("got %s %v", after.Kind(), after.Body())
	}
}
