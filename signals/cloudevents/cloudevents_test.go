package cloudevents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

var (
	anyName = rapid.OneOf(rapid.StringMatching(`[ -~]{1,40}`), rapid.String().Filter(func(s string) bool {
		return signals.Limits{}.Name("", s) == nil
	}))
	anyHeader = rapid.Custom(func(t *rapid.T) signals.Header {
		h := signals.Header{
			Seq: rapid.Uint64().Draw(t, "seq"), ID: signals.MustID(anyName.Draw(t, "id")), Source: anyName.Draw(t, "source"),
			Thread: rapid.OneOf(anyName, rapid.Just("")).Draw(t, "thread"), TTL: time.Duration(rapid.Int64().Draw(t, "ttl")),
			Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"), Round: rapid.Int32Min(0).Draw(t, "round"),
			Recipients: signals.To(rapid.SliceOfN(anyName, 0, 4).Draw(t, "recipients")...),
			Priority:   rapid.Int16().Draw(t, "priority"), CausalLevel: signals.CausalLevel(rapid.IntRange(0, 3).Draw(t, "level")),
		}
		if rapid.Bool().Draw(t, "timed") {
			h.Time = time.Unix(0, rapid.Int64().Draw(t, "time")).UTC()
		}
		if rapid.Bool().Draw(t, "replies") {
			h.ReplyTo = signals.MustID(anyName.Draw(t, "replyTo"))
		}
		if rapid.Bool().Draw(t, "traced") {
			h.Trace = &signals.Trace{TraceID: [16]byte{1, 15: 2}, SpanID: [8]byte{3}, Flags: rapid.Byte().Draw(t, "flags"), State: rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "state")}
		}
		return h
	})
	anySignal = rapid.Custom(func(t *rapid.T) signals.Any {
		h, text := anyHeader.Draw(t, "header"), rapid.StringN(1, 40, -1).Draw(t, "text")
		value, err := json.Marshal([]any{text, rapid.Float64().Draw(t, "number")})
		if err != nil {
			t.Fatal(err)
		}
		return rapid.SampledFrom([]signals.Any{
			signals.New(h, signals.Discovery{Finding: text, Relevance: 0.25}),
			signals.New(h, signals.Vote{ProposalID: text, Stance: signals.Disagree, Reasoning: text, Weight: 0.5}),
			signals.New(h, signals.Raw{Type: signals.Kind("acme.example/" + anyName.Filter(func(s string) bool { return len(s) < 200 }).Draw(t, "kind")), JSON: string(value)}),
		}).Draw(t, "signal")
	})
)

func text(t testing.TB, s signals.Any) string {
	t.Helper()
	b, err := signals.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEverySignalComesBackFromEveryMode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := anySignal.Draw(rt, "signal")
		if err := signals.Validate(s); err != nil {
			rt.Skip(err)
		}
		for mode, back := range map[string]func() (signals.Any, error){
			"binary": func() (signals.Any, error) {
				header, data, err := cloudevents.Binary(s)
				if err != nil {
					return nil, err
				}
				for name, v := range header {
					if len(v) != 1 || strings.ContainsFunc(v[0], func(r rune) bool { return r <= ' ' || r > '~' }) {
						rt.Errorf("%s is %q: not printable", name, v)
					}
				}
				return cloudevents.Codec{}.ReadBinary(header, data)
			},
			"structured": func() (signals.Any, error) {
				event, err := cloudevents.Structured(s)
				if err != nil {
					return nil, err
				}
				return cloudevents.Codec{}.ReadStructured(event)
			},
			"batch": func() (signals.Any, error) {
				events, err := cloudevents.Batch([]signals.Any{s, s})
				if err != nil {
					return nil, err
				}
				all, err := cloudevents.Codec{}.ReadBatch(events)
				if err == nil && (len(all) != 2 || text(t, all[0]) != text(t, s)) {
					err = fmt.Errorf("%d signals", len(all))
				}
				return all[len(all)-1], err
			},
		} {
			if got, err := back(); err != nil || text(t, got) != text(t, s) || !got.Head().Time.Equal(s.Head().Time) {
				rt.Errorf("%s: got %v, %v, want %s", mode, got, err, text(t, s))
			}
		}
	})
}

