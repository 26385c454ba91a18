package otel_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// TestSolvesOfOneSeedInOneTraceAreDistinguished has two swarms that run at once in
// the span of one caller: their threads and the ids of their signals are the same.
func TestSolvesOfOneSeedInOneTraceAreDistinguished(t *testing.T) {
	r := newTrace(t, otel.Options{})
	ctx, caller := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.recorder)).Tracer("caller").Start(t.Context(), "request")
	var wg, both sync.WaitGroup
	both.Add(2)
	for _, name := range []string{"left", "right"} {
		waits := agent("waits", signals.KindTask)
		waits.CanEmit = []signals.Kind{signals.KindDiscovery}
		waits.Reactor = agents.Each(func(context.Context, signals.Any) seq {
			both.Done()
			both.Wait() // so that both run
			return agents.Emit()
		})
		members := []*agents.Agent{proposer("p", "a"), proposer("q", "b"), voter("v", "a"), voter("w", "a"), waits}
		s, err := swarm.New(swarm.Options{Name: name, Agents: members, Hook: r, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		stop, err := r.Watch(s.Bus())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		wg.Go(func() {
			if _, err := s.Solve(ctx, signals.Task{Task: "which one?"}); err != nil {
				t.Error(err)
			}
			if err := s.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	caller.End()
	spans := r.spans(t)
	byID := map[string]oteltest.Span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	workflow := func(s oteltest.Span) string {
		for !strings.HasPrefix(s.Name, "invoke_workflow ") {
			s = byID[s.Parent]
		}
		return strings.TrimPrefix(s.Name, "invoke_workflow ")
	}
	votes, turns := 0, 0
	for _, s := range spans {
		switch {
		case s.Name == "request":
			continue
		case s.Name == "publish vote":
			votes++
			if s.Attributes["swarmbus.vote.counted"] != "true" && s.Attributes["swarmbus.vote.cause"] != "superseded" {
				t.Errorf("a vote was not counted: %v", s.Attributes)
			}
			if cause := s.Attributes["swarmbus.vote.cause"]; s.Attributes["swarmbus.vote.counted"] == "true" && cause != "" {
				t.Errorf("a vote that was counted is %s", cause)
			}
		case strings.HasPrefix(s.Name, "invoke_agent "):
			turns++
			if s.Attributes["swarmbus.turn.dropped"] != "" {
				t.Errorf("%s was dropped: %v", s.Name, s.Attributes)
			}
		}
		if name := s.Attributes["gen_ai.workflow.name"]; s.Kind == "PRODUCER" && name != workflow(s) {
			t.Errorf("%s is of %q, want %q", s.Name, name, workflow(s))
		}
		for _, l := range s.Links {
			if got := workflow(byID[l.Span]); got != workflow(s) {
				t.Errorf("%s of %s has a link to %s of %s", s.Name, workflow(s), byID[l.Span].Name, got)
			}
		}
	}
	if votes != 8 || turns != 10 {
		t.Errorf("got %d votes and %d turns, want 8, on two proposals each, and 10", votes, turns)
	}
}

// TestSpansOfAFailedSolveEnd has a caller that drives agents and fails: publishes
// before and after that do not wait for a decision.
func TestSpansOfAFailedSolveEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		b := watched(t, r, &bus.Options{TTL: -1})
		ctx, end := r.Start(t.Context(), hooks.Op{Name: hooks.OpSolve, Target: "team", Thread: "x"})
		publish(t, b, "a", say("x", signals.ID{}, r.Trace(ctx)))
		end(nil, errors.New("no"))
		publish(t, b, "a", say("x", signals.ID{}, r.Trace(ctx)))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := len(r.recorder.Ended()); n != 3 {
			t.Errorf("%d spans have ended, want the solve and two publishes", n)
		}
	})
}

// TestResumedSolveRecordsNothingAgain resumes in another process, whose bus is
// given the log.
func TestResumedSolveRecordsNothingAgain(t *testing.T) {
	first := newTrace(t, otel.Options{})
	asked := first.solve(t, swarm.Options{Agents: split(), Conflicts: settle.ByEscalation})
	if asked.Stop != runlog.StopEscalated {
		t.Fatalf("got %v", asked.Stop)
	}
	r := newTrace(t, otel.Options{Deliveries: true})
	b := watched(t, r, &bus.Options{TTL: -1})
	sub := subscribe(t, b, bus.SubscribeOptions{Agent: "archive"})
	s, err := swarm.New(swarm.Options{Agents: split(), Hook: r, Bus: b, Seed: 1, Conflicts: settle.ByEscalation})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Resume(t.Context(), asked.Log, agents.Agree("a", 1, "")); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range asked.Log {
		_, _ = sub.Poll()
	}
	r.Flush()
	old := otel.ToSpan(asked.Log[0].Head().Trace).TraceID().String()
	published, named := 0, false
	for _, span := range oteltest.FromSDK(r.recorder.Ended()) {
		if span.Trace == old {
			t.Errorf("%s was recorded in the old trace", span.Name)
		}
		if span.Kind == "PRODUCER" {
			published++
		}
		named = named || strings.Contains(span.Attributes["swarmbus.reply_to"], "escalate by system")
	}
	if published == 0 || !named {
		t.Errorf("%d publishes, names what it answers: %v; want the new ones, one of which answers the question", published, named)
	}
}

// TestSignalsOfATurnAreRecordedInsideIt has agents that set a trace context of
// their own: that of another agent's signal, an invented span, one that is not
// sampled, with text in its state, and that of a call.
func TestSignalsOfATurnAreRecordedInsideIt(t *testing.T) {
	forge := map[string]func(own signals.Trace, heard *signals.Trace) *signals.Trace{
		"copies": func(_ signals.Trace, heard *signals.Trace) *signals.Trace { return heard },
		"foreign": func(signals.Trace, *signals.Trace) *signals.Trace {
			return &signals.Trace{TraceID: [16]byte{7}, SpanID: [8]byte{8}, Flags: 1}
		},
		"invents": func(own signals.Trace, _ *signals.Trace) *signals.Trace { own.SpanID = [8]byte{8}; return &own },
		"hides":   func(own signals.Trace, _ *signals.Trace) *signals.Trace { own.Flags = 0; return &own },
		"states":  func(own signals.Trace, _ *signals.Trace) *signals.Trace { own.State = "a=secret"; return &own },
		"calls":   func(own signals.Trace, _ *signals.Trace) *signals.Trace { return &own },
	}
	r := newTrace(t, otel.Options{})
	team := []*agents.Agent{proposer("p", "a")}
	for name, f := range forge {
		a := agent(name, signals.KindProposal)
		a.Reactor = agents.Each(func(ctx context.Context, heard signals.Any) seq {
			if name == "calls" {
				inside, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpTool, Target: "grep"})
				defer end(nil, nil)
				ctx = inside
			}
			trace := f(*hooks.TraceOf(ctx), heard.Head().Trace)
			return agents.Emit(signals.New(signals.Header{Trace: trace}, signals.Discovery{Finding: "x"}))
		})
		team = append(team, a)
	}
	r.solve(t, swarm.Options{Agents: append(team, voter("w", "a"))})
	spans := r.spans(t)
	byID := map[string]oteltest.Span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	found := 0
	for _, s := range spans {
		if source := s.Attributes["swarmbus.source"]; s.Kind == "PRODUCER" && forge[source] != nil {
			found++
			if in := byID[s.Parent].Name; in != "invoke_agent "+source {
				t.Errorf("what %s said is inside %q, want its turn", source, in)
			}
		}
	}
	for _, s := range r.recorder.Ended() {
		if s.SpanContext().TraceState().Len() > 0 {
			t.Errorf("%s has the state %v", s.Name(), s.SpanContext().TraceState())
		}
	}
	if found != len(forge) {
		t.Errorf("recorded what %d said, want %d", found, len(forge))
	}
}
