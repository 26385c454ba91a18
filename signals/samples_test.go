package signals_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/signals"
)

// A sample is one valid signal of a kind, and its payload as a JavaScript
// peer would write it, with every field present.
type sample struct {
	kind   signals.Kind
	signal signals.Any
	json   string
}

var target = signals.MustID("sig-abc123")

func samples() []sample {
	return []sample{
		{"task:new", sign(signals.Task{Task: "t", Context: "c"}), `{"task":"t","context":"c"}`},
		{
			"discovery", sign(signals.Discovery{Finding: "f", Evidence: "e", Relevance: 0.25}),
			`{"finding":"f","evidence":"e","relevance":0.25}`,
		},
		{
			"proposal", sign(signals.Proposal{ProposalID: "p", Content: "c", Reasoning: "r"}),
			`{"proposalId":"p","content":"c","reasoning":"r"}`,
		},
		{
			"doubt", sign(signals.Doubt{TargetSignalID: target, Concern: "c", Severity: signals.Medium}),
			`{"targetSignalId":"sig-abc123","concern":"c","severity":"medium"}`,
		},
		{
			"challenge", sign(signals.Challenge{TargetSignalID: target, CounterArgument: "c", AlternativeProposal: "a"}),
			`{"targetSignalId":"sig-abc123","counterArgument":"c","alternativeProposal":"a"}`,
		},
		{
			"vote", sign(signals.Vote{ProposalID: "p", Stance: signals.Disagree, Reasoning: "r", Weight: 0.5}),
			`{"proposalId":"p","stance":"disagree","reasoning":"r","weight":0.5}`,
		},
		{
			"conflict", sign(signals.Conflict{SignalA: target, SignalB: signals.MustID("b"), Description: "d"}),
			`{"signalA":"sig-abc123","signalB":"b","description":"d"}`,
		},
		{
			"consensus:reached", sign(signals.Consensus{ProposalID: "p", Decision: "d", Confidence: 0.75}),
			`{"proposalId":"p","decision":"d","confidence":0.75}`,
		},
		{"escalate", sign(signals.Escalation{Reason: "r", Context: "c"}), `{"reason":"r","context":"c"}`},
		{
			"memory:shared", sign(signals.Memory{Content: "c", Category: "k", Importance: 1}),
			`{"content":"c","category":"k","importance":1}`,
		},
		{
			"tool:result", sign(signals.ToolResult{ToolName: "n", Result: "r", IsError: true, DurationMs: 12.5, TriggeredBy: "a"}),
			`{"toolName":"n","result":"r","isError":true,"durationMs":12.5,"triggeredBy":"a"}`,
		},
	}
}

func sign[P signals.Payload](p P) signals.Any { return signals.New(fullHeader(), p) }

// fullHeader has every field set, to a value that no other field has.
func fullHeader() signals.Header {
	return signals.Header{
		Seq: 7, ID: signals.MustID("sig_9m4e2mr0ui3e8a215n4g"), Source: "analyst", Thread: "review",
		ReplyTo: signals.MustID("sig-first"), Time: time.UnixMilli(1763642400123).UTC(), TTL: 5 * time.Second,
		Confidence: 0.9, Recipients: signals.To("critic", "builder"),
		Trace: &signals.Trace{TraceID: [16]byte{0x4b, 15: 0x36}, SpanID: [8]byte{7: 0xb7}, Flags: 1, State: "a=1"},
		Round: 3, Priority: -2, CausalLevel: signals.Intervention,
	}
}

// fullJSON is a signal with fullHeader.
func fullJSON(kind signals.Kind, payload string) string {
	name, err := json.Marshal(kind)
	if err != nil {
		panic(err)
	}
	return `{"id":"sig_9m4e2mr0ui3e8a215n4g","type":` + string(name) + `,"source":"analyst","payload":` + payload + `,
		"confidence":0.9,"timestamp":1763642400123,"replyTo":"sig-first","ttl":5000,
		"metadata":{"round":3,"priority":-2,"causalLevel":"intervention"},
		"seq":7,"thread":"review","recipients":["builder","critic"],
		"traceparent":"00-4b000000000000000000000000000036-00000000000000b7-01","tracestate":"a=1"}`
}

// equal compares signals as a caller sees them.
var equal = cmp.Comparer(func(a, b signals.ID) bool { return a == b })

func diff(want, got any) string { return cmp.Diff(want, got, equal) }

func unmarshal(t testing.TB, text string) signals.Any {
	t.Helper()
	s, err := signals.Unmarshal([]byte(text))
	if err != nil {
		t.Fatalf("%v\nin %s", err, text)
	}
	return s
}

func marshal(t testing.TB, s signals.Any) string {
	t.Helper()
	data, err := signals.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func refusedFor(t *testing.T, err error, kind signals.Kind, field string) {
	t.Helper()
	var refused *signals.FieldError
	if !errors.As(err, &refused) || !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("%s.%s: got %v, want a FieldError", kind, field, err)
		return
	}
	if refused.Field != field || refused.Kind != kind && field != "type" || refused.Problem == "" {
		t.Errorf("%s.%s: got %#v", kind, field, refused)
	}
	if len(err.Error()) > 1000 {
		t.Errorf("%s.%s: an error of %d bytes", kind, field, len(err.Error()))
	}
}

func short(err error) string {
	text := fmt.Sprint(err)
	return text[:min(len(text), 300)]
}

// tree decodes JSON, so that order and spelling do not matter.
func tree(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\nin %s", err, text)
	}
	return v
}
