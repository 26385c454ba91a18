package signals_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

var (
	full    = strings.Repeat("x", signals.DefaultTextBytes)
	long    = full + "x"
	million = strings.Repeat("é", 1_000_000)
)

// A rule: with puts a value into a signal, which is refused for field if the
// value is invalid.
type rule[V any] struct {
	field string
	with  func(V) signals.Any
}

func inHeader[V any](field string, set func(*signals.Header, V)) rule[V] {
	return rule[V]{field, func(v V) signals.Any {
		h := fullHeader()
		set(&h, v)
		return signals.New(h, signals.Task{Task: "t"})
	}}
}

func inPayload[V any, P signals.Payload](field string, p P, set func(*P, V)) rule[V] {
	return rule[V]{field, func(v V) signals.Any {
		p := p
		set(&p, v)
		return sign(p)
	}}
}

var (
	task       = signals.Task{Task: "t"}
	discovery  = signals.Discovery{Finding: "f"}
	proposal   = signals.Proposal{ProposalID: "p", Content: "c"}
	doubt      = signals.Doubt{TargetSignalID: target, Concern: "c", Severity: signals.Low}
	challenge  = signals.Challenge{TargetSignalID: target, CounterArgument: "c"}
	vote       = signals.Vote{ProposalID: "p", Stance: signals.Agree}
	conflict   = signals.Conflict{SignalA: target, SignalB: target}
	consensus  = signals.Consensus{ProposalID: "p", Decision: "d"}
	escalation = signals.Escalation{Reason: "r"}
	memory     = signals.Memory{Content: "c", Category: "k"}
	recalled   = signals.Memory{Content: "c", Category: "k", Origin: signals.Origin{Fact: "f", State: "s", Source: "a"}}
	toolResult = signals.ToolResult{ToolName: "n", TriggeredBy: "a"}
)

var requiredTexts = []rule[string]{
	inPayload("task", task, func(p *signals.Task, v string) { p.Task = v }),
	inPayload("finding", discovery, func(p *signals.Discovery, v string) { p.Finding = v }),
	inPayload("content", proposal, func(p *signals.Proposal, v string) { p.Content = v }),
	inPayload("concern", doubt, func(p *signals.Doubt, v string) { p.Concern = v }),
	inPayload("counterArgument", challenge, func(p *signals.Challenge, v string) { p.CounterArgument = v }),
	inPayload("decision", consensus, func(p *signals.Consensus, v string) { p.Decision = v }),
	inPayload("reason", escalation, func(p *signals.Escalation, v string) { p.Reason = v }),
	inPayload("content", memory, func(p *signals.Memory, v string) { p.Content = v }),
}

var optionalTexts = []rule[string]{
	inPayload("context", task, func(p *signals.Task, v string) { p.Context = v }),
	inPayload("evidence", discovery, func(p *signals.Discovery, v string) { p.Evidence = v }),
	inPayload("reasoning", proposal, func(p *signals.Proposal, v string) { p.Reasoning = v }),
	inPayload("alternativeProposal", challenge, func(p *signals.Challenge, v string) { p.AlternativeProposal = v }),
	inPayload("reasoning", vote, func(p *signals.Vote, v string) { p.Reasoning = v }),
	inPayload("description", conflict, func(p *signals.Conflict, v string) { p.Description = v }),
	inPayload("context", escalation, func(p *signals.Escalation, v string) { p.Context = v }),
	inPayload("result", toolResult, func(p *signals.ToolResult, v string) { p.Result = v }),
}

var requiredNames = []rule[string]{
	inPayload("proposalId", proposal, func(p *signals.Proposal, v string) { p.ProposalID = v }),
	inPayload("proposalId", vote, func(p *signals.Vote, v string) { p.ProposalID = v }),
	inPayload("proposalId", consensus, func(p *signals.Consensus, v string) { p.ProposalID = v }),
	inPayload("category", memory, func(p *signals.Memory, v string) { p.Category = v }),
	inPayload("origin.fact", recalled, func(p *signals.Memory, v string) { p.Origin.Fact = v }),
	inPayload("origin.state", recalled, func(p *signals.Memory, v string) { p.Origin.State = v }),
	inPayload("origin.source", recalled, func(p *signals.Memory, v string) { p.Origin.Source = v }),
	inPayload("toolName", toolResult, func(p *signals.ToolResult, v string) { p.ToolName = v }),
	inPayload("triggeredBy", toolResult, func(p *signals.ToolResult, v string) { p.TriggeredBy = v }),
	inHeader("recipients", func(h *signals.Header, v string) { h.Recipients = signals.To("a", v) }),
	{"type", func(v string) signals.Any { return sign(signals.Raw{Type: signals.Kind(v), JSON: "{}"}) }},
}

var optionalNames = []rule[string]{
	inHeader("source", func(h *signals.Header, v string) { h.Source = v }),
	inHeader("thread", func(h *signals.Header, v string) { h.Thread = v }),
}

