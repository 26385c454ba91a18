package connectivity

import (
	"context"
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
		f, _, err := l.prepare(ctx, &in, &n)
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
	if err := l.fly(ctx, b.System(), closing); err != nil {
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
