package signals_test

import (
	"encoding/json"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
)

func TestUnknownKindsKeepTheirPayloadByteForByte(t *testing.T) {
	for _, payload := range []string{
		`{}`, `[]`, `""`, `0`, `-0.0e+00`, `false`,
		`{"n": 3,  "n":4, "N":5}`,
		`{"html":"<a href='x'>&amp;</a>","u":"\u2028\ud800\u00e9é"}`,
		"{\n\t\"big\" : 12345678901234567890.12345678901234567890 }",
		`[1e400, 1.0, 1.00]`,
	} {
		s := unmarshal(t, fullJSON("acme.example/tick", payload))
		if d := diff(sign(signals.Raw{Type: "acme.example/tick", JSON: payload}), s); d != "" {
			t.Errorf("%s reads as (-want +got):\n%s", payload, d)
		}
		if d := diff(s, unmarshal(t, marshal(t, s))); d != "" {
			t.Errorf("%s changes when it is passed on (-want +got):\n%s", payload, d)
		}
	}
}

func TestJSONMarshalWritesRawOnOneLine(t *testing.T) {
	s := sign(signals.Raw{Type: "acme.example/tick", JSON: "{\n\"a\": \"<\"\n}"})
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want := signals.Raw{Type: "acme.example/tick", JSON: `{"a":"\u003c"}`}
	if got := unmarshal(t, string(text)).Body(); got != signals.Payload(want) {
		t.Errorf("got %v", got)
	}
}

func TestRawIsOneJSONValueOfAnotherKind(t *testing.T) {
	for _, text := range []string{"", "{", "{}{}", " {}", "{}\n", "\ufeff{}", "NaN", "\"\xff\"", "'a'", "null", `"` + long + `"`} {
		refusedFor(t, signals.Validate(sign(signals.Raw{Type: "x", JSON: text})), "x", "payload")
	}
	for _, s := range samples() {
		refusedFor(t, signals.Validate(sign(signals.Raw{Type: s.kind, JSON: s.json})), s.kind, "payload")
		if !s.kind.BuiltIn() {
			t.Errorf("%q is not built in", s.kind)
		}
	}
	if signals.Kind("").BuiltIn() || signals.Kind("Vote").BuiltIn() {
		t.Error("an unknown kind is built in")
	}
}
