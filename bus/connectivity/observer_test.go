package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestObserversSeeEveryEventInOrder(t *testing.T) {
	w := newWorld(t, nil).watch().watch()
	s := w.emit(says("1"))
	s = w.emit(says("2", replacing(s.ID)))
	w.resolve(s.ID)
	w.emit(says("3", until(1)))
	w.advance("t")
	var want []string
	for _, e := range []string{"1 emitted", "1 superseded", "2 emitted", "2 resolved", "3 emitted", "3 expired"} {
		want = append(want, e, e)
	}
	equal(t, "events", w.seen(), want...)
}

func TestResolvingInsideAnEmittedCallbackKeepsOrder(t *testing.T) {
	w := newWorld(t, nil)
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		if e == connectivity.WasEmitted {
			w.resolve(s.ID)
		}
	})
	w.watch() // after the observer that resolves
	s := w.emit(says("x"))
	equal(t, "events", w.seen(), "x emitted", "x resolved")
	if w.state(s.ID) != coordination.Resolved {
		t.Errorf("state %s", w.state(s.ID))
	}
}

func TestEmittingInsideASupersededCallbackIsNotLost(t *testing.T) {
	w := newWorld(t, nil)
	var nested coordination.Signal
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		if e == connectivity.WasSuperseded {
			nested = w.emit(says("nested", by("observer")))
		}
	})
	w.watch()
	old := w.emit(says("old"))
	w.emit(says("new", replacing(old.ID)))
	equal(t, "events", w.seen(), "old emitted", "old superseded", "new emitted", "nested emitted")
	if w.state(nested.ID) != coordination.Active {
		t.Errorf("nested is %s", w.state(nested.ID))
	}
	if got := len(w.Query("t", coordination.Query{})); got != 2 {
		t.Errorf("%d live signals, want new and nested", got)
	}
}

// A signal that a callback emits is stored when Emit returns, and reported to
// observers later.
func TestEmittingInsideACallbackDoesNotRecurse(t *testing.T) {
	w := newWorld(t, nil)
	depth, deepest, told := 0, 0, 0
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		depth++
		defer func() { depth-- }()
		deepest = max(deepest, depth)
		if e == connectivity.Crowded {
			return
		}
		if told++; told < 3000 {
			next := w.emit(says("x", at(coordination.Critical)))
			if _, there := w.Get(next.ID); !there {
				t.Error("not stored when Emit returned")
			}
		}
	})
	w.emit(says("x", at(coordination.Critical)))
	if deepest != 1 || told != 3000 {
		t.Errorf("depth %d, told %d", deepest, told)
	}
}

func TestEveryCallWorksInsideACallback(t *testing.T) {
	w := newWorld(t, nil)
	calls := 0
	w.OnSignal(func(ctx context.Context, s coordination.Signal, e connectivity.Event) {
		if s.Thread != "t" || e != connectivity.WasEmitted {
			return
		}
		calls++
		stop := w.OnSignal(func(context.Context, coordination.Signal, connectivity.Event) {})
		stop()
		is(t, w.Received(ctx, s.ID), nil)
		w.Query("t", coordination.Query{})
		w.Converged("t")
		w.Unacknowledged("t")
		w.advance("t")
		is(t, w.CloseThread(ctx, "u"), nil)
		w.resolve(s.ID)
		is(t, w.CloseThread(ctx, "t"), nil)
	})
	w.emit(says("x"))
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestAPanickingObserverAffectsNoOther(t *testing.T) {
	var failures []error
	w := newWorld(t, &connectivity.Options{Failure: func(err error) { failures = append(failures, err); panic("here too") }})
	w.OnSignal(func(context.Context, coordination.Signal, connectivity.Event) { panic("boom") })
	w.watch()
	s := w.emit(says("x"))
	w.resolve(s.ID)
	equal(t, "events", w.seen(), "x emitted", "x resolved")
	var p *bus.PanicError
	if len(failures) != 2 || !errors.As(failures[0], &p) || p.Value != "boom" || !strings.Contains(failures[0].Error(), "observer") {
		t.Errorf("reported %v", failures)
	}
}

func TestAnObserverThatEndsItsGoroutineAffectsNoOther(t *testing.T) {
	w := newWorld(t, nil)
	once := true
	w.OnSignal(func(context.Context, coordination.Signal, connectivity.Event) {
		if once {
			once = false
			runtime.Goexit()
		}
	})
	w.watch()
	var wg sync.WaitGroup
	wg.Go(func() { w.emit(says("first")) })
	wg.Wait()
	w.emit(says("second", by("b")))
	equal(t, "events", w.seen(), "second emitted")
}

// A signal becomes active only if its observer returns.
func TestOnlyAnObserverThatReturnsMakesASignalActive(t *testing.T) {
	w := newWorld(t, nil)
	stop := w.OnSignal(func(context.Context, coordination.Signal, connectivity.Event) { panic("boom") })
	s := w.emit(says("x"))
	if got := w.state(s.ID); got != coordination.Emitted {
		t.Errorf("%s, though its only observer panicked", got)
	}
	w.watch()
	s = w.emit(says("y", by("b")))
	if got := w.state(s.ID); got != coordination.Active {
		t.Errorf("%s, though an observer returned", got)
	}
	stop()
}

// The observer was called, so the signal is active, even if the call was
// canceled.
func TestASignalIsActiveThoughTheCallWasCancelled(t *testing.T) {
	w := newWorld(t, nil)
	c, cancel := context.WithCancel(ctx)
	w.OnSignal(func(context.Context, coordination.Signal, connectivity.Event) { cancel() })
	e, err := w.Emit(c, says("x", to(coordination.Self)))
	if got := w.state(e.Signal.ID); err != nil || got != coordination.Active {
		t.Errorf("it is %s: %v", got, err)
	}
}

// The next call delivers the remaining events, even if it causes none itself.
func TestTheNextCallContinuesAfterAnObserverEndedItsGoroutine(t *testing.T) {
	w := newWorld(t, nil)
	w.OnSignal(func(_ context.Context, s coordination.Signal, _ connectivity.Event) {
		switch s.Summary {
		case "x":
			w.emit(says("y", by("b")))
			w.emit(says("z", by("c")))
		case "y":
			runtime.Goexit()
		}
	})
	w.watch()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.emit(says("x"))
	}()
	<-done
	equal(t, "told before", w.seen(), "x emitted")
	if _, err := w.AdvanceStep(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	equal(t, "told", w.seen(), "x emitted", "z emitted")
}

func TestObserversAreASnapshotOfEachEvent(t *testing.T) {
	w := newWorld(t, nil)
	var got []string
	var stop func()
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		if s.Summary == "1" {
			stop()
			stop()
			w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
				got = append(got, "late "+s.Summary)
			})
		}
	})
	stop = w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		got = append(got, "stopped "+s.Summary)
	})
	w.emit(says("1"))
	w.emit(says("2", by("b")))
	equal(t, "events", got, "stopped 1", "late 2")
}

