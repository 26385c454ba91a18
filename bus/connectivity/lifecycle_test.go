package connectivity_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestAnObserverMakesASignalActive(t *testing.T) {
	w := newWorld(t, nil)
	unseen := w.emit(says("unseen"))
	var during coordination.State
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) { during = s.State })
	seen := w.emit(says("seen", by("b")))
	if seen.State != coordination.Emitted || during != coordination.Emitted {
		t.Errorf("returned as %s, shown as %s", seen.State, during)
	}
	if got := w.state(seen.ID); got != coordination.Active {
		t.Errorf("seen signal is %s", got)
	}
	if got := w.state(unseen.ID); got != coordination.Emitted {
		t.Errorf("unseen signal is %s", got)
	}
}

func TestARecipientMakesASignalActive(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	inbox, err := w.Inbox("boss")
	is(t, err, nil)
	defer inbox.Close()
	other, err := w.Inbox("worker")
	is(t, err, nil)
	s := w.emit(says("x"))
	if w.state(s.ID) != coordination.Emitted {
		t.Error("active before anybody read it")
	}
	got, err := inbox.Next(timetest.Context(t))
	if err != nil || got.ID != s.ID || got.State != coordination.Active {
		t.Errorf("read %+v: %v", got, err)
	}
	by2 := w.emit(says("y", by("b")))
	is(t, w.Received(ctx, by2.ID), nil)
	is(t, w.Received(ctx, by2.ID), nil)
	if w.state(by2.ID) != coordination.Active {
		t.Error("received and not active")
	}
	is(t, w.Received(ctx, signals.MustID("sig_x")), connectivity.ErrNotFound)
	other.Close()
	_, err = other.Next(timetest.Context(t))
	is(t, err, bus.ErrClosed)
}

func TestInboxDeliversSignalsThatEndedBeforeTheyWereRead(t *testing.T) {
	w := newWorld(t, nil)
	inbox, err := w.Inbox("a")
	is(t, err, nil)
	defer inbox.Close()
	s := w.emit(says("x", to(coordination.Self)))
	w.resolve(s.ID)
	if got, _ := inbox.Next(timetest.Context(t)); got.State != coordination.Resolved {
		t.Errorf("shown as %s", got.State)
	}
	w.emit(says("y", to(coordination.Self)))
	is(t, w.CloseThread(ctx, "t"), nil)
	if got, _ := inbox.Next(timetest.Context(t)); got.Summary != "y" || got.Source != "a" || got.Seq == 0 {
		t.Errorf("after the thread was closed: %+v", got)
	}
}

func TestResolve(t *testing.T) {
	w := newWorld(t, nil).watch()
	s := w.emit(says("x"))
	if got := w.resolve(s.ID); got.State != coordination.Resolved || got.ID != s.ID {
		t.Errorf("returned %+v", got)
	}
	before := w.bus.Last()
	if got := w.resolve(s.ID); got.State != coordination.Resolved {
		t.Errorf("again: %+v", got)
	}
	if w.bus.Last() != before {
		t.Error("resolving again is in the log")
	}
	equal(t, "events", w.seen(), "x emitted", "x resolved")
	_, err := w.Resolve(ctx, signals.MustID("sig_x"))
	is(t, err, connectivity.ErrNotFound)
	_, err = w.Resolve(ctx, signals.ID{})
	is(t, err, connectivity.ErrNotFound)
	if _, err := w.Emit(ctx, says("y", replacing(s.ID))); err == nil {
		t.Error("a resolved signal was replaced")
	}
}

func TestResolveOfASignalThatEndedOtherwise(t *testing.T) {
	w := newWorld(t, nil)
	superseded := w.emit(says("1"))
	expired := w.emit(says("2", replacing(superseded.ID), until(1)))
	w.advance("t")
	for _, s := range []coordination.Signal{superseded, expired} {
		_, err := w.Resolve(ctx, s.ID)
		is(t, err, connectivity.ErrTerminal)
	}
}

