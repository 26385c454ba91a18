package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func picks(names ...string) connectivity.Resolver {
	return func(context.Context, coordination.Signal) ([]string, error) { return names, nil }
}

func TestSelfIsTheSource(t *testing.T) {
	w := newWorld(t, nil).watch()
	equal(t, "recipients", w.emit(says("x", to(coordination.Self))).Recipients, "a")
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

// hears reads all signals in an inbox.
func hears(t *testing.T, i *connectivity.Inbox) (all []string) {
	t.Helper()
	for {
		s, found, err := i.Poll()
		if is(t, err, nil); !found {
			return all
		}
		all = append(all, s.Summary)
	}
}

func (w *world) inbox(id string) *connectivity.Inbox {
	w.Helper()
	i, err := w.Inbox(id)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(i.Close)
	return i
}

func TestAllAreTheComponentsOfTheThread(t *testing.T) {
	w := newWorld(t, nil)
	broadcast := func(summary string) coordination.Signal {
		return w.emit(says(summary, to(coordination.All), by(summary)))
	}
	is(t, w.Register("t", "before"), nil)
	before, a, other := w.inbox("before"), w.inbox("a"), w.inbox("other")
	is(t, w.Register("u", "other"), nil)
	broadcast("0")
	is(t, w.Register("t", "a", "b", "before"), nil) // the last one is already registered
	is(t, w.Register("t", "a"), nil)
	if s := broadcast("1"); s.Recipients != nil || s.Components != 3 {
		t.Errorf("recorded as for %v, %d of them", s.Recipients, s.Components)
	}
	is(t, w.Unregister("t", "a", "nobody"), nil)
	is(t, w.Unregister("nowhere", "a"), nil)
	broadcast("2")
	is(t, w.Register("t", "a"), nil)
	broadcast("3")
	is(t, w.CloseThread(ctx, "t"), nil)
	if s := broadcast("4"); s.Components != 0 {
		t.Errorf("%d components after the thread was closed", s.Components)
	}
	// All components read only now: registration at the time of the signal counts.
	equal(t, "registered before the inbox", hears(t, before), "0", "1", "2", "3")
	equal(t, "came and went", hears(t, a), "1", "3")
	equal(t, "elsewhere", hears(t, other))
	is(t, w.Register("t", "a"), nil)
	broadcast("5")
	equal(t, "came back", hears(t, a), "5")
	invalid(t, w.Register("t", "ok", ""), "component")
}

// The signal's last state is unknown, but the inbox does not report it as new.
func TestAnInboxReportsAForgottenSignal(t *testing.T) {
	w := newWorld(t, &connectivity.Options{Retain: 1})
	inbox := w.inbox("a")
	read := func(want coordination.State) {
		t.Helper()
		s, err := inbox.Next(timetest.Context(t))
		is(t, err, nil)
		if s.State != want || !s.State.Terminal() || s.Summary == "" || s.Recipients[0] != "a" {
			t.Errorf("%s, want %s: %+v", s.State, want, s)
		}
	}
	w.resolve(w.emit(says("dropped by the cap", to(coordination.Self))).ID)
	w.resolve(w.emit(says("resolved", to(coordination.Self))).ID)
	w.emit(says("of a closed thread", to(coordination.Self), in("u")))
	is(t, w.CloseThread(ctx, "u"), nil)
	read(coordination.Forgotten)
	read(coordination.Resolved)
	read(coordination.Forgotten)
	if got := coordination.Forgotten.String(); got != "forgotten" {
		t.Errorf("it reads %q", got)
	}
	_, err := w.Layer.Query("t", coordination.Query{States: []coordination.State{coordination.Forgotten}})
	invalid(t, err, "state")
}

// Names of a hundred thousand components do not fit on a signal, and need not.
func TestAllOfAHundredThousandComponents(t *testing.T) {
	const n = 100_000
	w := newWorld(t, nil)
	for i := range n {
		is(t, w.Register("t", fmt.Sprint("component-", i)), nil)
	}
	last := w.inbox(fmt.Sprint("component-", n-1))
	s := w.emit(says("fire", to(coordination.All), at(coordination.Critical)))
	if s.Components != n {
		t.Errorf("for %d components", s.Components)
	}
	equal(t, "the last one", hears(t, last), "fire")
	if data := made(signals.Marshal(made2(w.bus.Get(s.ID)))); len(data) > 1000 {
		t.Errorf("%d bytes for a signal to all", len(data))
	}
}

func TestSelectedAreTheComponentsThatTheResolverNames(t *testing.T) {
	w := newWorld(t, nil).watch()
	e, err := w.Emit(ctx, says("x", to(coordination.Selected)))
	is(t, err, nil)
	is(t, e.Unreached, connectivity.ErrNoAudience)
	equal(t, "without a resolver", e.Signal.Recipients)
	equal(t, "and yet emitted", w.seen(), "x emitted")
	var asked coordination.Signal
	w.SetResolver("", func(_ context.Context, s coordination.Signal) ([]string, error) {
		asked = s
		return []string{"z", "y", "z"}, nil
	})
	s := w.emit(says("x", to(coordination.Selected), by("b")))
	equal(t, "the layer's", s.Recipients, "y", "z")
	if !asked.ID.IsZero() || asked.State != coordination.Emitted || asked.Summary != "x" || asked.Source != "b" {
		t.Errorf("asked about %+v, emitted %+v", asked, s)
	}
	w.SetResolver("", picks("w"))
	equal(t, "replaced", w.emit(says("x", to(coordination.Selected), by("c"))).Recipients, "w")
	w.SetResolver("t", picks("own"))
	equal(t, "the thread's", w.emit(says("x", to(coordination.Selected), by("d"))).Recipients, "own")
	equal(t, "elsewhere", w.emit(says("x", to(coordination.Selected), in("u"))).Recipients, "w")
	w.SetResolver("t", nil)
	equal(t, "removed", w.emit(says("x", to(coordination.Selected), by("e"))).Recipients, "w")
}

func TestTheResolverIsCalledOnlyForSignalsToBeStored(t *testing.T) {
	w := newWorld(t, nil)
	asked := 0
	w.SetResolver("t", func(context.Context, coordination.Signal) ([]string, error) { asked++; return nil, nil })
	s := w.emit(says("x", to(coordination.Selected)))
	w.repeats(says("x", to(coordination.Selected)), s)
	w.emit(says("x"))
	_, err := w.Emit(ctx, says("x", to(coordination.Selected), replacing(signals.MustID("sig_x"))))
	invalid(t, err, "replaces")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestAResolverThatFailsLeavesNoOrphan(t *testing.T) {
	broken := errors.New("broken")
	for name, r := range map[string]connectivity.Resolver{
		"panics":         func(context.Context, coordination.Signal) ([]string, error) { panic(broken) },
		"fails":          func(context.Context, coordination.Signal) ([]string, error) { return []string{"b"}, broken },
		"names nobody":   picks("b", ""),
		"the bus itself": picks(bus.System),
	} {
		w := newWorld(t, nil).watch()
		old := w.emit(says("old"))
		w.SetResolver("t", r)
		before := w.bus.Last()
		if _, err := w.Emit(ctx, says("x", to(coordination.Selected), replacing(old.ID))); err == nil {
			t.Errorf("%s: no error", name)
		}
		if w.state(old.ID).Terminal() || w.bus.Last() != before || len(w.Query("t", coordination.Query{})) != 1 {
			t.Errorf("%s: something is left of it", name)
		}
		w.SetResolver("t", picks("b"))
		w.emit(says("x", to(coordination.Selected))) // not suppressed by a signal that was not stored
	}
}

func TestAResolverThatEndsItsGoroutineAffectsNoOther(t *testing.T) {
	w := newWorld(t, nil)
	w.SetResolver("t", func(context.Context, coordination.Signal) ([]string, error) { runtime.Goexit(); return nil, nil })
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = w.Emit(ctx, says("x", to(coordination.Selected))) })
	wg.Wait()
	w.SetResolver("t", nil)
	w.emit(says("x", to(coordination.Selected)))
}