func TestValuesReturnedAreCopies(t *testing.T) {
	w := newWorld(t, nil)
	w.SetResolver("t", picks("a", "b"))
	spoil := func(s coordination.Signal) {
		s.Summary, s.State = "spoilt", coordination.Resolved
		s.Recipients[0] = "spoilt"
	}
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) { spoil(s) })
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		if s.Summary == "spoilt" || s.Recipients[0] != "a" {
			t.Error("one observer spoilt it for the other")
		}
	})
	e, _ := w.Emit(ctx, says("x", to(coordination.Selected), class(coordination.EscalationInterrupt), at(coordination.Critical)))
	spoil(e.Signal)
	for _, s := range w.Query("t", coordination.Query{}) {
		spoil(s)
	}
	spoil(w.Unacknowledged("t")[0])
	spoil(w.Converged("t").Obstacles[0].Signal)
	again, _ := w.Emit(ctx, says("x", to(coordination.Selected), class(coordination.EscalationInterrupt)))
	spoil(again.Signal)
	got, _ := w.Get(e.Signal.ID)
	spoil(got)
	got, _ = w.Get(e.Signal.ID)
	if got.Summary != "x" || got.State != coordination.Active || !slices.Equal(got.Recipients, []string{"a", "b"}) {
		t.Errorf("stored: %+v", got)
	}
	done := w.resolve(got.ID)
	spoil(done)
	if got, _ = w.Get(got.ID); got.Recipients[0] != "a" {
		t.Error("resolve returned the stored one")
	}
}

func TestACrowdIsCountedAndAnnounced(t *testing.T) {
	w := newWorld(t, nil).watch()
	var first coordination.Signal
	emit := func(n int) connectivity.Emission {
		e, err := w.Emit(ctx, alarm(n))
		is(t, err, nil)
		return e
	}
	for n := 1; n <= connectivity.Crowd; n++ {
		e := emit(n)
		if first.ID.IsZero() {
			first = e.Signal
		}
		if e.Open != n {
			t.Errorf("%d open, want %d", e.Open, n)
		}
		w.emit(says(fmt.Sprint("handoff ", n), class(coordination.HandoffReady), at(coordination.Critical)))
		w.emit(alarm(n, in("u")))
		w.emit(alarm(n, by("b")))
	}
	crowds := func() (all []string) {
		for _, e := range w.seen() {
			if strings.HasSuffix(e, "crowded") {
				all = append(all, e)
			}
		}
		return all
	}
	equal(t, "ten are no crowd", crowds())
	emit(11)
	emit(12)
	replaced := w.emit(alarm(13, replacing(first.ID)))
	equal(t, "announced once", crowds(), "11 crowded")
	equal(t, "after it was emitted", w.seen()[len(w.seen())-5:], "11 emitted", "11 crowded", "12 emitted", "1 superseded", "13 emitted")
	w.resolve(replaced.ID)
	for _, s := range w.Query("t", coordination.Query{Source: "a", Limit: 1}) {
		w.resolve(s.ID)
	}
	emit(14)
	equal(t, "announced again", crowds(), "11 crowded", "14 crowded")
}
