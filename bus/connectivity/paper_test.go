package connectivity

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func paperLayer(t *testing.T) (*Layer, Input) {
	b := made(bus.New(&bus.Options{Sweep: -1}))
	t.Cleanup(b.Close)
	return New(b, nil), Input{
		Thread: "t", Source: "a", Class: AttentionRaise, Audience: Self, Priority: Critical, Summary: "x",
	}
}

// Who waited for a flight looks at it afterwards, so it is not used again.
func TestAFlightSomebodyWaitsForIsNotUsedAgain(t *testing.T) {
	l, in := paperLayer(t)
	ctx := context.Background()
	first, err := l.prepareStep(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() {
		_, err := l.AdvanceStep(ctx, "t")
		waited <- err
	}()
	for waiting := false; !waiting; runtime.Gosched() {
		l.mu.Lock()
		waiting = first.done != nil
		l.mu.Unlock()
	}
	if _, err := l.fly(ctx, l.system, first); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	if _, err := l.Emit(ctx, in); err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Contains(l.idle, first) || len(l.idle) != 1 {
		t.Errorf("of %d idle flights one was waited for, or none is kept", len(l.idle))
	}
}

// The bus, or what a handler left of it, may still look at a flight whose
// goroutine ended.
func TestAFlightThatDidNotReturnIsNotUsedAgain(t *testing.T) {
	for _, hook := range []Hook{nil, func(context.Context, Signal) (Mode, error) { return 0, nil }} {
		l, in := paperLayer(t)
		in.Audience, l.opts.Hook = Coordinator, hook
		if err := l.SetCoordinator("t", "lead"); err != nil {
			t.Fatal(err)
		}
		if _, err := bus.Handle(l.bus, bus.HandleOptions{Agent: "lead"}, func(context.Context, signals.Signal[Attention]) error {
			runtime.Goexit()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		f, err := l.prepare(context.Background(), &in, new(in.note("main")), new(Emission))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = l.send(context.Background(), f, new(Signal))
		}()
		<-done
		if slices.Contains(l.idle, f) {
			t.Errorf("held %v: kept", hook != nil)
		}
	}
}

// A signal in the log stays as it is when its paper is used again, also one
// that was refused.
func TestPaperIsOnlyPaper(t *testing.T) {
	l, in := paperLayer(t)
	ctx := context.Background()
	var want []string
	for _, summary := range []string{"one", "two", "three"} {
		for c := AttentionRaise; int(c) <= classes; c++ {
			in.Class, in.Summary, in.Confidence = c, summary+" "+c.String(), Grade{}
			switch c {
			case ConfidenceHigh:
				in.Confidence = Graded(0.8)
			case ConfidenceMedium:
				in.Confidence = Graded(0.4)
			case ConfidenceLow:
				in.Confidence = Graded(0.1)
			case ConfidenceBlocker, ConflictActive, ConflictResolved:
				in.Confidence = Graded(0)
			}
			e, err := l.Emit(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, in.Summary)
			in.Replaces = e.Signal.ID
			if _, err := l.AdvanceStep(ctx, "t"); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	steps := 0
	for s := range l.bus.History(bus.Filter{}) {
		if n, ok := NoteOf(s); ok {
			got = append(got, n.Summary)
			if n.Step != steps {
				t.Errorf("%s at step %d, want %d", n.Summary, n.Step, steps)
			}
		}
		if step, ok := signals.As[Step](s); ok {
			steps++
			if step.Payload.Step != steps {
				t.Errorf("step %d, want %d", step.Payload.Step, steps)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("in the log: %q\nwant: %q", got, want)
	}
}

// What is kept is bounded, whatever was under way at once.
func TestIdlePaperIsBounded(t *testing.T) {
	l, in := paperLayer(t)
	ctx := context.Background()
	step := func(thread string) (*flight, error) { return l.prepareStep(ctx, thread) }
	emit := func(thread string) (*flight, error) {
		in.Thread = thread
		return l.prepare(ctx, &in, new(in.note("main")), new(Emission))
	}
	for _, depart := range []func(string) (*flight, error){step, emit} {
		var all []*flight
		for i := range 10 * maxIdle {
			f, err := depart(fmt.Sprint("t", i))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
		for _, f := range all {
			if _, err := l.fly(ctx, cmp.Or(f.by, l.system), f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(l.idle) > maxIdle || len(l.paper) > maxIdle {
		t.Errorf("%d flights and %d sheets are kept", len(l.idle), len(l.paper))
	}
}

// Emitting and stepping allocate no more than a place in the table.
func TestEmittingAllocatesAlmostNothing(t *testing.T) {
	l, in := paperLayer(t)
	in.Audience = Coordinator
	ctx := context.Background()
	for name, f := range map[string]func() error{
		"emit": func() error { _, err := l.Emit(ctx, in); return err },
		"step": func() error { _, err := l.AdvanceStep(ctx, "t"); return err },
	} {
		if got := testing.AllocsPerRun(1000, func() {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}); got > 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

// A flight that waited for its hook is kept like any other.
func TestAFlightIsUsedAgainAfterItsHook(t *testing.T) {
	l, in := paperLayer(t)
	l.opts.Hook = func(context.Context, Signal) (Mode, error) { return 0, nil }
	for range 3 {
		if _, err := l.Emit(context.Background(), in); err != nil {
			t.Fatal(err)
		}
		if len(l.idle) != 1 || len(l.paper) != 1 {
			t.Errorf("%d flights and %d sheets are kept, want one", len(l.idle), len(l.paper))
		}
	}
}

// A step that is on its way has no id to be known by. One of the same number from before must not be taken for it.
func TestAStepIsNotFoundInWhatWasInTheLogBefore(t *testing.T) {
	ctx := context.Background()
	for name, layerOn := range map[string]func(*bus.Bus) (*Layer, error){
		"new":     func(b *bus.Bus) (*Layer, error) { return New(b, nil), nil },
		"rebuilt": func(b *bus.Bus) (*Layer, error) { return Rebuild(b, nil, b.History(bus.Filter{})) },
	} {
		b := made(bus.New(&bus.Options{Sweep: -1}))
		t.Cleanup(b.Close)
		old := New(b, nil)
		if _, err := old.AdvanceStep(ctx, "t"); err != nil {
			t.Fatal(err)
		}
		if err := old.CloseThread(ctx, "t"); err != nil {
			t.Fatal(err)
		}
		l, err := layerOn(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.prepareStep(ctx, "t"); err != nil {
			t.Fatal(err)
		}
		if got := l.Step("t"); got != 0 {
			t.Errorf("%s: step %d, though it is not in the log", name, got)
		}
	}
}

func TestPaperOfOtherKindsMakesRoom(t *testing.T) {
	l, in := paperLayer(t)
	ctx := context.Background()
	var steps []*flight
	for i := range maxIdle {
		f, err := l.prepareStep(ctx, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, f)
	}
	for _, f := range steps {
		if _, err := l.fly(ctx, l.system, f); err != nil {
			t.Fatal(err)
		}
	}
	emit := func() {
		if _, err := l.Emit(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	emit()
	if !slices.ContainsFunc(l.paper, func(s signals.Any) bool { return noteOf(s) != nil }) {
		t.Errorf("of %d sheets none is for what is emitted", len(l.paper))
	}
	if len(l.paper) > maxIdle {
		t.Errorf("%d sheets are kept", len(l.paper))
	}
}
