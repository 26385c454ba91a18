package signals_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
)

// Decoded signals are valid, and each encoding of one reads back equal.
func FuzzUnmarshal(f *testing.F) {
	for _, s := range samples() {
		text := fullJSON(s.kind, s.json)
		f.Add([]byte(text))
		f.Add([]byte(text[:len(text)/2]))
		f.Add([]byte(fullJSON(s.kind, "null")))
		f.Add([]byte(fullJSON("acme.example/"+s.kind, " "+s.json+"\n")))
	}
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"type":"x","payload":0}`, `{"type":"x","payload":"<\u2028\ud800>"}`,
		`{"type":"x","payload":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `,"timestamp":1e-6,"ttl":-1}`,
		`{"TYPE":"vote","type":"task:new","payload":{"task":"a","Task":"b"},"metadata":{"round":-1}}`,
		`{"type":"tick","payload":{"n":1}}`, `{"type":"word","payload":"w"}`, `{"type":"word","payload":null}`,
		"{\"type\":\"x\",\"payload\":\"\xff\"}",
	} {
		f.Add([]byte(text))
	}
	other, err := signals.NewCodec(signals.For[tick](), signals.For[ranked](), signals.For[word]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range []*signals.Codec{{}, other} {
			before := string(data)
			s, err := c.Unmarshal(data)
			if string(data) != before {
				t.Fatal("the input changed")
			}
			if err != nil {
				var refused *signals.FieldError
				if s != nil || !errors.As(err, &refused) || refused.Field == "" || refused.Problem == "" || len(err.Error()) > 2000 {
					t.Fatalf("%v, %#v", s, err)
				}
				continue
			}
			clear(data) // must not be kept
			passOn(t, c, s)
			data = []byte(before)
		}
	})
}

func passOn(t *testing.T, c *signals.Codec, s signals.Any) {
	t.Helper()
	if err := signals.Validate(s); err != nil {
		t.Fatal(err)
	}
	text, err := signals.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Unmarshal(text)
	if err != nil {
		t.Fatalf("%v\nin %s", err, text)
	}
	if d := diff(s, got); d != "" {
		t.Fatalf("%s reads as (-want +got):\n%s", text, d)
	}
	if again, err := signals.Marshal(got); err != nil || string(again) != string(text) {
		t.Fatalf("%s\nis then %s, %v", text, again, err)
	}
	line, err := json.Marshal(s)
	if err != nil || strings.Contains(string(line), "\n") {
		t.Fatalf("%q, %v", line, err)
	}
	// encoding/json writes < as \u003c: a raw text may grow beyond the limit.
	got, err = (&signals.Codec{Limits: signals.Limits{TextBytes: -1}}).Unmarshal(line)
	if err != nil || got.Kind() != s.Kind() || diff(s.Head(), got.Head()) != "" {
		t.Fatalf("%s reads as %v, %v", line, got, err)
	}
}
