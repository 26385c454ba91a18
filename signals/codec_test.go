package signals_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
)

func refusesJSON(t *testing.T, text string) *signals.FieldError {
	t.Helper()
	s, err := signals.Unmarshal([]byte(text))
	var refused *signals.FieldError
	if !errors.As(err, &refused) || s != nil {
		t.Fatalf("got %v, %v, want a FieldError\nfor %.300s", s, err, text)
	}
	if refused.Field == "" || refused.Problem == "" || len(err.Error()) > 1000 {
		t.Errorf("got %#v", refused)
	}
	return refused
}

func TestTruncatedJSONIsRefusedAtEveryLength(t *testing.T) {
	for _, s := range samples() {
		text := fullJSON(s.kind, s.json)
		for n := range len(text) {
			refusesJSON(t, text[:n])
		}
	}
}

// Members of a signal that have one JSON type only.
var memberTypes = map[string]string{
	"seq": "number", "id": "string", "type": "string", "source": "string", "thread": "string",
	"confidence": "number", "timestamp": "number", "ttl": "number", "replyTo": "string",
	"recipients": "array", "traceparent": "string", "tracestate": "string", "metadata": "object",
	"metadata.round": "number", "metadata.priority": "number", "metadata.causalLevel": "string",
}

var valuesOf = map[string]string{
	"string": `"\u0000"`, "number": "-0.5", "boolean": "true", "array": "[[]]", "object": `{"a":{}}`,
}

func TestWrongTypesAreRefusedByTheNameOfTheMember(t *testing.T) {
	whole := tree(t, fullJSON("task:new", `{"task":"t"}`)).(map[string]any)
	for path, right := range memberTypes {
		for name, value := range valuesOf {
			if name == right {
				continue
			}
			parent, member := whole, path
			if outer, inner, ok := strings.Cut(path, "."); ok {
				parent, member = whole[outer].(map[string]any), inner
			}
			kept := parent[member]
			parent[member] = json.RawMessage(value)
			text, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			if got := refusesJSON(t, string(text)); got.Field != member {
				t.Errorf("%s as %s: %v", path, name, got)
			}
			parent[member] = kept
		}
	}
}

func TestWrongTypesInPayloadsAreRefusedByTheNameOfTheMember(t *testing.T) {
	for _, s := range samples() {
		members := tree(t, s.json).(map[string]any)
		for member, kept := range members {
			for name, value := range valuesOf {
				if name == jsonTypeOf(kept) {
					continue
				}
				members[member] = json.RawMessage(value)
				text, err := json.Marshal(members)
				if err != nil {
					t.Fatal(err)
				}
				if got := refusesJSON(t, fullJSON(s.kind, string(text))); got.Field != member || got.Kind != s.kind {
					t.Errorf("%s.%s as %s: %v", s.kind, member, name, got)
				}
			}
			members[member] = kept
		}
	}
}

func jsonTypeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	panic(fmt.Sprintf("%T", v))
}

func TestBadValuesAreRefusedByTheNameOfTheMember(t *testing.T) {
	whole := fullJSON("doubt", `{"targetSignalId":"sig-abc123","concern":"c","severity":"medium"}`)
	for _, c := range []struct{ old, new, field string }{
		{`"id":"sig_`, `"id":"\n`, "id"},
		{`"sig-first"`, `"\u202e"`, "replyTo"},
		{`"sig-abc123"`, `"\u0000"`, "targetSignalId"},
		{`"sig-abc123"`, `""`, "targetSignalId"},
		{`"sig-abc123"`, `null`, "targetSignalId"},
		{`"medium"`, `"Medium"`, "severity"},
		{`"medium"`, `null`, "severity"},
		{`"intervention"`, `"magic"`, "causalLevel"},
		{`"concern":"c"`, `"concern":""`, "concern"},
		{`"concern":"c",`, ``, "concern"},
		{`"doubt"`, `"do\nubt"`, "type"},
		{`"doubt"`, `null`, "type"},
		{`"doubt"`, `"` + million + `"`, "type"},
		{`"type":"doubt",`, ``, "type"},
		{`0.9`, `1.5`, "confidence"},
		{`0.9`, `1e999`, "confidence"},
		{`"seq":7`, `"seq":-1`, "seq"},
		{`"seq":7`, `"seq":18446744073709551616`, "seq"},
		{`"round":3`, `"round":2147483648`, "round"},
		{`"priority":-2`, `"priority":32768`, "priority"},
		{`["builder","critic"]`, `["builder",null]`, "recipients"},
		{`["builder","critic"]`, `["builder",1]`, "recipients"},
		{`00-4b`, `00-4B`, "traceparent"},
		{`"a=1"`, `"a=1\r\nX-Evil: 1"`, "tracestate"},
		{`"source":"analyst"`, `"source":"` + long + `"`, "source"},
		{`"concern":"c"`, `"concern":"` + million + `"`, "concern"},
	} {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("no %s", c.old)
		}
		if got := refusesJSON(t, strings.Replace(whole, c.old, c.new, 1)); got.Field != c.field {
			t.Errorf("%s: got %v", c.field, got)
		}
	}
}

