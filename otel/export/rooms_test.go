package export_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/otel/export"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// TestJaegerShowsATurnOfARoom has an agent that calls a tool before it answers.
func TestJaegerShowsATurnOfARoom(t *testing.T) {
	j := startJaeger(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", j.http)
	p := newPipeline(t, export.Options{Service: "rooms", NoMetrics: true})
	reed := &agents.Agent{ID: "Reed", Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
		_, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "audit"}, func(context.Context) (string, error) { return "whole", nil })
		if err != nil {
			return agents.Fail(err)
		}
		return agents.Emit(rooms.Words("All is whole."))
	})}
	r, err := rooms.New(t.Context(), &rooms.Options{Keys: &events.Keys{Dir: t.TempDir()}, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(hooks.With(context.Background(), p.Observer))
	ran := make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Is it whole?"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ran; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
	books := p.Close()
	all := j.page(t, "/api/traces?service=rooms&limit=20&lookback=1h")
	if len(all) != 1 || len(all[0].Spans) != 2 || books.Sent != 2 || books.Lost() != 0 {
		t.Fatalf("%d traces, %+v, %+v", len(all), all, books)
	}
	names := map[string]string{}
	for _, s := range j.trace(t, all[0].TraceID) {
		names[s.Name] = s.Parent
	}
	var turn, tool bool
	for name, parent := range names {
		turn = turn || strings.Contains(name, "Reed") && parent == ""
		tool = tool || strings.Contains(name, "audit") && parent != ""
	}
	if !turn || !tool {
		t.Errorf("Jaeger has the spans %v", names)
	}
}
