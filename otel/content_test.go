package otel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// gossips is an agent that puts a secret into every field it can.
func gossips() []*agents.Agent {
	fails := agent("fails", signals.KindTask)
	fails.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		return agents.Fail(errors.New("key sk-abcdefghijklmnop1234 hush"))
	})
	liar := agent("liar", signals.KindTask, signals.New(signals.Header{}, signals.Consensus{ProposalID: "hush", Decision: "hush"}))
	talks := agent("talks", signals.KindTask,
		signals.New(signals.Header{}, signals.Discovery{Finding: "hush, sk-abcdefghijklmnop1234"}),
		signals.New(signals.Header{}, signals.Escalation{Reason: "hush"}))
	pretends := agent("pretends", signals.KindTask,
		signals.New(signals.Header{Source: "hush-sk-abcdefghijklmnop1234"}, signals.Discovery{Finding: "x"}))
	return []*agents.Agent{fails, liar, talks, pretends}
}

func TestContentIsNotRecordedByDefault(t *testing.T) {
	r := newTrace(t, otel.Options{})
	r.solve(t, swarm.Options{Agents: gossips()})
	if text := fmt.Sprint(r.spans(t)); strings.Contains(text, "hush") || strings.Contains(text, "sk-") {
		t.Errorf("a secret was recorded: %s", text)
	}
}

func TestContentIsRecordedRedactedAndCut(t *testing.T) {
	r := newTrace(t, otel.Options{Content: otel.Redact})
	team := append(gossips(), agent("long", signals.KindTask,
		signals.New(signals.Header{}, signals.Discovery{Finding: strings.Repeat("é ", 5000)})))
	r.solve(t, swarm.Options{Agents: team})
	text := fmt.Sprint(r.spans(t))
	if !strings.Contains(text, "hush, [redacted]") || !strings.Contains(text, "key [redacted] hush") || strings.Contains(text, "sk-") {
		t.Errorf("got %s, want the content without the key", text)
	}
	for _, s := range r.spans(t) {
		if n := len(s.Attributes["swarmbus.content"]); n > 4100 {
			t.Errorf("%d bytes of content were recorded", n)
		}
	}
}

// A payload that describes itself is recorded as a sentence, unless that panics.
func TestASentenceIsRecordedAsContent(t *testing.T) {
	r := newTrace(t, otel.Options{Content: otel.Redact})
	r.solve(t, swarm.Options{Agents: append(gossips(), agent("teller", signals.KindTask,
		signals.New(signals.Header{}, told(`found it, "token": "xyzzy"`)), signals.New(signals.Header{}, told("")),
	))})
	text := fmt.Sprint(r.spans(t))
	if !strings.Contains(text, "told: found it, ") || strings.Contains(text, "xyzzy") {
		t.Errorf("got %s, want the sentence without the token", text)
	}
}

// told is a payload that describes itself in a sentence, if it is not empty.
type told string

func (told) Kind() signals.Kind { return "acme.example/told" }

func (s told) String() string {
	if s == "" {
		panic("nothing")
	}
	return "told: " + string(s)
}

// Content is cut between characters, and only if it is longer than 4096 bytes.
func TestContentIsCutBetweenCharacters(t *testing.T) {
	frame, err := json.Marshal(signals.Discovery{})
	if err != nil {
		t.Fatal(err)
	}
	room := 4096 - len(frame)
	letters := func(n int) string { return strings.Repeat("a", n) }
	for _, tt := range []struct {
		finding string
		bytes   int // of what is recorded
		cut     bool
	}{
		{letters(room), 4096, false},
		{letters(room + 1), 4096 + len("…"), true},
		{strings.Repeat("日本語", 2000), 0, true},
		{"a" + strings.Repeat("日本語", 2000), 0, true},
		{"ab" + strings.Repeat("日本語", 2000), 0, true},
	} {
		r := newTrace(t, otel.Options{Content: func(_ signals.Kind, _, text string) string { return text }})
		r.solve(t, swarm.Options{Agents: []*agents.Agent{agent("long", signals.KindTask, signals.New(signals.Header{}, signals.Discovery{Finding: tt.finding}))}})
		found := 0
		for _, s := range r.spans(t) {
			texts := []string{s.Attributes["swarmbus.content"]}
			for _, e := range s.Events {
				texts = append(texts, e.Attributes["swarmbus.content"])
			}
			for _, text := range texts {
				if !strings.HasPrefix(text, `{"finding":`) {
					continue
				}
				found++
				whole, cut := strings.CutSuffix(text, "…")
				if !utf8.ValidString(text) || cut != tt.cut || len(whole) > 4096 || len(whole) < 4093 || tt.bytes > 0 && len(text) != tt.bytes {
					t.Errorf("%.10s… of %d bytes: %d bytes are recorded, ending in %q", tt.finding, len(tt.finding), len(text), text[len(text)-8:])
				}
			}
		}
		if found == 0 {
			t.Error("no content was recorded")
		}
	}
}