func TestNullIsNoPayload(t *testing.T) {
	for _, kind := range []signals.Kind{"vote", "acme.example/tick"} {
		for _, payload := range []string{"null", " null "} {
			if got := refusesJSON(t, fullJSON(kind, payload)); got.Field != "payload" || got.Kind != kind {
				t.Errorf("got %v", got)
			}
		}
		if got := refusesJSON(t, `{"type":"`+string(kind)+`"}`); got.Field != "payload" {
			t.Errorf("got %v", got)
		}
	}
	refusedFor(t, signals.Validate(sign(signals.Raw{Type: "x", JSON: "null"})), "x", "payload")
	if text, err := signals.Marshal(sign(ruled{})); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("wrote %s, %v", text, err)
	}
	refusesJSON(t, "null")
	refusesJSON(t, "")
	refusesJSON(t, "[]")
	refusesJSON(t, `"vote"`)
	refusesJSON(t, fullJSON("vote", "{}")+"{}")
}

func TestNullLeavesOptionalMembersOut(t *testing.T) {
	got := unmarshal(t, `{"type":"task:new","payload":{"task":"t","context":null},"seq":null,"id":null,"source":null,
		"thread":null,"confidence":null,"timestamp":null,"ttl":null,"replyTo":null,"recipients":null,
		"traceparent":null,"tracestate":null,"metadata":null}`)
	if d := diff(signals.Any(signals.New(signals.Header{}, task)), got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestUnknownMembersAreIgnoredAndTheLastOfTwoWins(t *testing.T) {
	got := unmarshal(t, `{"type":"vote","type":"task:new","future":{"x":[1]},"source":"a","source":"b",
		"metadata":{"mood":"good"},"payload":{"task":1},"payload":{"task":"t","future":1,"task":"u"}}`)
	if d := diff(signals.Any(signals.New(signals.Header{Source: "b"}, signals.Task{Task: "u"})), got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBytesThatAreNotUTF8AreRefused(t *testing.T) {
	for _, s := range samples() {
		refusesJSON(t, fullJSON(s.kind, strings.Replace(s.json, `":"`, "\":\"\xff", 1)))
	}
	refusesJSON(t, fullJSON("acme.example/tick", "{\"\xc0\x80\":1}"))
}

func TestDeepNestingIsRefusedOrReadWithoutPanic(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	for n, want := range map[int]bool{1: true, 1000: true, 1001: false, 9_999: false, 10_000: false, 20_000: false} {
		text := fullJSON("acme.example/deep", nested(n))
		_, err := signals.Unmarshal([]byte(text))
		if (err == nil) != want {
			t.Errorf("%d deep: %v", n, short(err))
		}
		if err := signals.Validate(sign(signals.Raw{Type: "acme.example/deep", JSON: nested(n)})); (err == nil) != want {
			t.Errorf("%d deep: %v", n, short(err))
		}
	}
	refusesJSON(t, fullJSON("vote", nested(9000)))
	refusesJSON(t, strings.Repeat(`{"payload":`, 1_000_000))
	// Brackets in strings are not nesting, and neither are those already closed;
	// a string that ends in a backslash hides nothing.
	for text, want := range map[string]bool{
		`[` + strings.Repeat(`[],{},`, 2000) + `1]`:                     true,
		`["\\",` + nested(999) + `]`:                                    true,
		`["\\",` + nested(1000) + `]`:                                   false,
		strings.Repeat(`{"a":`, 1001) + "1" + strings.Repeat(`}`, 1001): false,
		`"\"` + strings.Repeat(`[`, 2000) + `"`:                         true,
	} {
		if err := signals.Validate(sign(signals.Raw{Type: "acme.example/deep", JSON: text})); (err == nil) != want {
			t.Errorf("%.20s…: %v", text, short(err))
		}
	}
	flat := `["` + strings.Repeat(`[{\"\\`, 2000) + `"]`
	if got := unmarshal(t, fullJSON("acme.example/flat", flat)).Body(); got != any(signals.Raw{Type: "acme.example/flat", JSON: flat}) {
		t.Errorf("got %.200v", got)
	}
}

func TestCodecKnowsItsRegisteredKinds(t *testing.T) {
	c, err := signals.NewCodec(signals.For[tick](), signals.For[ranked]())
	if err != nil {
		t.Fatal(err)
	}
	text := fullJSON("acme.example/tick", `{"n":3}`)
	got, err := c.Unmarshal([]byte(text))
	if d := diff(sign(tick{3}), got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if d := diff(sign(signals.Raw{Type: "acme.example/tick", JSON: `{"n":3}`}), unmarshal(t, text)); d != "" {
		t.Errorf("another codec learnt it (-want +got):\n%s", d)
	}
	if got, err := c.Unmarshal([]byte(fullJSON("vote", `{"proposalId":"p","stance":"agree","weight":0}`))); err != nil || got.Kind() != "vote" {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = c.Unmarshal([]byte(fullJSON("acme.example/ranked", `{"Rank":-1}`)))
	refusedFor(t, err, "acme.example/ranked", "rank")
	c.Limits.TextBytes = 3
	_, err = c.Unmarshal([]byte(fullJSON("task:new", `{"task":"1234"}`)))
	refusedFor(t, err, "task:new", "task")
}

func TestCodecRefusesAmbiguousKinds(t *testing.T) {
	for name, kinds := range map[string][]signals.Registration{
		"twice":    {signals.For[tick](), signals.For[tick]()},
		"built in": {signals.For[signals.Vote]()},
		"no name":  {signals.For[mistaken]()},
		"raw":      {signals.For[signals.Raw]()},
		"zero":     {{}},
	} {
		if c, err := signals.NewCodec(kinds...); !errors.Is(err, signals.ErrInvalid) || c != nil {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func TestASignalReadsItsOwnKindOnly(t *testing.T) {
	var v signals.Signal[signals.Vote]
	text := fullJSON("vote", `{"proposalId":"p","stance":"agree","weight":0}`)
	if err := json.Unmarshal([]byte(text), &v); err != nil || v.Payload != vote || v.Source != "analyst" {
		t.Errorf("got %+v, %v", v, err)
	}
	for _, text := range []string{fullJSON("task:new", `{"task":"t"}`), fullJSON("acme.example/tick", "{}")} {
		var refused *signals.FieldError
		if err := json.Unmarshal([]byte(text), &v); !errors.As(err, &refused) || refused.Field != "type" {
			t.Errorf("got %v", err)
		}
	}
	if v.Payload != vote {
		t.Errorf("a refused signal left %+v", v)
	}
	var raw signals.Signal[signals.Raw]
	if err := json.Unmarshal([]byte(fullJSON("acme.example/tick", `{"n":3}`)), &raw); err != nil || raw.Payload.JSON != `{"n":3}` {
		t.Errorf("got %+v, %v", raw, err)
	}
	var refused *signals.FieldError
	if err := json.Unmarshal([]byte(text), &raw); !errors.As(err, &refused) || refused.Field != "payload" {
		t.Errorf("got %v", err)
	}
}

func TestACodecNamesTheKindsThatItKnows(t *testing.T) {
	c, err := signals.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	kinds := c.Kinds()
	if !slices.IsSorted(kinds) || !slices.Contains(kinds, signals.KindVote) || !slices.Contains(kinds, signals.KindTask) || slices.Contains(kinds, "acme.example/tick") {
		t.Errorf("got %q", kinds)
	}
}
