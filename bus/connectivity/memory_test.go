package connectivity

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func heapInUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func layerForMemory(t *testing.T, o *Options) *Layer {
	t.Helper()
	b, err := bus.New(&bus.Options{Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	l, err := New(b, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The memory of a closed thread is freed.
func TestAClosedThreadFreesItsMemory(t *testing.T) {
	l := layerForMemory(t, nil)
	ctx := context.Background()
	fill := func(n int) {
		for i := range n {
			e, err := l.Emit(ctx, Input{
				Thread: "t", Source: fmt.Sprint("s", i%5000), Class: coordination.EscalationInterrupt, Audience: coordination.Self, Summary: fmt.Sprint(i),
				ExpiresAfter: 1 + i%1000,
			})
			if err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				if _, err := l.Resolve(ctx, e.Signal.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	fill(2000) // the bus keeps as much history before as after
	if err := l.CloseThread(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	empty := heapInUse()
	fill(30_000)
	full := heapInUse()
	if err := l.CloseThread(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	closed := heapInUse()
	held, left := full-empty, closed-empty
	t.Logf("%d bytes held, %d left", held, left)
	if held < 30_000*200 || left > held/20 {
		t.Errorf("%d of %d bytes are left", left, held)
	}
	runtime.KeepAlive(l)
}

// Threads that are closed, components that come and go, and signals for all
// that were read or dropped leave nothing behind.
func TestClosedThreadsAndRemovedComponentsLeaveNothingBehind(t *testing.T) {
	const retain = 3
	l := layerForMemory(t, &Options{Retain: retain})
	ctx := context.Background()
	must := func(err error) {
		if t.Helper(); err != nil {
			t.Fatal(err)
		}
	}
	inbox, err := l.Inbox("a")
	must(err)
	defer inbox.Close()
	broadcast := func(thread string) {
		e, err := l.Emit(ctx, Input{Thread: thread, Source: "b", Class: coordination.AttentionRaise, Audience: coordination.All, Summary: "x"})
		must(err)
		_, err = l.Resolve(ctx, e.Signal.ID)
		must(err)
	}
	for i := range 1000 {
		thread := fmt.Sprint("closed ", i)
		must(l.Register(thread, "a"))
		broadcast(thread)
		must(l.CloseThread(ctx, thread))
		for _, thread := range []string{"silent", "busy"} {
			must(l.Register(thread, "a", fmt.Sprint("visitor ", i)))
			if thread == "busy" {
				broadcast(thread)
			}
			must(l.Unregister(thread, "a", fmt.Sprint("visitor ", i)))
		}
		for range 2 {
			_, err := inbox.Next(ctx)
			must(err)
		}
	}
	_, found, err := inbox.Poll()
	if must(err); found {
		t.Error("there is another signal")
	}
	left, threads := 0, 0
	for name, th := range l.fold.Threads() {
		all, err := th.Query(coordination.Query{Limit: -1, States: []coordination.State{coordination.Emitted, coordination.Active, coordination.Resolved}})
		must(err)
		left, threads = left+th.Components()+len(all), threads+1
		if name != "silent" && name != "busy" {
			t.Errorf("thread %s is kept", name)
		}
	}
	if left > 4*retain || len(inbox.joined) != 0 {
		t.Errorf("%d components and signals in %d threads, registered in %d", left, threads, len(inbox.joined))
	}
}

// An unanswered signal for all keeps no record of components that came and went
// since, and those registered at the time may still answer it.
func TestAnOldSignalToAllDoesNotKeepEveryVisit(t *testing.T) {
	l := layerForMemory(t, &Options{Retain: 1})
	ctx := context.Background()
	emit := func(p coordination.Priority) signals.ID {
		e, err := l.Emit(ctx, Input{Thread: "t", Source: p.String(), Class: coordination.AttentionRaise, Audience: coordination.All, Priority: p, Summary: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return e.Signal.ID
	}
	visit := func(id string, during func()) {
		if err := l.Register("t", id); err != nil {
			t.Fatal(err)
		}
		if err := l.Register("t", id); err != nil { // again, which changes nothing
			t.Fatal(err)
		}
		during()
		if err := l.Unregister("t", id); err != nil {
			t.Fatal(err)
		}
	}
	var fire signals.ID
	visit("there", func() { fire = emit(coordination.Critical) })
	for i := range 1000 {
		visit("visitor", func() {
			_, err := l.Resolve(ctx, emit(coordination.Normal))
			if err != nil {
				t.Fatal(i, err)
			}
		})
	}
	for _, id := range []string{"visitor", "there"} {
		c, err := l.Component(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Resolve(ctx, fire); (err == nil) != (id == "there") {
			t.Errorf("%s: %v", id, err)
		}
	}
}
