package signals_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/signals"
)

func TestPayloadsHaveTheWireNamesOfTheSpec(t *testing.T) {
	for _, s := range samples() {
		text := fullJSON(s.kind, s.json)
		got := unmarshal(t, text)
		if got.Kind() != s.kind || s.signal.Kind() != s.kind {
			t.Errorf("kind %q and %q, want %q", got.Kind(), s.signal.Kind(), s.kind)
		}
		if d := diff(s.signal, got); d != "" {
			t.Errorf("%s reads as (-want +got):\n%s", s.kind, d)
		}
		if d := cmp.Diff(tree(t, text), tree(t, marshal(t, s.signal))); d != "" {
			t.Errorf("%s writes (-want +got):\n%s", s.kind, d)
		}
	}
}

func TestOptionalFieldsAreLeftOut(t *testing.T) {
	for text, s := range map[string]signals.Any{
		`{"type":"task:new","source":"","confidence":0,"payload":{"task":"t"}}`: signals.New(
			signals.Header{}, signals.Task{Task: "t"}),
		`{"type":"discovery","source":"","confidence":0,"payload":{"finding":"f","relevance":0}}`: signals.New(
			signals.Header{}, signals.Discovery{Finding: "f"}),
		`{"type":"vote","source":"","confidence":0,"payload":{"proposalId":"p","stance":"agree","weight":0}}`: signals.New(
			signals.Header{}, signals.Vote{ProposalID: "p", Stance: signals.Agree}),
		`{"type":"challenge","source":"","confidence":0,"payload":{"targetSignalId":"x","counterArgument":"c"}}`: signals.New(
			signals.Header{}, signals.Challenge{TargetSignalID: signals.MustID("x"), CounterArgument: "c"}),
	} {
		if got := marshal(t, s); got != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
		if d := diff(s, unmarshal(t, text)); d != "" {
			t.Errorf("%s reads as (-want +got):\n%s", text, d)
		}
	}
}

// The members that JavaScript's types call required are written even if empty.
func TestRequiredMembersAreAlwaysWritten(t *testing.T) {
	for _, s := range []struct {
		signal signals.Any
		member string
	}{
		{sign(signals.Proposal{ProposalID: "p", Content: "c"}), `"reasoning":""`},
		{sign(signals.Escalation{Reason: "r"}), `"context":""`},
		{sign(signals.Conflict{SignalA: target, SignalB: target}), `"description":""`},
		{sign(signals.ToolResult{ToolName: "n", TriggeredBy: "a"}), `"result":"","isError":false,"durationMs":0`},
		{sign(signals.Memory{Content: "c", Category: "k"}), `"importance":0`},
		{sign(signals.Consensus{ProposalID: "p", Decision: "d"}), `"confidence":0}`},
	} {
		if text := marshal(t, s.signal); !strings.Contains(text, s.member) {
			t.Errorf("no %s in %s", s.member, text)
		}
	}
}

func TestEnumsCountFromOneAndReadTheirWireNamesOnly(t *testing.T) {
	for number, names := range map[int][3]string{
		1: {"agree", "low", "correlation"},
		2: {"disagree", "medium", "intervention"},
		3: {"abstain", "high", "counterfactual"},
	} {
		stance, severity, level := signals.Stance(number), signals.Severity(number), signals.CausalLevel(number)
		got := [3]string{stance.String(), severity.String(), level.String()}
		if got != names {
			t.Errorf("%d is %q, want %q", number, got, names)
		}
		text, err := json.Marshal([]any{stance, severity, level})
		if want := `["` + strings.Join(names[:], `","`) + `"]`; err != nil || string(text) != want {
			t.Errorf("%d is written %s, %v, want %s", number, text, err, want)
		}
		var s signals.Stance
		var v signals.Severity
		var c signals.CausalLevel
		if err := json.Unmarshal(text, &[]any{&s, &v, &c}); err != nil || s != stance || v != severity || c != level {
			t.Errorf("%s reads as %v %v %v, %v", text, s, v, c, err)
		}
	}
	for _, text := range []string{"", "Agree", "agree ", "4", "low\x00", "correlations"} {
		var s signals.Stance
		var v signals.Severity
		var c signals.CausalLevel
		if s.UnmarshalText([]byte(text)) == nil || v.UnmarshalText([]byte(text)) == nil || c.UnmarshalText([]byte(text)) == nil {
			t.Errorf("accepted %q", text)
		}
		if s != 0 || v != 0 || c != 0 {
			t.Errorf("refused %q but set %d %d %d", text, s, v, c)
		}
	}
	for _, v := range []any{signals.Stance(0), signals.Stance(4), signals.Severity(4), signals.CausalLevel(0), signals.CausalLevel(4)} {
		if text, err := json.Marshal(v); err == nil {
			t.Errorf("wrote %v as %s", v, text)
		}
	}
	if got := signals.Stance(9).String() + signals.CausalLevel(0).String(); got != "signals.Stance(9)" {
		t.Errorf("got %q", got)
	}
}
