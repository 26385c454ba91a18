package otel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
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
	r.solve(t, swarm.Options{Conflicts: swarm.EscalateConflicts, Agents: []*agents.Agent{
		proposer("p", "a"), proposer("q", "b"), voter("v", "a"), voter("w", "b"),
	}})
	// No fate=closed: what nobody was left to read is no dead letter.
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

type attributes []attribute.KeyValue

func (all attributes) String() string {
	var parts []string
	for _, kv := range all {
		parts = append(parts, string(kv.Key)+"="+kv.Value.String())
	}
	return strings.Join(parts, " ")
}