var units = []rule[float64]{
	inHeader("confidence", func(h *signals.Header, v float64) { h.Confidence = v }),
	inPayload("relevance", discovery, func(p *signals.Discovery, v float64) { p.Relevance = v }),
	inPayload("weight", vote, func(p *signals.Vote, v float64) { p.Weight = v }),
	inPayload("confidence", consensus, func(p *signals.Consensus, v float64) { p.Confidence = v }),
	inPayload("importance", memory, func(p *signals.Memory, v float64) { p.Importance = v }),
}

var enums = []rule[uint8]{
	inPayload("stance", vote, func(p *signals.Vote, v uint8) { p.Stance = signals.Stance(v) }),
	inPayload("severity", doubt, func(p *signals.Doubt, v uint8) { p.Severity = signals.Severity(v) }),
	inHeader("causalLevel", func(h *signals.Header, v uint8) { h.CausalLevel = signals.CausalLevel(v) }),
}

var references = []rule[signals.ID]{
	inPayload("targetSignalId", doubt, func(p *signals.Doubt, v signals.ID) { p.TargetSignalID = v }),
	inPayload("targetSignalId", challenge, func(p *signals.Challenge, v signals.ID) { p.TargetSignalID = v }),
	inPayload("signalA", conflict, func(p *signals.Conflict, v signals.ID) { p.SignalA = v }),
	inPayload("signalB", conflict, func(p *signals.Conflict, v signals.ID) { p.SignalB = v }),
}

// check tries each rule with values it refuses, and some that it accepts.
func check[V any](t *testing.T, rules []rule[V], refused, accepted []V) {
	t.Helper()
	for _, r := range rules {
		for _, v := range refused {
			s := r.with(v)
			err := signals.Validate(s)
			refusedFor(t, err, s.Kind(), r.field)
			if isLong := strings.Contains(err.Error(), "more than 65536"); isLong {
				continue
			}
			if _, err := json.Marshal(s); !errors.Is(err, signals.ErrInvalid) {
				t.Errorf("%s: json.Marshal says %v", r.field, short(err))
			}
		}
		for _, v := range accepted {
			if err := signals.Validate(r.with(v)); err != nil {
				t.Errorf("%s: %v", r.field, short(err))
			}
		}
	}
}

func TestValidateNamesTheTextThatIsEmptyTooLongOrNotUTF8(t *testing.T) {
	bad := []string{long, million, "a\xff", "\xed\xa0\x80", full[:len(full)-1] + "é"}
	good := []string{full, " ", "\x00\x1b[31m\n", "\U0001F41D", "<script>"}
	check(t, requiredTexts, append(bad, ""), good)
	check(t, optionalTexts, bad, append(good, ""))
}

