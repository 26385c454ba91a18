package connectivity_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
)

func picks(names ...string) connectivity.Resolver {
	return func(context.Context, connectivity.Signal) ([]string, error) { return names, nil }
}

func TestSelfIsTheSource(t *testing.T) {
	w := newWorld(t, nil).watch()
	equal(t, "recipients", w.emit(says("x", to(connectivity.Self))).Recipients, "a")
	equal(t, "observers see it", w.seen(), "x emitted")
}

func TestCoordinatorIsTheThreadsOwn(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	equal(t, "recipients", w.emit(says("x")).Recipients, "boss")
	equal(t, "elsewhere", w.emit(says("x", in("u"))).Recipients)
	is(t, w.SetCoordinator("t", "other"), nil)
	equal(t, "later", w.emit(says("x", by("b"))).Recipients, "other")
	is(t, w.SetCoordinator("t", ""), nil)
	equal(t, "none", w.emit(says("x", by("c"))).Recipients)
	invalid(t, w.SetCoordinator("t", bus.System), "coordinator")
	invalid(t, w.SetCoordinator("", "boss"), "thread")
}

func TestAllAreTheComponentsOfTheThread(t *testing.T) {
	w := newWorld(t, nil)
	equal(t, "nobody", w.emit(says("x", to(connectivity.All))).Recipients)
	is(t, w.Register("t", "c", "a"), nil)
	is(t, w.Register("t", "b", "a"), nil)
	is(t, w.Register("u", "d"), nil)
	s := w.emit(says("x", to(connectivity.All), by("b")))
	equal(t, "all", s.Recipients, "a", "b", "c")
	w.Unregister("t", "b", "nobody")
	w.Unregister("nowhere", "b")
	equal(t, "later", w.emit(says("x", to(connectivity.All), by("c"))).Recipients, "a", "c")
	stored, _ := w.Get(s.ID)
	equal(t, "computed once", stored.Recipients, "a", "b", "c")
	invalid(t, w.Register("t", "ok", ""), "component")
}

func TestSelectedAreWhomTheResolverNames(t *testing.T) {
	w := newWorld(t, nil).watch()
	equal(t, "without a resolver", w.emit(says("x", to(connectivity.Selected))).Recipients)
	equal(t, "and yet emitted", w.seen(), "x emitted")
	var asked connectivity.Signal
	w.SetResolver("", func(_ context.Context, s connectivity.Signal) ([]string, error) {
		asked = s
		return []string{"z", "y", "z"}, nil
	})
	s := w.emit(says("x", to(connectivity.Selected), by("b")))
	equal(t, "the layer's", s.Recipients, "y", "z")
	if asked.ID != s.ID || asked.Summary != "x" || asked.Source != "b" {
		t.Errorf("asked about %+v, emitted %+v", asked, s)
	}
	w.SetResolver("", picks("w"))
	equal(t, "replaced", w.emit(says("x", to(connectivity.Selected), by("c"))).Recipients, "w")
	w.SetResolver("t", picks("own"))
	equal(t, "the thread's", w.emit(says("x", to(connectivity.Selected), by("d"))).Recipients, "own")
	equal(t, "elsewhere", w.emit(says("x", to(connectivity.Selected), in("u"))).Recipients, "w")
	w.SetResolver("t", nil)
	equal(t, "removed", w.emit(says("x", to(connectivity.Selected), by("e"))).Recipients, "w")
}

func TestTheResolverIsAskedOnlyForWhatIsStored(t *testing.T) {
	w := newWorld(t, nil)
	asked := 0
	w.SetResolver("t", func(context.Context, connectivity.Signal) ([]string, error) { asked++; return nil, nil })
	s := w.emit(says("x", to(connectivity.Selected)))
	w.repeats(says("x", to(connectivity.Selected)), s)
	w.emit(says("x"))
	_, err := w.Emit(ctx, says("x", to(connectivity.Selected), replacing(signals.MustID("sig_x"))))
	invalid(t, err, "replaces")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestAResolverThatFailsLeavesNoOrphan(t *testing.T) {
	broken := errors.New("broken")
	for name, r := range map[string]connectivity.Resolver{
		"panics":         func(context.Context, connectivity.Signal) ([]string, error) { panic(broken) },
		"fails":          func(context.Context, connectivity.Signal) ([]string, error) { return []string{"b"}, broken },
		"names nobody":   picks("b", ""),
		"the bus itself": picks(bus.System),
	} {
		w := newWorld(t, nil).watch()
		old := w.emit(says("old"))
		w.SetResolver("t", r)
		before := w.bus.Last()
		if _, err := w.Emit(ctx, says("x", to(connectivity.Selected), replacing(old.ID))); err == nil {
			t.Errorf("%s: no error", name)
		}
		if w.state(old.ID).Terminal() || w.bus.Last() != before || len(w.Query(connectivity.Query{Thread: "t"})) != 1 {
			t.Errorf("%s: something is left of it", name)
		}
		w.SetResolver("t", picks("b"))
		w.emit(says("x", to(connectivity.Selected))) // not suppressed by an orphan
	}
}

func TestAResolverThatEndsItsGoroutineHarmsNobody(t *testing.T) {
	w := newWorld(t, nil)
	w.SetResolver("t", func(context.Context, connectivity.Signal) ([]string, error) { runtime.Goexit(); return nil, nil })
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = w.Emit(ctx, says("x", to(connectivity.Selected))) })
	wg.Wait()
	w.SetResolver("t", nil)
	w.emit(says("x", to(connectivity.Selected)))
}

