package otel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func team() []*agents.Agent {
	return []*agents.Agent{proposer("p", "a"), proposer("q", "b"), voter("v", "a"), voter("w", "a")}
}

// split is a team whose votes are split.
func split() []*agents.Agent {
	return []*agents.Agent{proposer("p", "a"), proposer("q", "b"), voter("v", "a"), voter("w", "b")}
}

// teamOnce is a team that decides once something has begun.
func teamOnce(began <-chan struct{}) []*agents.Agent {
	all := team()
	last := all[len(all)-1]
	votes := last.Reactor
	last.Reactor = agents.Func(func(ctx context.Context, t *agents.Turn) seq {
		<-began
		return votes.React(ctx, t)
	})
	return all
}

func TestSolvesAtOnceOnOneBusAreOneTraceEach(t *testing.T) {
	const solves = 8
	r := newTrace(t, otel.Options{})
	b := watched(t, r, &bus.Options{TTL: -1})
	s, err := swarm.New(swarm.Options{Agents: team(), Hook: r, Bus: b})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range solves {
		wg.Go(func() {
			if _, err := s.Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	threads := map[string]string{}
	for _, span := range r.spans(t) {
		thread := span.Attributes["gen_ai.conversation.id"]
		if known := threads[span.Trace]; known != "" && known != thread {
			t.Errorf("trace %s has spans of %s and of %s", span.Trace, known, thread)
		}
		threads[span.Trace] = thread
	}
	if len(threads) != solves {
		t.Errorf("got %d traces, want %d", len(threads), solves)
	}
}

// TestLinksStayInTheirTrace has swarms with the same seed, whose signals have
// the same ids, with one observer that does not watch the last of them.
func TestLinksStayInTheirTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	for i := range 3 {
		s, err := swarm.New(swarm.Options{Agents: team(), Hook: r, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			stop, err := r.Watch(s.Bus())
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
		}
		if _, err := s.Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	links := 0
	for _, span := range r.spans(t) {
		for _, l := range span.Links {
			links++
			if l.Trace != span.Trace {
				t.Errorf("%s in trace %s has a link to trace %s", span.Name, span.Trace, l.Trace)
			}
		}
	}
	if links < 9 {
		t.Errorf("%d links, which cannot be all", links)
	}
}

func TestSolveIsPartOfItsCallersTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	ctx, caller := sdktrace.NewTracerProvider().Tracer("caller").Start(t.Context(), "request")
	s, err := swarm.New(swarm.Options{Agents: team(), Hook: r})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	result, err := s.Solve(ctx, signals.Task{Task: "which one?"})
	caller.End()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%x", result.Log[0].Head().Trace.TraceID), caller.SpanContext().TraceID().String(); got != want {
		t.Errorf("got trace %s, want the caller's %s", got, want)
	}
}

func TestTraceThatIsNotSampledIsPassedOnAndNotRecorded(t *testing.T) {
	r := newTrace(t, otel.Options{}, sdktrace.WithSampler(sdktrace.NeverSample()))
	result := r.solve(t, swarm.Options{Agents: team()})
	if n := len(r.spans(t)); n != 0 {
		t.Errorf("recorded %d spans, want none", n)
	}
	for _, s := range result.Log {
		if k := s.Kind(); k == signals.KindConflict {
			continue // the bus's own
		}
		if trace := s.Head().Trace; trace == nil || otel.ToSpan(trace).IsSampled() || trace.TraceID != result.Log[0].Head().Trace.TraceID {
			t.Errorf("%s has trace %v, want the solve's, not sampled", s.Kind(), trace)
		}
	}
}

func TestObserverWithoutProvidersDoesNothing(t *testing.T) {
	observer, err := otel.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := swarm.New(swarm.Options{Agents: team(), Hook: observer})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	result, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err != nil || result.Stop != runlog.StopConsensus || result.Log[0].Head().Trace != nil {
		t.Errorf("got %v, %v, trace %v", result.Stop, err, result.Log[0].Head().Trace)
	}
}

func TestTurnThatIsNotNeededAnyMoreIsNoError(t *testing.T) {
	r := newTrace(t, otel.Options{})
	waits := agent("waits", signals.KindProposal)
	waits.CanEmit = []signals.Kind{signals.KindDiscovery}
	began := make(chan struct{})
	waits.Reactor = agents.Each(func(ctx context.Context, _ signals.Any) seq {
		close(began)
		<-ctx.Done()
		return agents.Fail(ctx.Err())
	})
	r.solve(t, swarm.Options{Agents: append(teamOnce(began), waits)})
	for _, s := range r.spans(t) {
		if s.Name == "invoke_agent waits" {
			if s.Status != "Unset" || s.Attributes["swarmbus.turn.dropped"] != "true" || s.Attributes["error.type"] != "" {
				t.Errorf("got status %s and %v, want dropped", s.Status, s.Attributes)
			}
			return
		}
	}
	t.Error("no turn was dropped")
}

// A turn may fail while its solve ends, which ends the span of the turn: it is failed with what happened, or not at all.
func TestATurnThatFailsWhileItsSolveEndsHasItsErrorWholeOrNot(t *testing.T) {
	r := newTrace(t, otel.Options{})
	for range 3000 {
		ctx, over := r.Start(t.Context(), hooks.Op{Name: hooks.OpSolve, Target: "swarm", Thread: "t"})
		_, returned := r.Start(ctx, hooks.Op{Name: hooks.OpTurn, Target: "p", Thread: "t", Round: 1})
		var both sync.WaitGroup
		both.Go(func() { returned(nil, errors.New("it failed")) })
		both.Go(func() { over(&solves.Result{Stop: runlog.StopConsensus}, nil) })
		both.Wait()
	}
	r.spans(t)
}

func TestErrorOfATurnThatWasNotCancelledIsItsOwn(t *testing.T) {
	r := newTrace(t, otel.Options{})
	quits := agent("quits", signals.KindTask)
	quits.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		return agents.Fail(fmt.Errorf("its client: %w", context.Canceled))
	})
	exits := agent("exits", signals.KindTask)
	exits.Reactor = agents.Each(func(context.Context, signals.Any) seq { runtime.Goexit(); return nil })
	r.solve(t, swarm.Options{Agents: append(team(), quits, exits)})
	for name, want := range map[string]string{"invoke_agent quits": "cancelled", "invoke_agent exits": "no_return"} {
		turn := named(t, r, name)
		if about := turn.Attributes; turn.Status != "Error" || about["error.type"] != want || about["swarmbus.turn.dropped"] != "" {
			t.Errorf("%s: got status %s and %v, want the error %s", name, turn.Status, about, want)
		}
	}
}

