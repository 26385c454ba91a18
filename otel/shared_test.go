package otel_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// A log in memory, which several buses have in common.
type sharedLog struct {
	mu    sync.Mutex // protects the field below
	last  uint64
	buses []*bus.Bus
}

// Next implements [bus.Sequencer].
func (l *sharedLog) Next() uint64 { return l.last + 16 }

// Append implements [bus.Sequencer].
func (l *sharedLog) Append(_ context.Context, all []signals.Any, _ uint64) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last += 16 // leaves numbers to conflicts
	numbered := make([]signals.Any, len(all))
	for i, s := range all {
		h := s.Head()
		h.Seq = l.last + uint64(i)
		numbered[i] = signals.With(s, h)
	}
	for _, b := range l.buses {
		if err := b.Feed(context.Background(), numbered...); err != nil {
			return 0, err
		}
	}
	return l.last, nil
}

// The process that drives the solve has a span of each signal of its log, whoever published it, and
// those that follow the log have none.
func TestPublishesOnALogOfManyMachinesAreSpansOfTheDriver(t *testing.T) {
	log := new(sharedLog)
	drives, follows := newTrace(t, otel.Options{}), newTrace(t, otel.Options{})
	for _, r := range []*trace{drives, follows} {
		log.buses = append(log.buses, watched(t, r, &bus.Options{Sequencer: log, TTL: -1}))
	}
	person := made(log.buses[1].Agent("person", bus.Permissions{}))
	all := team()
	finds := agent("finds", signals.KindTask)
	finds.CanEmit = []signals.Kind{signals.KindDiscovery}
	finds.Reactor = agents.On(func(_ context.Context, task *signals.Signal[signals.Task]) seq {
		_, err := person.Publish(context.Background(), signals.New(signals.Header{Thread: task.Thread, Confidence: 1}, signals.Discovery{Finding: "f"}))
		return agents.Fail(err)
	})
	s := made(swarm.New(swarm.Options{Agents: append(all, finds), Hook: drives, Bus: log.buses[0]}))
	result := made(s.Solve(t.Context(), signals.Task{Task: "which one?"}))
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	var published []string
	for _, span := range drives.spans(t) {
		if kind, ok := strings.CutPrefix(span.Name, "publish "); ok {
			published = append(published, fmt.Sprint(span.Attributes["swarmbus.seq"], kind, span.Trace))
		}
	}
	var want []string
	for _, said := range result.Log {
		want = append(want, fmt.Sprint(said.Head().Seq, said.Kind(), fmt.Sprintf("%x", result.Log[0].Head().Trace.TraceID)))
	}
	sorted := cmp.Transformer("sorted", func(all []string) map[string]int {
		of := map[string]int{}
		for _, one := range all {
			of[one]++
		}
		return of
	})
	if diff := cmp.Diff(want, published, sorted); diff != "" || len(want) < 8 {
		t.Errorf("publishes of the driver (-want +got):\n%s", diff)
	}
	if spans := follows.spans(t); len(spans) > 0 {
		t.Errorf("the process that follows has the spans\n%s", oteltest.Tree(spans))
	}
}
