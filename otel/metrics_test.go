package otel_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// collected returns every number that is metered, as a line.
func collected(t *testing.T, reader sdkmetric.Reader) string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	var lines []string
	add := func(name string, value any, about fmt.Stringer) {
		lines = append(lines, fmt.Sprintf("%s %v %s", name, value, about))
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				add(m.Name, p.Value, attributes(p.Attributes.ToSlice()))
			}
		case metricdata.Gauge[int64]:
			for _, p := range data.DataPoints {
				add(m.Name, p.Value, attributes(p.Attributes.ToSlice()))
			}
		case metricdata.Histogram[int64]:
			for _, p := range data.DataPoints {
				add(m.Name, fmt.Sprintf("n=%d sum=%d", p.Count, p.Sum), attributes(p.Attributes.ToSlice()))
			}
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				add(m.Name, fmt.Sprintf("n=%d", p.Count), attributes(p.Attributes.ToSlice()))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func TestMetricsOfSolves(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	r := newTrace(t, otel.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a"), voter("v", "a"), voter("w", "a")}})
	r.solve(t, swarm.Options{Conflicts: settle.ByEscalation, Agents: []*agents.Agent{
		proposer("p", "a"), proposer("q", "b"), voter("v", "a"), voter("w", "b"),
	}})
	// No disposition=closed: a signal left unread when its reader closes is no dead letter.
	golden(t, "metrics.txt", collected(t, reader))
}

func TestBacklogAndOpenConflictsAreThoseOfTheMoment(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	r := newTrace(t, otel.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	b := watched(t, r, nil)
	sub, err := b.Subscribe(bus.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	propose := func(agent, id string) bus.Receipt {
		return publish(t, b, agent, signals.New(signals.Header{}, signals.Proposal{ProposalID: id, Content: id}))
	}
	one, two := propose("p", "a"), propose("q", "b")
	for _, step := range []struct {
		do   func()
		want [2]int
	}{
		{func() {}, [2]int{3, 1}},
		{func() { _, _ = sub.Poll() }, [2]int{2, 1}},
		{func() { _, _ = b.Resolve(t.Context(), "", one.ID, two.ID, "tossed") }, [2]int{3, 0}},
	} {
		step.do()
		text := collected(t, reader)
		for i, name := range []string{"swarmbus.backlog", "swarmbus.conflicts.open"} {
			if want := fmt.Sprintf("%s %d ", name, step.want[i]); !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
	}
}

func TestGaugesAddUpOverBuses(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	r := newTrace(t, otel.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	for _, backlog := range []int{1, 2} {
		b := watched(t, r, nil)
		subscribe(t, b, bus.SubscribeOptions{})
		for range backlog {
			publish(t, b, "a", say("thread-x", signals.ID{}, nil))
		}
	}
	if text := collected(t, reader); !strings.Contains(text, "swarmbus.backlog 3 ") {
		t.Errorf("want a backlog of 3 on two buses:\n%s", text)
	}
}

// TestFilteredAndUnreadSignalsAreNoDeadLetters has a signal that a reader's filter
// leaves out, and one that a reader has not read when it closes.
func TestFilteredAndUnreadSignalsAreNoDeadLetters(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	r := newTrace(t, otel.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	b := watched(t, r, nil)
	sub, err := b.Subscribe(bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindProposal}})
	if err != nil {
		t.Fatal(err)
	}
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	publish(t, b, "p", signals.New(signals.Header{}, signals.Proposal{ProposalID: "a", Content: "a"}))
	publish(t, b, "q", signals.New(signals.Header{}, signals.Proposal{ProposalID: "b", Content: "b"}))
	if _, err := sub.Poll(); err != nil {
		t.Fatal(err)
	}
	sub.Close()
	if err := b.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := collected(t, reader)
	if strings.Contains(text, "disposition=") {
		t.Errorf("a dead letter is counted:\n%s", text)
	}
	if !strings.Contains(text, "messaging.client.consumed.messages 1 ") {
		t.Errorf("not one signal is consumed:\n%s", text)
	}
}

func TestCallsAreMeasured(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	r := newTrace(t, otel.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	_, end := r.Start(t.Context(), hooks.Op{Name: hooks.OpModel, Target: "large", Attributes: []slog.Attr{slog.String(hooks.AttrProvider, "acme")}})
	end([]slog.Attr{slog.Int(hooks.AttrInputTokens, 17), slog.Int(hooks.AttrOutputTokens, 4)}, nil)
	_, end = r.Start(t.Context(), hooks.Op{Name: hooks.OpTool, Target: "grep"})
	end(nil, context.DeadlineExceeded)
	const want = `gen_ai.client.operation.duration n=1 gen_ai.operation.name=chat gen_ai.provider.name=acme gen_ai.request.model=large
gen_ai.client.token.usage n=1 sum=17 gen_ai.operation.name=chat gen_ai.provider.name=acme gen_ai.request.model=large gen_ai.token.type=input
gen_ai.client.token.usage n=1 sum=4 gen_ai.operation.name=chat gen_ai.provider.name=acme gen_ai.request.model=large gen_ai.token.type=output
gen_ai.execute_tool.duration n=1 error.type=timeout gen_ai.tool.name=grep
`
	if diff := cmp.Diff(want, collected(t, reader)); diff != "" {
		t.Error(diff)
	}
}

type attributes []attribute.KeyValue

func (all attributes) String() string {
	var parts []string
	for _, kv := range all {
		parts = append(parts, string(kv.Key)+"="+kv.Value.String())
	}
	return strings.Join(parts, " ")
}
