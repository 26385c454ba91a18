package agents_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
)

// notebook is a hook that records its calls.
type notebook struct{ lines []string }

type placeKey struct{}

var place = &signals.Trace{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Flags: 1}

func (n *notebook) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	n.lines = append(n.lines, "start "+string(op.Name)+" "+op.Target)
	return context.WithValue(ctx, placeKey{}, place), func(result any, err error) {
		said, _ := result.([]signals.Any)
		n.lines = append(n.lines, findings(said)...)
		if err != nil {
			n.lines = append(n.lines, err.Error())
		}
		n.lines = append(n.lines, "end "+string(op.Name))
	}
}

func (n *notebook) Note(_ context.Context, what any) { n.lines = append(n.lines, what.(string)) }

func (n *notebook) Trace(ctx context.Context) *signals.Trace {
	t, _ := ctx.Value(placeKey{}).(*signals.Trace)
	return t
}

func TestTurnIsAnOpThatAlwaysEnds(t *testing.T) {
	for name, test := range map[string]struct {
		react func() seq
		want  []string
	}{
		"speaks": {func() seq { return agents.Emit(finding("x")) }, []string{"start turn a", "x", "end turn"}},
		"fails":  {func() seq { return agents.Fail(errors.New("no")) }, []string{"start turn a", "agents: a: no", "end turn"}},
		"panics": {func() seq { panic("oh") }, []string{"start turn a", "agents: a panicked: oh", "end turn"}},
		"exits":  {func() seq { runtime.Goexit(); return nil }, []string{"start turn a", agents.ErrNoReturn.Error(), "end turn"}},
	} {
		book := &notebook{}
		a := &agents.Agent{ID: "a", Reactor: agents.Each(func(context.Context, signals.Any) seq { return test.react() })}
		var taken sync.WaitGroup
		taken.Go(func() { _, _ = a.Take(hooks.With(t.Context(), book), &agents.Turn{New: inbox("x")}) })
		taken.Wait()
		if diff := cmp.Diff(test.want, book.lines); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReactorWorksInsideItsTurn(t *testing.T) {
	book := &notebook{}
	a := &agents.Agent{ID: "a", Reactor: agents.Each(func(ctx context.Context, _ signals.Any) seq {
		ctx, end := hooks.Start(ctx, hooks.Op{Name: "tool", Target: "grep"})
		hooks.Note(ctx, "found")
		end(nil, nil)
		return agents.Emit()
	})}
	_, _ = a.Take(hooks.With(t.Context(), book), &agents.Turn{New: inbox("x")})
	want := []string{"start turn a", "start tool grep", "found", "end tool", "end turn"}
	if diff := cmp.Diff(want, book.lines); diff != "" {
		t.Error(diff)
	}
}

// TestSignalsOfATurnCarryItsTraceContext has an agent that sets trace
// contexts of its own.
func TestSignalsOfATurnCarryItsTraceContext(t *testing.T) {
	own := map[string]*signals.Trace{
		"none":        nil,
		"a span":      {TraceID: place.TraceID, SpanID: [8]byte{4}, Flags: 1},
		"not sampled": {TraceID: place.TraceID, SpanID: place.SpanID},
		"a state":     {TraceID: place.TraceID, SpanID: place.SpanID, Flags: 1, State: "a=secret"},
		"a trace":     {TraceID: [16]byte{3}, SpanID: [8]byte{4}, Flags: 1},
	}
	for name, at := range own {
		a := &agents.Agent{ID: "a", Reactor: agents.Each(func(context.Context, signals.Any) seq {
			return agents.Emit(signals.New(signals.Header{Trace: at}, signals.Discovery{Finding: "x"}))
		})}
		said, _ := a.Take(hooks.With(t.Context(), &notebook{}), &agents.Turn{New: inbox("x")})
		if got := said[0].Head().Trace; got != place {
			t.Errorf("%s: got %v, want the turn's, %v", name, got, place)
		}
		if said, _ := a.Take(t.Context(), &agents.Turn{New: inbox("x")}); said[0].Head().Trace != at {
			t.Errorf("%s: got %v, want what the agent set where nothing is traced", name, said[0].Head().Trace)
		}
	}
}

func TestOnlyARepeatedTurnHasTheNumberOfItsTry(t *testing.T) {
	for try, want := range map[int][]slog.Attr{0: nil, 1: {slog.Int(hooks.AttrTry, 1)}} {
		var got []slog.Attr
		hook := opens{func(op hooks.Op) { got = op.Attributes }}
		_, _ = (&agents.Agent{ID: "a", Reactor: agents.Each(func(context.Context, signals.Any) seq { return agents.Emit() })}).
			Take(hooks.With(t.Context(), hook), &agents.Turn{Try: try})
		if !slices.EqualFunc(got, want, slog.Attr.Equal) {
			t.Errorf("try %d: %v, want %v", try, got, want)
		}
	}
}

// opens is a hook that shows each op that starts.
type opens struct{ show func(hooks.Op) }

func (o opens) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	o.show(op)
	return ctx, func(any, error) {}
}

func (opens) Note(context.Context, any) {}

func (opens) Trace(context.Context) *signals.Trace { return nil }
