package otel_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// gossips says a secret in every way it can.
func gossips() []*agents.Agent {
	fails := agent("fails", signals.KindTask)
	fails.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		return agents.Fail(errors.New("key sk-abcdefghijklmnop1234 hush"))
	})
	liar := agent("liar", signals.KindTask, signals.New(signals.Header{}, signals.Consensus{ProposalID: "hush", Decision: "hush"}))
	talks := agent("talks", signals.KindTask,
		signals.New(signals.Header{}, signals.Discovery{Finding: "hush, sk-abcdefghijklmnop1234"}),
		signals.New(signals.Header{}, signals.Escalation{Reason: "hush"}))
	return []*agents.Agent{fails, liar, talks}
}

func TestWhatAgentsSayIsNotRecordedUnlessAskedFor(t *testing.T) {
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
