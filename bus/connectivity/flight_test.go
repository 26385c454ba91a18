package connectivity

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A signal gets into the log before its thread is closed, and lands after. From
// outside that takes a race within one commit.
func TestWhatLandsAfterItsThreadWasClosedIsForgotten(t *testing.T) {
	b := bus.New(&bus.Options{Sweep: -1})
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
		signals.New(l.headerLocked(system, "t", nobody, signals.ID{}), Closed{Layer: "main"}),
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
	b := bus.New(&bus.Options{Sweep: -1})
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
	b := bus.New(&bus.Options{Sweep: -1})
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
	b := bus.New(&bus.Options{Sweep: -1})
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
