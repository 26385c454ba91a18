package connectivity

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A signal gets into the log before its thread is closed, and lands after. From
// outside that takes a race within one commit.
func TestWhatLandsAfterItsThreadWasClosedIsForgotten(t *testing.T) {
	b := made(bus.New(&bus.Options{Sweep: -1}))
	defer b.Close()
	l := New(b, nil)
	ctx := context.Background()
	in := Input{
		Thread: "t", Source: "a", Class: AttentionRaise, Audience: Self, Priority: Normal, Summary: "x",
	}
	depart := func() *flight {
		n := in.note("main")
		f, err := l.prepare(ctx, &in, &n, new(Emission))
		if err != nil || f == nil {
			t.Fatal(err)
		}
		return f
	}
	publish := func(f *flight) uint64 {
		p, _ := b.Agent("a", bus.Permissions{})
		receipts, err := p.PublishAll(ctx, f.entries...)
		if err != nil {
			t.Fatal(err)
		}
		return receipts[0].Seq
	}
	before := depart()
	in.Class = HandoffReady
	after := depart()
	at := publish(before)

	l.mu.Lock()
	closing := &flight{thread: "t", closes: true, entries: []signals.Any{
		signals.New(l.headerLocked(l.nowLocked(), system, "t", nobody, signals.ID{}), Closed{Layer: "main"}),
	}}
	l.departLocked(closing)
	l.mu.Unlock()
	if _, err := l.fly(ctx, b.System(), closing); err != nil {
		t.Fatal(err)
	}
	later := publish(after)

	l.mu.Lock()
	l.landLocked(before, at)
	l.landLocked(after, later)
	l.mu.Unlock()
	live := l.Query(Query{Thread: "t"})
	if len(live) != 1 || live[0].Class != HandoffReady {
		t.Errorf("in the thread: %+v", live)
	}
	rebuilt, err := Rebuild(b, nil, b.History(bus.Filter{}))
	if err != nil {
		t.Fatal(err)
	}
	if again := rebuilt.Query(Query{Thread: "t"}); len(again) != 1 || again[0].ID != live[0].ID {
		t.Errorf("rebuilt: %+v", again)
	}
}

// One advance waits for another, and counts one that is stuck.
func TestAnAdvanceWaitsForTheOneBefore(t *testing.T) {
	b := made(bus.New(&bus.Options{Sweep: -1}))
	defer b.Close()
	l := New(b, nil)
	first, err := l.prepareStep(context.Background(), "t")
	if err != nil || first.step != 1 {
		t.Fatalf("step %d: %v", first.step, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.prepareStep(ended, "t"); !errors.Is(err, context.Canceled) {
		t.Errorf("did not wait: %v", err)
	}
	if elsewhere, err := l.prepareStep(ended, "u"); err != nil || elsewhere.step != 1 {
		t.Errorf("waited for another thread: %v", err)
	}
	second, err := l.prepareStep(context.Background(), "t")
	if err != nil || second.step != 2 {
		t.Errorf("step %d: %v", second.step, err)
	}
}

// An end that comes too late, when its signal was forgotten and its place
// has another one, says nothing of that.
func TestAnEndThatComesTooLateLeavesOthersAlone(t *testing.T) {
	b := made(bus.New(&bus.Options{Sweep: -1}))
	defer b.Close()
	l := New(b, nil)
	ctx := context.Background()
	end := func() *flight {
		e, err := l.Emit(ctx, Input{
			Thread: "t", Source: "a", Class: AttentionRaise, Audience: Self, Priority: Normal, Summary: "x",
		})
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := l.prepareResolve(ctx, e.Signal.ID)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	late := end()
	if err := l.CloseThread(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	other := end()
	if late.ends[0] != other.ends[0] {
		t.Fatal("the place was not used again")
	}
	l.mu.Lock()
	l.overLocked(late)
	l.mu.Unlock()
	if other.ends[0].ending != other {
		t.Error("the other's end was forgotten")
	}
}

// What a cap drops makes room for what comes, here and in a rebuilt layer.
func TestPlacesAreUsedAgain(t *testing.T) {
	b := made(bus.New(&bus.Options{Sweep: -1}))
	defer b.Close()
	l := New(b, &Options{Retain: 1})
	ctx := context.Background()
	for range 10 * chunkSize {
		e, err := l.Emit(ctx, Input{
			Thread: "t", Source: "a", Class: AttentionRaise, Audience: Self, Priority: Normal, Summary: "x",
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Resolve(ctx, e.Signal.ID); err != nil {
			t.Fatal(err)
		}
	}
	rebuilt, err := Rebuild(b, &Options{Retain: 1}, b.History(bus.Filter{}))
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]*Layer{"first": l, "rebuilt": rebuilt} {
		if got := len(l.fold.records.chunks); got != 1 {
			t.Errorf("%s: %d chunks for at most three signals", name, got)
		}
	}
}

// A step that is stuck is not taken for the one after it.
func TestAStuckStepIsNotTheNextOne(t *testing.T) {
	b := made(bus.New(&bus.Options{Sweep: -1}))
	defer b.Close()
	l := New(b, nil)
	ctx := context.Background()
	stuck, err := l.prepareStep(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	stuck.late = true
	for want := 2; want <= 3; want++ {
		if step, err := l.AdvanceStep(ctx, "t"); step != want || err != nil {
			t.Errorf("step %d, want %d: %v", step, want, err)
		}
		if got := l.Step("t"); got != want || stuck.over {
			t.Errorf("at step %d, want %d; the one that is stuck has landed: %v", got, want, stuck.over)
		}
	}
	if _, err := l.fly(ctx, l.system, stuck); err != nil {
		t.Fatal(err)
	}
	if got := l.Step("t"); got != 3 || len(l.flights) != 0 {
		t.Errorf("at step %d with %d flights", got, len(l.flights))
	}
}

// A step is in the fold as soon as it is in the log, for who looks at both:
// the id of a step is the bus's, so a layer knows it by its number.
func TestAHandlerFindsTheStepItIsCalledFor(t *testing.T) {
	b := made(bus.New(&bus.Options{Sweep: -1}))
	defer b.Close()
	l, other := New(b, nil), New(b, &Options{Name: "other"})
	ctx := context.Background()
	var found []int
	if _, err := bus.Handle(b, bus.HandleOptions{Agent: system}, func(_ context.Context, s signals.Signal[Step]) error {
		if s.Payload.Layer == l.opts.Name {
			found = append(found, l.Step(s.Thread))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for step := 1; step <= 3; step++ {
		for range 2 { // the same number by another layer says nothing
			if _, err := other.AdvanceStep(ctx, "t"); err != nil {
				t.Fatal(err)
			}
		}
		f, err := l.prepareStep(ctx, "t")
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Step("t"); got != step-1 {
			t.Errorf("at step %d before %d is in the log", got, step)
		}
		if _, err := l.fly(ctx, l.system, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.CloseThread(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	f, err := l.prepareStep(ctx, "t") // its number was there before, until the thread was closed
	if err != nil || f.step != 1 {
		t.Fatal(f.step, err)
	}
	if got := l.Step("t"); got != 0 {
		t.Errorf("at step %d of the thread that was closed", got)
	}
	if _, err := l.fly(ctx, l.system, f); err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 3, 1}; !slices.Equal(found, want) {
		t.Errorf("handlers found steps %v, want %v", found, want)
	}
}