// TestTextThatWasCutHasNoPartOfASecret has errors with an address whose end was cut
// off before they were recorded: only "@" shows that it holds a password.
func TestTextThatWasCutHasNoPartOfASecret(t *testing.T) {
	address := "postgres://me:hush" + strings.Repeat("hush", 400) + "@db.example/x"
	fails := agent("fails", signals.KindTask)
	fails.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		return agents.Fail(errors.New(strings.Repeat("no ", 333) + address))
	})
	invalid := agent("invalid", signals.KindTask, signals.New(signals.Header{}, signals.Proposal{ProposalID: address, Content: "x"}))
	r := newTrace(t, otel.Options{Content: otel.Redact})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{fails, invalid}})
	text := fmt.Sprint(r.spans(t))
	if strings.Contains(text, "hush") || !strings.Contains(text, "no no [redacted]") || !strings.Contains(text, `signals: proposal.proposalId = "[redacted]"`) {
		t.Errorf("got %s, want the errors without the address", text)
	}
}

// TestTaskAndAnswerAreMessages looks for them on the solve, by option alone.
func TestTaskAndAnswerAreMessages(t *testing.T) {
	for _, o := range []otel.Options{{}, {Content: otel.Redact}} {
		r := newTrace(t, o)
		p := proposer("p", "a")
		p.Reactor = agents.On(func(context.Context, *signals.Signal[signals.Task]) seq {
			return agents.Emit(signals.New(signals.Header{}, signals.Proposal{ProposalID: "a", Content: `set "token": "abc"`}))
		})
		r.solve(t, swarm.Options{Agents: []*agents.Agent{p, voter("v", "a"), voter("w", "a")}})
		want := [2]string{}
		if o.Content != nil {
			want = [2]string{
				`[{"role":"user","parts":[{"type":"text","content":"which one?"}]}]`,
				`[{"role":"assistant","parts":[{"type":"text","content":"set \"token\": \"[redacted]\""}],"finish_reason":"stop"}]`,
			}
		}
		about := named(t, r, "invoke_workflow swarm").Attributes
		if got := [2]string{about["gen_ai.input.messages"], about["gen_ai.output.messages"]}; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// named returns the one span with that name.
func named(t *testing.T, r *trace, name string) oteltest.Span {
	t.Helper()
	var found []oteltest.Span
	for _, s := range r.spans(t) {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are called %s, want 1", len(found), name)
	}
	return found[0]
}

func TestLogHasTheIdsOfTheTrace(t *testing.T) {
	var out bytes.Buffer
	r := newTrace(t, otel.Options{Log: slog.New(slog.NewTextHandler(&out, nil)).With("app", "test").WithGroup("g")})
	r.solve(t, swarm.Options{Agents: gossips()})
	var turn oteltest.Span
	for _, s := range r.spans(t) {
		if s.Name == "invoke_agent fails" {
			turn = s
		}
	}
	for _, want := range []string{"turn failed", "signal refused", "no decision", "trace_id=" + turn.Trace, "span_id=" + turn.ID, "app=test"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, out.String())
		}
	}
}