// A resolver may emit the signal whose recipients it selects.
func TestAResolverMayEmit(t *testing.T) {
	w := newWorld(t, nil)
	var inner coordination.Signal
	w.SetResolver("t", func(context.Context, coordination.Signal) ([]string, error) {
		w.SetResolver("t", nil)
		inner = w.emit(says("inner", to(coordination.Selected)))
		return []string{"b"}, nil
	})
	e, err := w.Emit(ctx, says("outer", to(coordination.Selected)))
	if err != nil || !e.Suppressed || e.Signal.ID != inner.ID {
		t.Errorf("got %q, suppressed %v, error %v", e.Signal.Summary, e.Suppressed, err)
	}
}

func TestRecipientsGetOnlyTheSignalsForThem(t *testing.T) {
	w := newWorld(t, nil).watch()
	is(t, w.SetCoordinator("t", "boss"), nil)
	is(t, w.Register("t", "boss", "a"), nil)
	heard := map[string][]string{}
	read := map[string]*bus.Subscription{}
	for _, who := range []string{"", "boss", "a", "z"} {
		sub, err := w.bus.Subscribe(bus.SubscribeOptions{Agent: who})
		is(t, err, nil)
		t.Cleanup(sub.Close)
		read[who] = sub
		_, err = bus.Handle(w.bus, bus.HandleOptions{Agent: who}, func(_ context.Context, s signals.Signal[coordination.Attention]) error {
			heard[who] = append(heard[who], s.Payload.Summary)
			return nil
		})
		is(t, err, nil)
	}
	w.emit(says("for boss"))
	s := w.emit(says("for a", to(coordination.Self)))
	w.emit(says("for nobody", to(coordination.Selected), until(1)))
	w.resolve(s.ID)
	w.advance("t")
	equal(t, "boss", heard["boss"], "for boss")
	equal(t, "a", heard["a"], "for a")
	equal(t, "z", heard["z"])
	equal(t, "no agent", heard[""])
	// The end of a signal reaches its recipients.
	for who, want := range map[string]int{"": 0, "z": 0, "boss": 1, "a": 2} {
		got := 0
		for more, _ := read[who].Poll(); more != nil; more, _ = read[who].Poll() {
			got++
		}
		if got != want {
			t.Errorf("%q read %d signals, want %d", who, got, want)
		}
	}
}

