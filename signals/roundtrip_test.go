package signals_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
)

// Arbitrary valid content.
var (
	anyText  = rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return strings.ToValidUTF8(string(b), "") }))
	someText = anyText.Filter(func(s string) bool { return s != "" })
	anyName  = rapid.OneOf(rapid.StringMatching(`[ -~]{1,40}`), anyText.Filter(func(s string) bool {
		return signals.Limits{}.Name("", s) == nil
	}))
	anyUnit = rapid.Float64Range(0, 1)
	anyID   = rapid.OneOf(
		rapid.Map(anyName, signals.MustID),
		rapid.Map(rapid.StringMatching(`sig_[0-9a-v]{19}[0g]`), signals.MustID),
	)
	anyRecipients = rapid.Map(rapid.SliceOfN(anyName, 0, 4), func(names []string) signals.Recipients { return signals.To(names...) })
	anyTime       = rapid.OneOf(
		rapid.Just(time.Time{}),
		rapid.Map(rapid.Int64(), func(ns int64) time.Time { return time.Unix(0, ns).UTC() }),
	)
	anyTrace = rapid.Custom(func(t *rapid.T) *signals.Trace {
		var trace signals.Trace
		copy(trace.TraceID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "trace"))
		copy(trace.SpanID[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "span"))
		trace.TraceID[0] |= 1
		trace.SpanID[0] |= 1
		trace.Flags = rapid.Byte().Draw(t, "flags")
		trace.State = rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "state")
		return &trace
	})
	anyHeader = rapid.Custom(func(t *rapid.T) signals.Header {
		return signals.Header{
			Seq: rapid.Uint64().Draw(t, "seq"), ID: rapid.OneOf(anyID, rapid.Just(signals.ID{})).Draw(t, "id"),
			Source: anyName.Draw(t, "source"), Thread: anyName.Draw(t, "thread"), ReplyTo: anyID.Draw(t, "replyTo"),
			Time: anyTime.Draw(t, "time"), TTL: time.Duration(rapid.Int64().Draw(t, "ttl")),
			Confidence: anyUnit.Draw(t, "confidence"), Recipients: anyRecipients.Draw(t, "recipients"),
			Trace: rapid.OneOf(anyTrace, rapid.Just[*signals.Trace](nil)).Draw(t, "trace"),
			Round: rapid.Int32Min(0).Draw(t, "round"), Priority: rapid.Int16().Draw(t, "priority"),
			CausalLevel: signals.CausalLevel(rapid.IntRange(0, 3).Draw(t, "level")),
		}
	})
	anyRaw = rapid.Custom(func(t *rapid.T) signals.Raw {
		text, err := json.Marshal(map[string]any{anyText.Draw(t, "name"): []any{anyText.Draw(t, "value"), rapid.Int().Draw(t, "n")}})
		if err != nil {
			t.Fatal(err)
		}
		return signals.Raw{Type: "acme.example/" + signals.Kind(anyName.Filter(func(s string) bool { return len(s) < 200 }).Draw(t, "kind")), JSON: string(text)}
	})
)

func anySignal(t *rapid.T, kind int) signals.Any {
	h := anyHeader.Draw(t, "header")
	some := func() string { return someText.Draw(t, "required") }
	text := func() string { return anyText.Draw(t, "optional") }
	name := func() string { return anyName.Draw(t, "name") }
	unit := func() float64 { return anyUnit.Draw(t, "unit") }
	ref := func() signals.ID { return anyID.Draw(t, "ref") }
	enum := func() int { return rapid.IntRange(1, 3).Draw(t, "enum") }
	switch kind {
	case 0:
		return signals.New(h, signals.Task{Task: some(), Context: text()})
	case 1:
		return signals.New(h, signals.Discovery{Finding: some(), Evidence: text(), Relevance: unit()})
	case 2:
		return signals.New(h, signals.Proposal{ProposalID: name(), Content: some(), Reasoning: text()})
	case 3:
		return signals.New(h, signals.Doubt{TargetSignalID: ref(), Concern: some(), Severity: signals.Severity(enum())})
	case 4:
		return signals.New(h, signals.Challenge{TargetSignalID: ref(), CounterArgument: some(), AlternativeProposal: text()})
	case 5:
		return signals.New(h, signals.Vote{ProposalID: name(), Stance: signals.Stance(enum()), Reasoning: text(), Weight: unit()})
	case 6:
		return signals.New(h, signals.Conflict{SignalA: ref(), SignalB: ref(), Description: text()})
	case 7:
		return signals.New(h, signals.Consensus{ProposalID: name(), Decision: some(), Confidence: unit()})
	case 8:
		return signals.New(h, signals.Escalation{Reason: some(), Context: text()})
	case 9:
		m := signals.Memory{Content: some(), Category: name(), Importance: unit()}
		if rapid.Bool().Draw(t, "recalled") {
			m.Origin = signals.Origin{
				Fact: name(), State: name(), Source: name(), Group: name(), Thread: name(), Signal: ref(),
				Time: time.Unix(rapid.Int64Range(-1<<32, 1<<33).Draw(t, "time"), 1).UTC(),
			}
		}
		return signals.New(h, m)
	case 10:
		return signals.New(h, signals.ToolResult{
			ToolName: name(), Result: text(), IsError: rapid.Bool().Draw(t, "error"),
			DurationMs: rapid.Float64Range(0, math.MaxFloat64).Draw(t, "ms"), TriggeredBy: name(),
		})
	default:
		return signals.New(h, anyRaw.Draw(t, "raw"))
	}
}