// A resolver may emit the very signal that it is asked about.
func TestAResolverMayEmit(t *testing.T) {
	w := newWorld(t, nil)
	var inner connectivity.Signal
	w.SetResolver("t", func(context.Context, connectivity.Signal) ([]string, error) {
		w.SetResolver("t", nil)
		inner = w.emit(says("inner", to(connectivity.Selected)))
		return []string{"b"}, nil
	})
	e, err := w.Emit(ctx, says("outer", to(connectivity.Selected)))
	if err != nil || !e.Suppressed || e.Signal.ID != inner.ID {
		t.Errorf("got %q, suppressed %v, error %v", e.Signal.Summary, e.Suppressed, err)
	}
}

func TestRecipientsGetWhatIsForThemAndNothingElse(t *testing.T) {
	w := newWorld(t, nil).watch()
	is(t, w.SetCoordinator("t", "boss"), nil)
	is(t, w.Register("t", "boss", "a"), nil)
	heard := map[string][]string{}
	read := map[string]*bus.Subscription{}
	for _, who := range []string{"", "boss", "a", "z"} {
		sub, err := w.bus.Subscribe(bus.SubscribeOptions{Agent: who})
		is(t, err, nil)
		read[who] = sub
		_, err = bus.Handle(w.bus, bus.HandleOptions{Agent: who}, func(_ context.Context, s signals.Signal[connectivity.Attention]) error {
			heard[who] = append(heard[who], s.Payload.Summary)
			return nil
		})
		is(t, err, nil)
	}
	w.emit(says("for boss"))
	s := w.emit(says("for a", to(connectivity.Self)))
	w.emit(says("for all", to(connectivity.All), until(1)))
	w.emit(says("for nobody", to(connectivity.Selected)))
	w.resolve(s.ID)
	w.advance("t")
	equal(t, "boss", heard["boss"], "for boss", "for all")
	equal(t, "a", heard["a"], "for a", "for all")
	equal(t, "z", heard["z"])
	equal(t, "no agent", heard[""])
	// Books of the layer reach those whom their signals reached.
	for who, want := range map[string]int{"": 0, "z": 0, "boss": 5, "a": 6} {
		got := 0
		for _, more := read[who].Poll(); more; _, more = read[who].Poll() {
			got++
		}
		if got != want {
			t.Errorf("%q read %d signals, want %d", who, got, want)
		}
	}
}

// To the bus, no recipients would mean everyone.
func TestForNobodyIsNotForEveryone(t *testing.T) {
	w := newWorld(t, nil)
	sub, err := w.bus.Subscribe(bus.SubscribeOptions{})
	is(t, err, nil)
	w.emit(says("no coordinator"))
	w.emit(says("no components", to(connectivity.All)))
	w.emit(says("no resolver", to(connectivity.Selected)))
	is(t, w.SetCoordinator("t", "boss"), nil)
	w.emit(says("still no components", to(connectivity.All), by("b")))
	w.SetResolver("t", picks())
	w.emit(says("nobody selected", to(connectivity.Selected), by("b")))
	is(t, w.Register("u", "c"), nil)
	w.emit(says("components, and no coordinator", in("u")))
	is(t, w.SetCoordinator("t", ""), nil)
	w.emit(says("no coordinator any more", by("c")))
	w.Unregister("u", "c")
	w.emit(says("no components any more", in("u"), to(connectivity.All)))
	if s, heard := sub.Poll(); heard {
		n, _ := connectivity.NoteOf(s)
		t.Errorf("%q is for everyone", n.Summary)
	}
}