// On the bus, every subscriber receives a signal for all.
func TestAllIsEveryoneOnTheBus(t *testing.T) {
	w := newWorld(t, nil)
	for _, who := range []string{"", "registered", "stranger"} {
		sub, err := w.bus.Subscribe(bus.SubscribeOptions{Agent: who, Kinds: []signals.Kind{coordination.KindAttention}})
		is(t, err, nil)
		t.Cleanup(sub.Close)
		is(t, w.Register("t", "registered"), nil)
		w.emit(says("to all", to(coordination.All), by("by "+who)))
		if s, _ := sub.Poll(); s == nil {
			t.Errorf("%q heard nothing", who)
		}
	}
}

// For the bus, an empty list of recipients would mean every subscriber.
func TestASignalWithoutRecipientsIsNotForEveryone(t *testing.T) {
	w := newWorld(t, nil)
	sub, err := w.bus.Subscribe(bus.SubscribeOptions{})
	is(t, err, nil)
	t.Cleanup(sub.Close)
	w.emit(says("no coordinator"))
	w.emit(says("no resolver", to(coordination.Selected)))
	is(t, w.SetCoordinator("t", "boss"), nil)
	w.SetResolver("t", picks())
	w.emit(says("nobody selected", to(coordination.Selected), by("b")))
	is(t, w.Register("u", "c"), nil)
	w.emit(says("components, and no coordinator", in("u")))
	is(t, w.SetCoordinator("t", ""), nil)
	w.emit(says("no coordinator any more", by("c")))
	if s, _ := sub.Poll(); s != nil {
		t.Errorf("%q is for everyone", coordination.NoteOf(s).Summary)
	}
}

func TestACriticalSignalOfAnOutsiderReachesTheOnlyComponent(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.Register("t", "x"), nil)
	e, err := w.Emit(ctx, critical("fire", by("outsider"), to(coordination.All)))
	is(t, err, nil)
	is(t, e.Unreached, nil)
}

func TestPrioritiesOfTheLogAreRelativeToNormal(t *testing.T) {
	w := newWorld(t, nil)
	for p, want := range map[coordination.Priority]int16{coordination.Low: -1, coordination.Normal: 0, coordination.High: 1, coordination.Critical: 2} {
		id := w.emit(says(p.String(), at(p), in(p.String()))).ID
		s, _ := w.bus.Get(id)
		if got := s.Head().Priority; got != want {
			t.Errorf("%s is %d in the log, want %d", p, got, want)
		}
	}
}