func TestInvalidEventIsRefusedWithTheField(t *testing.T) {
	t.Parallel()
	good := map[string]string{"specversion": "1.0", "id": "x", "source": "/a", "type": "discovery"}
	for field, value := range map[string]string{
		"specversion": "0.3", "id": "", "source": "a", "type": "", "datacontenttype": "text/plain", "time": "noon", "sequence": "-1",
		"confidence": "much", "ttl": "60", "round": "1.5", "priority": "99999", "causallevel": "none", "traceparent": "00-00", "replyto": "\n", "recipients": "%zz",
	} {
		header := map[string][]string{}
		for name, v := range good {
			header["ce-"+name] = []string{v}
		}
		data := []byte(`{"finding":"f"}`)
		if _, err := (cloudevents.Codec{}).ReadBinary(header, data); err != nil {
			t.Fatal(err)
		}
		header["ce-"+field] = []string{value}
		var refused *signals.FieldError
		if _, err := (cloudevents.Codec{}).ReadBinary(header, data); !errors.As(err, &refused) || !strings.EqualFold(refused.Field, field) {
			t.Errorf("%s = %q: got %v", field, value, err)
		}
	}
}

func TestSignalWithoutAnIDIsNoEvent(t *testing.T) {
	t.Parallel()
	if _, err := cloudevents.Structured(signals.New(signals.Header{}, signals.Discovery{Finding: "f"})); !errors.Is(err, signals.ErrInvalid) {
		t.Error(err)
	}
}

func TestHeadersAreFoundInAnyCase(t *testing.T) {
	t.Parallel()
	s, err := cloudevents.Codec{}.ReadBinary(map[string][]string{
		"Ce-Specversion": {"1.0"}, "Ce-Id": {"x"}, "Ce-Source": {"/a%2Fb"}, "Ce-Type": {"discovery"}, "Ce-Subject": {"caf%C3%A9%20%25"},
	}, []byte(`{"finding":"f"}`))
	if err != nil || s.Head().Source != "a/b" || s.Head().Thread != "café %" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Readers that range over a map would disagree on such an event.
func TestHeaderInTwoSpellingsIsRefused(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"CE-Confidence", "cE-confidence", "Ce-Confidence"} {
		for range 20 { // a map has an order of its own each time
			_, err := cloudevents.Codec{}.ReadBinary(map[string][]string{
				"ce-specversion": {"1.0"}, "ce-id": {"x"}, "ce-source": {"/a"}, "ce-type": {"discovery"}, "ce-confidence": {"0.1"}, second: {"1"},
			}, []byte(`{"finding":"f"}`))
			var refused *signals.FieldError
			if !errors.As(err, &refused) || refused.Field != "confidence" {
				t.Fatalf("ce-confidence and %s: %v", second, err)
			}
		}
	}
}

func ExampleStructured() {
	s := signals.New(signals.Header{
		ID: signals.MustID("v1"), Source: "critic", Thread: "retry policy", Confidence: 0.5, TTL: time.Minute,
		Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
	}, signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 1})
	event, err := cloudevents.Structured(s)
	fmt.Println(string(event), err)
	// Output:
	// {"specversion":"1.0","id":"v1","source":"/critic","type":"vote","subject":"retry policy","time":"2026-01-02T03:04:05.000000006Z","datacontenttype":"application/json","confidence":"0.5","ttl":"1m0s","data":{"proposalId":"p","stance":"agree","weight":1}} <nil>
}

// What is accepted is valid, and is the same after it was written again in either mode.
func FuzzStructured(f *testing.F) {
	f.Add([]byte(`{"specversion":"1.0","id":"v1","source":"/critic","type":"vote","subject":"t","confidence":"0.5","ttl":"-1ns","data":{"proposalId":"p","stance":"agree"}}`))
	f.Add([]byte(`{"specversion":"1.0","id":"v1","source":"/%20","type":"x","recipients":"a%2C,b","data": [1 ]}`))
	f.Add([]byte(`{"specversion":"1.0","id":"v1","source":"/","type":"x","time":"2026-01-02T03:04:05+01:00","data":"\ud800"}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		s, err := cloudevents.Codec{}.ReadStructured(event)
		if err != nil {
			return
		}
		if err := signals.Validate(s); err != nil {
			t.Fatal(err)
		}
		header, data, err := cloudevents.Binary(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := cloudevents.Codec{}.ReadBinary(header, data)
		if err != nil || text(t, again) != text(t, s) {
			t.Fatalf("%v, %v", again, err)
		}
		written, err := cloudevents.Structured(again)
		if err != nil {
			t.Fatal(err)
		}
		if last, err := (cloudevents.Codec{}).ReadStructured(written); err != nil || text(t, last) != text(t, s) {
			t.Fatalf("%v, %v", last, err)
		}
	})
}