// TestMarksOfATurnThatHasNotBegunAreKept has a round that continues before its turns
// begin, as on a busy machine.
func TestMarksOfATurnThatHasNotBegunAreKept(t *testing.T) {
	r := newTrace(t, otel.Options{})
	ctx, end := r.Start(t.Context(), hooks.Op{Name: hooks.OpSolve, Target: "team", Thread: "x"})
	r.Note(ctx, hooks.TurnLate{Agent: "slow", Round: 1})
	r.Note(ctx, hooks.TurnDropped{Agent: "slow", Round: 1})
	r.Note(ctx, hooks.TurnDropped{Agent: "after", Round: 1})
	for _, op := range []hooks.Op{{Target: "slow", Round: 1}, {Target: "slow", Round: 2}, {Target: "again", Round: 1}} {
		op.Name, op.Thread = hooks.OpTurn, "x"
		_, returned := r.Start(ctx, op)
		returned(nil, nil)
	}
	end(nil, nil)
	_, returned := r.Start(ctx, hooks.Op{Name: hooks.OpTurn, Target: "after", Thread: "x", Round: 1})
	returned(nil, nil)
	got := map[string]string{}
	for _, s := range r.spans(t) {
		about := s.Attributes
		got[s.Name+" "+about["swarmbus.round"]] = "late=" + about["swarmbus.turn.late"] + " dropped=" + about["swarmbus.turn.dropped"]
	}
	want := map[string]string{
		"invoke_workflow team ": "late= dropped=", "invoke_agent slow 1": "late=true dropped=true", "invoke_agent slow 2": "late= dropped=",
		"invoke_agent again 1": "late= dropped=", "invoke_agent after 1": "late= dropped=true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTurnThatIgnoresCancellationIsRecorded decides while an agent ignores its
// context: its span is recorded as dropped before the agent returns.
func TestTurnThatIgnoresCancellationIsRecorded(t *testing.T) {
	r := newTrace(t, otel.Options{})
	began, release := make(chan struct{}), make(chan struct{})
	deaf := agent("deaf", signals.KindProposal)
	deaf.CanEmit = []signals.Kind{signals.KindDiscovery}
	deaf.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		close(began)
		<-release
		return agents.Emit()
	})
	s, err := swarm.New(swarm.Options{Hook: r, Agents: append(teamOnce(began), deaf)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
		t.Fatal(err)
	}
	turn := named(t, r, "invoke_agent deaf")
	close(release)
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if turn.Attributes["swarmbus.turn.dropped"] != "true" || turn.Status != "Unset" {
		t.Errorf("got %+v, want it dropped", turn)
	}
}

func TestSolveNamesTheAgentsItLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		deaf := agent("deaf", signals.KindTask)
		deaf.Reactor = agents.Each(func(context.Context, signals.Any) seq {
			time.Sleep(time.Minute)
			return agents.Emit()
		})
		s, err := swarm.New(swarm.Options{Name: "team", Hook: r, Agents: []*agents.Agent{proposer("p", "a"), deaf}, Limits: swarm.Limits{Deadline: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if about := named(t, r, "invoke_workflow team").Attributes; about["swarmbus.left_behind"] != "[deaf]" {
			t.Errorf("got %v, want the deaf one left behind", about)
		}
	})
}

// TestTurnIsMarkedAfterItReturned has a caller that drives agents report the
// outcome of two turns that have returned, and of one that has not.
func TestTurnIsMarkedAfterItReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		ctx, end := r.Start(t.Context(), hooks.Op{Name: hooks.OpSolve, Target: "team", Thread: "x"})
		_, first := r.Start(ctx, hooks.Op{Name: hooks.OpTurn, Target: "unused", Thread: "x", Round: 1})
		_, again := r.Start(ctx, hooks.Op{Name: hooks.OpTurn, Target: "again", Thread: "x", Round: 1})
		_, left := r.Start(ctx, hooks.Op{Name: hooks.OpTurn, Target: "left", Thread: "x", Round: 1})
		_, slow := r.Start(ctx, hooks.Op{Name: hooks.OpTurn, Target: "slow", Thread: "x", Round: 1})
		time.Sleep(time.Second)
		first(nil, nil)
		again(nil, errors.New("busy"))
		_, again = r.Start(ctx, hooks.Op{Name: hooks.OpTurn, Target: "again", Thread: "x", Round: 1})
		r.Note(ctx, hooks.TurnDropped{Agent: "unused", Round: 1})
		r.Note(ctx, hooks.TurnLate{Agent: "slow", Round: 1})
		time.Sleep(time.Second)
		again(nil, nil)
		slow(nil, nil)
		end(nil, nil)
		left(nil, nil) // too late: the solve has ended
		got := map[string]bool{}
		for _, s := range r.spans(t) {
			got[fmt.Sprintf("%s %s %v late=%s dropped=%s", s.Name, s.Status, s.End.Sub(s.Start),
				s.Attributes["swarmbus.turn.late"], s.Attributes["swarmbus.turn.dropped"])] = true
		}
		want := map[string]bool{
			"invoke_workflow team Unset 2s late= dropped=":    true,
			"invoke_agent left Unset 2s late= dropped=true":   true,
			"invoke_agent unused Unset 1s late= dropped=true": true,
			"invoke_agent again Error 1s late= dropped=":      true,
			"invoke_agent again Unset 1s late= dropped=":      true,
			"invoke_agent slow Unset 2s late=true dropped=":   true,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTurnOfAResumedSolveIsLinkedToThePublishesOfTheSolveBefore resumes in a
// trace of its own, where agents hear the signals of the first.
func TestTurnOfAResumedSolveIsLinkedToThePublishesOfTheSolveBefore(t *testing.T) {
	r := newTrace(t, otel.Options{})
	s, err := swarm.New(swarm.Options{Agents: split(), Hook: r, Seed: 1, Conflicts: settle.ByEscalation, Threshold: 0.6})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stop, err := r.Watch(s.Bus())
	if err != nil {
		t.Fatal(err)
	}
	asked, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err != nil || asked.Stop != runlog.StopEscalated {
		t.Fatalf("got %v, %v", asked.Stop, err)
	}
	if _, err := s.Resume(t.Context(), asked.Log, agents.Agree("a", 1, "")); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	spans := r.spans(t)
	name := map[string]string{}
	for _, span := range spans {
		name[span.ID] = span.Name
	}
	before := 0
	for _, span := range spans {
		for _, l := range span.Links {
			if l.Trace != span.Trace {
				before++
			}
			if l.Attributes["swarmbus.link"] == "heard" && !strings.HasPrefix(name[l.Span], "publish ") {
				t.Errorf("%s heard what is linked to %q", span.Name, name[l.Span])
			}
		}
	}
	if before < 4 {
		t.Errorf("%d links to the trace before", before)
	}
}