// The end of a signal goes to the signal's recipients, even if their names look like
// lists.
func TestAnEndIsForTheRecipientsOfItsSignal(t *testing.T) {
	w := newWorld(t, nil)
	lists := [][]string{{"x,y"}, {"x", "y"}, {"x"}, {"x", "y"}, {"everyone"}}
	want := map[signals.ID]signals.Recipients{}
	for i, names := range lists {
		w.SetResolver("t", picks(names...))
		s := w.emit(says("x", by(fmt.Sprint("s", i)), to(coordination.Selected), until(1)))
		want[s.ID] = signals.To(names...)
	}
	want[w.emit(says("x", to(coordination.All), until(1))).ID] = signals.Recipients{}
	w.advance("t")
	entries := 0
	for s := range w.bus.History(bus.Filter{Kinds: []signals.Kind{coordination.KindTransition}}) {
		entries++
		tr, _ := signals.As[coordination.Transition](s)
		for _, id := range tr.Payload.Signals {
			if !tr.Recipients.Equal(want[id]) {
				t.Errorf("the end of what was for %q is for %q", want[id], tr.Recipients)
			}
			delete(want, id)
		}
	}
	if len(want) > 0 || entries != len(lists) { // two lists are the same, and there is All
		t.Errorf("%d entries, %d signals did not end", entries, len(want))
	}
}

func TestSignalsExpireAtTheirStep(t *testing.T) {
	w := newWorld(t, nil).watch()
	at2 := w.emit(says("at 2", until(2)))
	at1 := w.emit(says("at 1", by("b"), until(1)))
	also1 := w.emit(says("also 1", by("c"), until(1)))
	w.emit(says("1, to itself", by("g"), until(1), to(coordination.Self)))
	w.emit(says("1, the last", by("h"), until(1)))
	never := w.emit(says("never", by("d")))
	w.emit(says("far", by("e"), until(1000)))
	resolved := w.emit(says("resolved", by("f"), until(1)))
	w.resolve(resolved.ID)
	elsewhere := w.emit(says("elsewhere", in("u"), until(1)))
	before := len(w.seen())
	if got := w.advance("t"); got != 1 || w.Step("t") != 1 || w.Step("u") != 0 {
		t.Errorf("advanced to %d", got)
	}
	equal(t, "events", w.seen()[before:], "at 1 expired", "also 1 expired", "1, to itself expired", "1, the last expired")
	if w.state(at2.ID).Terminal() || w.state(elsewhere.ID).Terminal() || w.state(resolved.ID) != coordination.Resolved {
		t.Error("too much expired")
	}
	w.advance("t")
	w.advance("t")
	equal(t, "events", w.seen()[before+4:], "at 2 expired")
	for id, want := range map[signals.ID]coordination.State{at1.ID: coordination.Expired, also1.ID: coordination.Expired, at2.ID: coordination.Expired, never.ID: coordination.Active} {
		if got := w.state(id); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	_, err := w.AdvanceStep(ctx, "")
	invalid(t, err, "thread")
}

func TestEndedSignalsAreKept(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 3000 {
		w.resolve(w.emit(says("x", until(i+1))).ID)
	}
	all := w.Query("t", coordination.Query{States: []coordination.State{coordination.Resolved}, Limit: -1})
	if len(all) != 3000 {
		t.Errorf("kept %d", len(all))
	}
}

func TestRetentionDropsTheOldestEnds(t *testing.T) {
	w := newWorld(t, &connectivity.Options{Retain: 2})
	var all []coordination.Signal
	for _, source := range []string{"a", "b", "c", "d"} {
		all = append(all, w.emit(says(source, by(source))))
	}
	for _, i := range []int{2, 0, 3} { // c, a, d
		w.resolve(all[i].ID)
	}
	ended := w.Query("t", coordination.Query{States: []coordination.State{coordination.Resolved}})
	equal(t, "kept", summaries(ended), "d", "a")
	if _, there := w.Get(all[2].ID); there {
		t.Error("c is still there")
	}
	_, err := w.Resolve(ctx, all[2].ID)
	is(t, err, connectivity.ErrNotFound)
	if got := w.Query("t", coordination.Query{Source: "c", States: []coordination.State{coordination.Resolved}}); got != nil {
		t.Errorf("found %v", summaries(got))
	}
	for _, retain := range []int{1, -1} {
		w := newWorld(t, &connectivity.Options{Retain: retain})
		for range 10 {
			w.resolve(w.emit(says("x")).ID)
		}
		if got := len(w.Query("t", coordination.Query{States: []coordination.State{coordination.Resolved}})); got != 1 && retain == 1 || got != 10 && retain < 0 {
			t.Errorf("retain %d: kept %d", retain, got)
		}
	}
}

// If the cap drops a signal in the step in which it ends, observers still get its last
// state.
func TestObserversSeeTheEndOfDroppedSignals(t *testing.T) {
	w := newWorld(t, &connectivity.Options{Retain: 1})
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		w.events = append(w.events, fmt.Sprintf("%s by %s is %s: %s", s.Summary, s.Source, s.State, e))
	})
	for _, source := range []string{"a", "b", "c"} {
		w.emit(says("of "+source, by(source), until(1)))
	}
	w.events = nil
	if _, err := w.AdvanceStep(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	equal(
		t, "told", w.events,
		"of a by a is expired: expired", "of b by b is expired: expired", "of c by c is expired: expired",
	)
	ended := w.Query("t", coordination.Query{States: []coordination.State{coordination.Expired}})
	equal(t, "kept", summaries(ended), "of c")
}