func TestEncodedSignalsReadBackEqual(t *testing.T) {
	for kind := range 12 {
		rapid.Check(t, func(t *rapid.T) {
			want := anySignal(t, kind)
			for _, write := range []func() ([]byte, error){
				func() ([]byte, error) { return signals.Marshal(want) },
				func() ([]byte, error) { return json.Marshal(want) },
			} {
				text, err := write()
				if err != nil {
					t.Fatal(err)
				}
				got, err := signals.Unmarshal(text)
				if err != nil {
					t.Fatalf("%v\nin %s", err, text)
				}
				if d := diff(want, got); d != "" {
					t.Fatalf("%s reads as (-want +got):\n%s", text, d)
				}
			}
		})
	}
}

// When says what a signal with that timestamp and ttl reads as.
func when(t *testing.T, timestamp, ttl string) (time.Time, time.Duration) {
	t.Helper()
	h := unmarshal(t, `{"type":"task:new","payload":{"task":"t"},"timestamp":`+timestamp+`,"ttl":`+ttl+`}`).Head()
	return h.Time, h.TTL
}

func TestTimestampAndTTLAreExactToTheNanosecond(t *testing.T) {
	for text, ns := range map[string]int64{
		"0": 0, "-0": 0, "0.000001": 1, "-0.000001": -1, "1": 1e6, "1.5": 1.5e6, "5000": 5e9,
		"1763642400123.456789": 1763642400123456789, "1763642400123456789e-6": 1763642400123456789,
		"1.763642400123456789E+12": 1763642400123456789, "0.001763642400123456789e15": 1763642400123456789,
		"1.1e-5": 11, "3e-6": 3, "1e12": 1e18, "10e-7": 1, "0.00000199": 1, "1e-7": 0, "-1e-99999": 0, "0e99999": 0,
		"0.0000000": 0, "9223372036854.775807": math.MaxInt64, "-9223372036854.775808": math.MinInt64,
		"9223372036854.7758079": math.MaxInt64, "0.1": 1e5, "100.100": 100_100_000,
	} {
		at, ttl := when(t, text, text)
		if at != time.Unix(0, ns).UTC() || ttl != time.Duration(ns) {
			t.Errorf("%s is %v and %v, want %d ns", text, at, ttl, ns)
		}
	}
	for _, text := range []string{
		"9223372036854.775808", "-9223372036854.775809", "1e13", "1e999999999999", "1e2147483647", "1e-2147483649",
		"92233720368547758070000000000000000000", `"5"`, `""`, "true", "[]", "{}",
	} {
		for _, field := range []string{"timestamp", "ttl"} {
			if got := refusesJSON(t, `{"type":"task:new","payload":{"task":"t"},"`+field+`":`+text+`}`); got.Field != field {
				t.Errorf("%s: %v", text, got)
			}
		}
	}
}

func TestTimesAreWrittenAsTheSameInstant(t *testing.T) {
	at := time.Now().In(time.FixedZone("", -7200))
	got := unmarshal(t, marshal(t, signals.New(signals.Header{Time: at}, task))).Head().Time
	if got != at.Round(0).UTC() {
		t.Errorf("got %v, want %v", got, at)
	}
	if text := marshal(t, signals.New(signals.Header{Time: time.UnixMilli(1763642400123), TTL: -time.Millisecond}, task)); !strings.Contains(text, `"timestamp":1763642400123,"ttl":-1,`) {
		t.Errorf("wrote %s", text)
	}
	text := marshal(t, signals.New(signals.Header{Time: time.Unix(0, 0)}, task))
	if got := unmarshal(t, text).Head().Time; got.IsZero() || got.Unix() != 0 || !strings.Contains(text, `"timestamp":0,`) {
		t.Errorf("1970 is written as %s and reads as %v", text, got)
	}
}