func TestValidateNamesTheNameThatIsEmptyTooLongOrDoesNotPrint(t *testing.T) {
	most := strings.Repeat("n", signals.NameBytes)
	bad := []string{
		most + "n", strings.Repeat("é", signals.NameBytes/2) + "n", million, "\xff", "a\x00", "a\nb", "\t", "\x1b[2J", "\x7f", "\u0085", "\u200b", "\u202e", "\ufeff", "\u2028",
	}
	good := []string{most, "a b", "analyst/7", "Zoë", "\U0001F41D", `"'<&>\`}
	check(t, requiredNames, append(bad, ""), good)
	check(t, optionalNames, bad, append(good, ""))
}

func TestValidateNamesTheNumberThatIsOutOfRange(t *testing.T) {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -math.SmallestNonzeroFloat64, math.MaxFloat64}
	check(t, units, append(bad, math.Nextafter(1, 2)), []float64{0, math.Copysign(0, -1), 1, 0.5, math.SmallestNonzeroFloat64})
	check(t, []rule[float64]{
		inPayload("durationMs", toolResult, func(p *signals.ToolResult, v float64) { p.DurationMs = v }),
	}, bad[:4], []float64{0, 1e9, math.MaxFloat64})
	check(t, []rule[int32]{
		inHeader("round", func(h *signals.Header, v int32) { h.Round = v }),
	}, []int32{-1, math.MinInt32}, []int32{0, math.MaxInt32})
}

func TestValidateNamesTheEnumThatIsUnknownOrMissing(t *testing.T) {
	check(t, enums, []uint8{4, 255}, []uint8{1, 2, 3})
	check(t, enums[:2], []uint8{0}, nil)
	check(t, enums[2:], nil, []uint8{0}) // a signal may say nothing about it
}

func TestValidateNamesTheReferenceThatIsMissing(t *testing.T) {
	check(t, references, []signals.ID{{}}, []signals.ID{target, signals.NewMint().ID(1, time.Now())})
}

func TestValidateNamesTheTimeThatNanosecondsCannotHold(t *testing.T) {
	first, last := time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)
	check(
		t, []rule[time.Time]{inHeader("timestamp", func(h *signals.Header, v time.Time) { h.Time = v })},
		[]time.Time{first.Add(-1), last.Add(1), time.Unix(math.MaxInt64/2, 0), time.Time{}.Add(1)},
		[]time.Time{first, last, {}, time.Unix(0, 0), time.Now()},
	)
}

func TestValidateBoundsRecipientsTogether(t *testing.T) {
	names := make([]string, signals.DefaultTextBytes/signals.NameBytes)
	for i := range names {
		names[i] = fmt.Sprintf("%0*d", signals.NameBytes, i)
	}
	check(
		t, []rule[[]string]{inHeader("recipients", func(h *signals.Header, v []string) { h.Recipients = signals.To(v...) })},
		[][]string{append(names, "x")}, [][]string{names, nil},
	)
}

func TestLimitsSetHowLongATextMayBe(t *testing.T) {
	s := sign(signals.Task{Task: "12345"})
	for bytes, want := range map[int]bool{4: false, 5: true, 0: true, -1: true} {
		if err := (signals.Limits{TextBytes: bytes}).Validate(s); (err == nil) != want {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
	if err := (signals.Limits{TextBytes: -1}).Validate(sign(signals.Task{Task: million})); err != nil {
		t.Error(short(err))
	}
}

func TestWritingLeavesTheLengthOfTextsToTheReader(t *testing.T) {
	want := sign(signals.Task{Task: million})
	text := marshal(t, want)
	_, err := signals.Unmarshal([]byte(text))
	refusedFor(t, err, "task:new", "task")
	c := signals.Codec{Limits: signals.Limits{TextBytes: -1}}
	if got, err := c.Unmarshal([]byte(text)); err != nil || diff(want, got) != "" {
		t.Errorf("%v", short(err))
	}
}

func TestErrorsSayKindFieldValueAndRule(t *testing.T) {
	err := signals.Validate(sign(signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 2}))
	if got, want := err.Error(), `signals: vote.weight = "2": not in [0,1]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	err = signals.Validate(sign(signals.Task{Task: million}))
	if got, want := err.Error(), `signals: task:new.task = "`+million[:64]+`…": 2000000 bytes, more than 65536`; got != want {
		t.Errorf("got %s, want %s", short(err), want)
	}
}

// A value too long to be shown is cut between characters, even where the limit
// falls inside one.
func TestErrorsCutLongValuesBetweenCharacters(t *testing.T) {
	letters := strings.Repeat("a", 62)
	for value, want := range map[string]string{
		letters + "ab":                   letters + "ab",
		letters + "abc":                  letters + "ab…",
		letters + "€…":                   letters + "…",
		letters + "\n€":                  letters + "\n…",
		strings.Repeat("\x80", 100):      "\ufffd",
		"a" + strings.Repeat("\x80", 99): "a\ufffd",
	} {
		var refused *signals.FieldError
		if err := (signals.Limits{TextBytes: 1}).Text("f", value); !errors.As(err, &refused) || refused.Value != want {
			t.Errorf("%q: got %v, want %q", value, err, want)
		}
	}
}

func TestValidateRefusesNoSignal(t *testing.T) {
	refusedFor(t, signals.Validate(nil), "", "signal")
	refusedFor(t, signals.Validate((*signals.Signal[signals.Vote])(nil)), "", "signal")
	if _, err := signals.Marshal(nil); !errors.Is(err, signals.ErrInvalid) {
		t.Error(err)
	}
}

func TestValidateAllocatesNothingForAValidSignal(t *testing.T) {
	all := []signals.Any{sign(signals.Raw{Type: "acme.example/tick", JSON: `{"n":[1,2,"` + full[:1000] + `"]}`}), sign(tick{3})}
	for _, s := range samples() {
		all = append(all, s.signal)
	}
	for _, s := range all {
		// The mean is rounded down; with the race detector, a pool of encoding/json drops what it holds now and then.
		if allocs := testing.AllocsPerRun(1000, func() {
			if err := signals.Validate(s); err != nil {
				t.Fatal(err)
			}
		}); allocs != 0 {
			t.Errorf("%s: %v allocations", s.Kind(), allocs)
		}
	}
}

func TestTextIsUTF8WhereverTheBadByteIs(t *testing.T) {
	for length := range 100 {
		good := strings.Repeat("a", length)
		if err := (signals.Limits{}).Text("f", good+"é"); err != nil {
			t.Errorf("%d letters and one beyond ASCII: %v", length, err)
		}
		for at := range length {
			bad := good[:at] + "\xff" + good[at+1:]
			if err := (signals.Limits{}).Text("f", bad); !errors.Is(err, signals.ErrInvalid) {
				t.Errorf("bad byte at %d of %d: %v", at, length, err)
			}
		}
	}
}