func TestCloseThreadForgets(t *testing.T) {
	w := newWorld(t, &connectivity.Options{Hook: func(context.Context, coordination.Signal) (signals.Effort, error) {
		return signals.Deep, nil
	}})
	is(t, w.SetCoordinator("t", "boss"), nil)
	s := w.emit(says("x", class(coordination.EscalationInterrupt)))
	other := w.emit(says("other", in("u")))
	w.advance("t")
	is(t, w.CloseThread(ctx, "t"), nil)
	if _, there := w.Get(s.ID); there || w.Step("t") != 0 || w.Mode("t") != 0 || !w.Converged("t").Unknown {
		t.Error("something is left")
	}
	if w.state(other.ID) != coordination.Emitted {
		t.Error("another thread suffered")
	}
	before := w.bus.Last()
	is(t, w.CloseThread(ctx, "t"), nil)
	is(t, w.CloseThread(ctx, "never"), nil)
	if w.bus.Last() != before {
		t.Error("closing nothing is in the log")
	}
	anew := w.emit(says("x", class(coordination.EscalationInterrupt)))
	if anew.Recipients != nil {
		t.Errorf("the coordinator was kept: %v", anew.Recipients)
	}
	invalid(t, w.CloseThread(ctx, ""), "thread")
}

func TestTheLayersNotesAreOnTheBus(t *testing.T) {
	w := newWorld(t, nil).watch()
	first := w.emit(says("first"))
	w.emit(says("second", replacing(first.ID), until(1)))
	w.advance("t")
	is(t, w.CloseThread(ctx, "t"), nil)
	var got []string
	for s := range w.bus.History(bus.Filter{}) {
		text := string(s.Kind()) + " by " + s.Head().Source
		if tr, ok := signals.As[coordination.Transition](s); ok {
			text += " " + tr.Payload.State.String()
		}
		got = append(got, text)
	}
	want := []string{
		"attention by a", "connectivity:transition by system active",
		"attention by a", "connectivity:transition by a superseded", "connectivity:transition by system active",
		"connectivity:step by system", "connectivity:transition by system expired",
		"connectivity:closed by system",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestSignalsWithoutObserversStayEmitted(t *testing.T) {
	w := newWorld(t, nil)
	var stop func()
	var nested coordination.Signal
	stop = w.OnSignal(func(context.Context, coordination.Signal, connectivity.Event) {
		nested = w.emit(says("nested", by("b")))
		stop()
	})
	w.emit(says("x"))
	if got := w.state(nested.ID); got != coordination.Emitted {
		t.Errorf("nested is %s", got)
	}
}

// Expiries are written together, in entries of a thousand at most; signals that
// have already ended are not written again.
func TestExpiryIsWrittenInBulk(t *testing.T) {
	w := newWorld(t, nil)
	w.resolve(w.emit(says("x", until(1))).ID)
	before := w.bus.Last()
	w.advance("t")
	if got := w.bus.Last() - before; got != 1 {
		t.Errorf("%d entries for a step in which nothing ends", got)
	}
	is(t, w.Register("t", "b"), nil)
	for from := 0; from < 2500; from += 1250 {
		for _, audience := range []coordination.Audience{coordination.Self, coordination.All} {
			for i := range 1250 {
				w.emit(alarm(from+i, until(2), to(audience)))
			}
		}
	}
	before = w.bus.Last()
	w.advance("t")
	var sizes []int
	for s := range w.bus.History(bus.Filter{After: before, Kinds: []signals.Kind{coordination.KindTransition}}) {
		tr, _ := signals.As[coordination.Transition](s)
		sizes = append(sizes, len(tr.Payload.Signals))
	}
	slices.Sort(sizes)
	equal(t, "sizes", sizes, 500, 500, 1000, 1000, 1000, 1000)
	if got := w.Query("t", coordination.Query{}); got != nil {
		t.Errorf("%d left", len(got))
	}
}

// A step is few entries, for any number of recipients of the expiring signals, and
// all recipients get them.
func TestAStepWithManyRecipientsIsFewEntries(t *testing.T) {
	const n = 4000 // more than the bus takes at once
	w := &world{TB: t, bus: newBus(t, &bus.Options{Undrained: n / 2})}
	w.Layer = made(connectivity.New(w.bus, nil))
	is(t, w.SetCoordinator("t", "boss"), nil)
	for i := range n { // at first as many as an entry may end, then as long as its recipients may be
		name := fmt.Sprintf("component %0*d", 1+i/(n/2)*100, i)
		w.emit(says("x", by(name), until(1), to(coordination.Self)))
	}
	w.emit(says("x", until(1)))
	w.emit(says("x", until(1), to(coordination.All)))
	before := w.bus.Last()
	w.advance("t")
	entries, ended, told := 0, 0, map[string]bool{}
	for s := range w.bus.History(bus.Filter{After: before, Kinds: []signals.Kind{coordination.KindTransition}}) {
		tr, _ := signals.As[coordination.Transition](s)
		if entries, ended = entries+1, ended+len(tr.Payload.Signals); len(tr.Payload.Signals) > 1000 {
			t.Errorf("%d ends in one entry", len(tr.Payload.Signals))
		}
		for name := range s.Head().Recipients.All() {
			told[name] = true
		}
	}
	if entries > n/100 || ended != n+2 || len(told) != n+1 {
		t.Errorf("%d entries for %d ends tell %d components", entries, ended, len(told))
	}
	if got := w.Query("t", coordination.Query{}); got != nil {
		t.Errorf("%d left", len(got))
	}
}

func TestAClosedThreadHasNoResolver(t *testing.T) {
	w := newWorld(t, nil)
	asked := 0
	w.SetResolver("t", func(context.Context, coordination.Signal) ([]string, error) { asked++; return []string{"bob"}, nil })
	for range 2 {
		w.emit(says("x", to(coordination.Selected)))
		is(t, w.CloseThread(ctx, "t"), nil)
	}
	if asked != 1 {
		t.Errorf("the resolver was asked %d times, want once", asked)
	}
}

func TestACoordinatorDoesNotLeadAClosedThread(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "lead"), nil)
	inbox := made(w.Inbox("lead"))
	w.emit(says("x", to(coordination.Self)))
	is(t, w.CloseThread(ctx, "t"), nil)
	is(t, w.Register("t", "ann", "bob"), nil)
	w.emit(says("stop", by("ann"), to(coordination.All), class(coordination.EscalationInterrupt), at(coordination.Critical)))
	if s, found, err := inbox.Poll(); found || err != nil {
		t.Errorf("got %v, %v", s, err)
	}
}
