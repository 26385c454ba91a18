package connectivity_test

import (
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func (w *world) component(id string) *connectivity.Component {
	w.Helper()
	c, err := w.Component(id)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func TestAComponentSpeaksAsItself(t *testing.T) {
	w := newWorld(t, nil)
	a := w.component("a")
	e, err := a.Emit(ctx, connectivity.Input{Thread: "t", Class: coordination.AttentionRaise, Summary: "look"})
	if err != nil || e.Signal.Source != "a" || a.ID() != "a" {
		t.Errorf("by %q: %v", e.Signal.Source, err)
	}
	_, err = a.Emit(ctx, says("x", by("b")))
	invalid(t, err, "source")
	is(t, err, connectivity.ErrNotAllowed)
	if all := w.Query("t", coordination.Query{Source: "b"}); all != nil {
		t.Errorf("stored %v", summaries(all))
	}
	for _, id := range []string{"", "a\nb", bus.System} {
		_, err := w.Component(id)
		invalid(t, err, "component")
	}
}

func TestAComponentEndsOnlySignalsItMayEnd(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	is(t, w.Register("t", "member"), nil)
	w.SetResolver("t", picks("writer"))
	for _, c := range []struct {
		id   string
		in   connectivity.Input
		want error
	}{
		{"a", says("own", to(coordination.Self)), nil},
		{"writer", says("handed over", to(coordination.Selected)), nil},
		{"boss", says("in the coordinator's thread", to(coordination.Self)), nil},
		{"member", says("for all", to(coordination.All)), nil},
		{"stranger", says("not its", to(coordination.Self)), connectivity.ErrNotAllowed},
		{"stranger", says("not its", to(coordination.All)), connectivity.ErrNotAllowed},
		{"stranger", says("not its"), connectivity.ErrNotAllowed},
		{"writer", says("not its"), connectivity.ErrNotAllowed},
		{"a", critical("its own alarm"), connectivity.ErrNotAllowed},
		{"boss", critical("an alarm"), nil},
		{"member", critical("an alarm to all", to(coordination.All)), nil},
	} {
		c.in.Source = "a"
		e, err := w.Emit(ctx, c.in)
		is(t, err, nil)
		s := e.Signal
		update := says("update", class(coordination.HandoffPartial))
		update.Source, update.Replaces, update.Priority = "", s.ID, c.in.Priority
		if c.want != nil && s.Priority != coordination.Critical {
			_, err := w.component(c.id).Emit(ctx, update)
			invalid(t, err, "replaces")
			is(t, err, c.want)
		}
		if _, err = w.component(c.id).Resolve(ctx, s.ID); (err == nil) != (c.want == nil) {
			t.Errorf("%s resolves %q: %v", c.id, s.Summary, err)
		}
		is(t, err, c.want)
		if got := w.state(s.ID); got.Terminal() != (c.want == nil) {
			t.Errorf("%q is %s", s.Summary, got)
		}
		if c.want != nil {
			w.resolve(s.ID) // the operator may
		}
	}
	_, err := w.component("a").Resolve(ctx, signals.MustID("sig_x"))
	is(t, err, connectivity.ErrNotFound)
}

// Only components registered when a signal was emitted may answer it.
func TestAllAreTheComponentsRegisteredAtTheTime(t *testing.T) {
	w := newWorld(t, nil)
	broadcast := func(summary string) signals.ID {
		return w.emit(critical(summary, by("guard"), to(coordination.All))).ID
	}
	may := func(id string, s signals.ID, want error) {
		t.Helper()
		is(t, w.component(id).Acknowledge(ctx, s), want)
		_, err := w.component(id).Resolve(ctx, s)
		is(t, err, want)
	}
	no := connectivity.ErrNotAllowed
	is(t, w.Register("t", "stays", "leaves"), nil)
	first := broadcast("first")
	is(t, w.Unregister("t", "leaves"), nil)
	is(t, w.Register("t", "late", "leaves"), nil)
	is(t, w.Unregister("t", "leaves"), nil)
	second := broadcast("second")
	is(t, w.Register("t", "leaves"), nil)
	may("late", first, no)
	may("leaves", second, no)
	may("leaves", first, nil)
	may("late", second, nil)
	third := broadcast("third")
	may("leaves", third, nil)
	fourth := broadcast("fourth")
	is(t, w.Unregister("t", "stays", "late"), nil)
	w.Layer = w.rebuilt(nil)
	may("other", fourth, no)
	may("stays", fourth, nil) // it was registered, according to the log
	is(t, w.Register("t", "stays"), nil)
	fifth := broadcast("fifth")
	is(t, w.Register("t", "late"), nil)
	may("late", fifth, no)
}

// The log names the component that ended a signal.
func TestLogNamesTheResolver(t *testing.T) {
	w := newWorld(t, nil)
	s := w.emit(says("x"))
	_, err := w.component("a").Resolve(ctx, s.ID)
	is(t, err, nil)
	for s := range w.bus.History(bus.Filter{Kinds: []signals.Kind{coordination.KindTransition}}) {
		if s.Head().Source != "a" {
			t.Errorf("resolved by %q", s.Head().Source)
		}
	}
}

func TestAComponentAcknowledgesOnlySignalsForIt(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	fire := w.emit(critical("fire"))
	is(t, w.component("a").Acknowledge(ctx, fire.ID), connectivity.ErrNotAllowed)
	if got := w.state(fire.ID); got != coordination.Emitted {
		t.Errorf("acknowledged by its source: %s", got)
	}
	is(t, w.component("boss").Acknowledge(ctx, fire.ID), nil)
	is(t, w.component("boss").Acknowledge(ctx, fire.ID), nil)
	if got := w.state(fire.ID); got != coordination.Active {
		t.Errorf("acknowledged, and %s", got)
	}
	equal(t, "received is not answered", summaries(w.Unacknowledged("t")), "fire")
	is(t, w.component("boss").Acknowledge(ctx, signals.MustID("sig_x")), connectivity.ErrNotFound)
}

func TestAComponentReadsItsInbox(t *testing.T) {
	w := newWorld(t, nil)
	inbox, err := w.component("a").Inbox()
	is(t, err, nil)
	defer inbox.Close()
	w.emit(says("x", to(coordination.Self)))
	equal(t, "heard", hears(t, inbox), "x")
}

func TestTheUsualEmissionIsOneLine(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	w.SetResolver("t", picks("next"))
	for c := coordination.AttentionRaise; c <= coordination.EscalationUncertainty; c++ {
		graded := says("x", class(c)).Confidence
		s := w.emit(connectivity.Input{Thread: "t", Source: "a", Class: c, Confidence: graded, Summary: "x"})
		audience, priority, recipient := coordination.Coordinator, coordination.Normal, "boss"
		switch c.Message() {
		case coordination.AboutHandoff:
			audience, recipient = coordination.Selected, "next"
		case coordination.AboutEscalation:
			priority = coordination.High
		}
		if s.Audience != audience || s.Priority != priority {
			t.Errorf("%s: to %s at %s", c, s.Audience, s.Priority)
		}
		equal(t, c.String(), s.Recipients, recipient)
	}
}

func TestExpiresAfterCountsFromThePresentStep(t *testing.T) {
	after := func(n int) func(*connectivity.Input) {
		return func(in *connectivity.Input) { in.ExpiresAfter = n }
	}
	w := newWorld(t, nil)
	w.advance("t")
	s := w.emit(says("x", after(2)))
	if s.ExpiresAtStep != 3 {
		t.Errorf("expires at %d", s.ExpiresAtStep)
	}
	w.advance("t")
	if w.state(s.ID).Terminal() {
		t.Error("expired too early")
	}
	w.advance("t")
	if got := w.state(s.ID); got != coordination.Expired {
		t.Errorf("it is %s", got)
	}
	for _, n := range []int{-1, math.MaxInt, math.MaxInt - 2} {
		_, err := w.Emit(ctx, says("x", after(n)))
		invalid(t, err, "expiresAfter")
	}
	if last := w.emit(says("last", after(math.MaxInt-3))); last.ExpiresAtStep != math.MaxInt {
		t.Errorf("the last step is %d", last.ExpiresAtStep)
	}
	_, err := w.Emit(ctx, says("x", after(1), until(9)))
	invalid(t, err, "expiresAfter")
}

func TestRegisteringAgainKeepsTheRightToAnswer(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.Register("t", "x"), nil)
	fire := w.emit(critical("fire", to(coordination.All)))
	is(t, w.Register("t", "x"), nil)
	_, err := w.component("x").Resolve(ctx, fire.ID)
	is(t, err, nil)
}
