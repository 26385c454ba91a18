package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func critical(summary string, change ...func(*connectivity.Input)) connectivity.Input {
	return says(summary, append(change, at(coordination.Critical))...)
}

// tooMany returns names that together exceed the limit for a signal's
// recipients.
func tooMany() (names []string) {
	for i := range signals.DefaultTextBytes / 100 {
		names = append(names, fmt.Sprintf("%0101d", i))
	}
	return names
}

func TestACriticalEndsByAnAnswerAlone(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	fire := w.emit(critical("fire", by("guard"), class(coordination.EscalationInterrupt)))
	for name, in := range map[string]connectivity.Input{
		"a low signal of another source": says("calm", by("b"), at(coordination.Low), replacing(fire.ID)),
		"a high one of its source":       says("calm", by("guard"), at(coordination.High), replacing(fire.ID)),
		"a high one of the coordinator":  says("calm", by("boss"), at(coordination.High), replacing(fire.ID)),
		"a critical one of another":      critical("calm", by("b"), replacing(fire.ID)),
	} {
		_, err := w.Emit(ctx, in)
		invalid(t, err, "replaces")
		if !errors.Is(err, connectivity.ErrNotAllowed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 3 {
		w.advance("t")
	}
	equal(t, "waiting", summaries(w.Unacknowledged("t")), "fire")
	w.converges("escalation.interrupt by guard is open: fire")
	own := w.emit(critical("a bigger fire", by("guard"), replacing(fire.ID)))
	lead := w.emit(critical("everybody out", by("boss"), replacing(own.ID)))
	equal(t, "waiting", summaries(w.Unacknowledged("t")), "everybody out")
	w.resolve(lead.ID)
	equal(t, "waiting", summaries(w.Unacknowledged("t")))
}

func TestASourceCannotAnswerItsOwnCritical(t *testing.T) {
	for name, c := range map[string]struct {
		audience  coordination.Audience
		resolver  connectivity.Resolver
		unreached error
	}{
		"to itself":                     {coordination.Self, nil, connectivity.ErrNoAudience},
		"to all, of whom it is one":     {coordination.All, nil, nil},
		"to itself by a resolver":       {coordination.Selected, picks("guard"), connectivity.ErrNoAudience},
		"to itself and another":         {coordination.Selected, picks("guard", "b"), nil},
		"to the coordinator":            {coordination.Coordinator, nil, nil},
		"to all, as the resolver fails": {coordination.Selected, picks(""), signals.ErrInvalid},
	} {
		w := newWorld(t, nil)
		is(t, w.SetCoordinator("t", "boss"), nil)
		is(t, w.Register("t", "guard", "b"), nil)
		w.SetResolver("t", c.resolver)
		guard := w.component("guard")
		fire := func() signals.ID {
			e, err := guard.Emit(ctx, critical("fire", by("guard"), class(coordination.EscalationInterrupt), to(c.audience)))
			is(t, err, nil)
			if !errors.Is(e.Unreached, c.unreached) {
				t.Errorf("%s: unreached because %v", name, e.Unreached)
			}
			_, err = guard.Resolve(ctx, e.Signal.ID)
			is(t, err, connectivity.ErrNotAllowed)
			equal(t, name+", waiting", summaries(w.Unacknowledged("t")), "fire")
			return e.Signal.ID
		}
		_, err := w.component("boss").Resolve(ctx, fire())
		is(t, err, nil)
		_, err = w.component("b").Resolve(ctx, fire())
		if answers := c.audience != coordination.Coordinator; (err == nil) != answers {
			t.Errorf("%s: b answers: %v", name, err)
		}
	}
}

// An update takes over the duty to answer, so a source cannot address it to itself either.
func TestASourceCannotSilenceItsCriticalByAnUpdate(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	guard := w.component("guard")
	e, err := guard.Emit(ctx, critical("fire", by("guard"), class(coordination.EscalationInterrupt)))
	is(t, err, nil)
	e, err = guard.Emit(ctx, critical("never mind", by("guard"), class(coordination.HandoffReady), to(coordination.Self), replacing(e.Signal.ID)))
	is(t, err, nil)
	_, err = guard.Resolve(ctx, e.Signal.ID)
	is(t, err, connectivity.ErrNotAllowed)
	equal(t, "waiting", summaries(w.Unacknowledged("t")), "never mind")
	w.converges("critical handoff.ready by guard is unanswered: never mind")
}

func TestTheCoordinatorAnswersItsOwnCritical(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	boss := w.component("boss")
	e, err := boss.Emit(ctx, critical("fire", by("boss")))
	is(t, err, nil)
	equal(t, "recipients", e.Signal.Recipients, "boss")
	_, err = boss.Resolve(ctx, e.Signal.ID)
	is(t, err, nil)
}

func TestACriticalDoesNotExpire(t *testing.T) {
	w := newWorld(t, nil)
	_, err := w.Emit(ctx, critical("x", until(1)))
	invalid(t, err, "expiresAtStep")
	_, err = w.Emit(ctx, critical("x", func(in *connectivity.Input) { in.ExpiresAfter = 1 }))
	invalid(t, err, "expiresAfter")
	n := note(coordination.AttentionRaise)
	n.Priority = coordination.Critical
	refused(t, signals.Validate(signals.New(signals.Header{Thread: "t"}, coordination.Attention{Note: n})), "expiresAtStep")
}

// A critical signal whose audience is empty goes to all components.
func TestACriticalReachesAllIfItsAudienceIsEmpty(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		audience coordination.Audience
		resolver connectivity.Resolver
		want     error
	}{
		"no coordinator": {coordination.Coordinator, nil, connectivity.ErrNoAudience},
		"no resolver":    {coordination.Selected, nil, connectivity.ErrNoAudience},
		"nobody named":   {coordination.Selected, picks(), connectivity.ErrNoAudience},
		"it fails": {
			coordination.Selected,
			func(context.Context, coordination.Signal) ([]string, error) { return nil, broken }, broken,
		},
		"it panics": {
			coordination.Selected,
			func(context.Context, coordination.Signal) ([]string, error) { panic(broken) }, nil,
		},
		"it names nonsense": {coordination.Selected, picks("x", ""), signals.ErrInvalid},
		"it names too many": {coordination.Selected, picks(tooMany()...), signals.ErrInvalid},
	} {
		w := newWorld(t, nil).watch()
		is(t, w.Register("t", "a", "b"), nil)
		w.SetResolver("t", c.resolver)
		inbox := w.inbox("b")
		sub, err := w.bus.Subscribe(bus.SubscribeOptions{Agent: "stranger", Kinds: []signals.Kind{coordination.KindAttention}})
		is(t, err, nil)
		t.Cleanup(sub.Close)
		_, err = w.Emit(ctx, says("calm", to(c.audience)))
		if sent := errors.Is(c.want, connectivity.ErrNoAudience); (err == nil) != sent {
			t.Errorf("%s: a calm signal: %v", name, err)
		}
		before := len(w.seen())
		e, err := w.Emit(ctx, critical("fire", to(c.audience), by("guard")))
		if err != nil || e.Unreached == nil || !errors.Is(e.Unreached, c.want) && c.want != nil {
			t.Errorf("%s: %v, unreached because %v", name, err, e.Unreached)
		}
		var p *bus.PanicError
		if c.want == nil && !errors.As(e.Unreached, &p) {
			t.Errorf("%s: unreached because %v", name, e.Unreached)
		}
		if e.Signal.Components != 2 || e.Signal.Audience != c.audience {
			t.Errorf("%s: %+v", name, e.Signal)
		}
		equal(t, name+", observers", w.seen()[before:], "fire emitted")
		equal(t, name+", inboxes", hears(t, inbox), "fire")
		if s, _ := sub.Poll(); s == nil {
			t.Errorf("%s: nobody heard it on the bus", name)
		}
	}
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	if e, _ := w.Emit(ctx, critical("fire")); e.Unreached != nil || e.Signal.Components != 0 {
		t.Errorf("with a coordinator: %+v", e)
	}
}

// A source cannot change by an update which components have to answer.
func TestAnUpdateLeavesTheDutyWithTheOldRecipients(t *testing.T) {
	for name, audience := range map[string]coordination.Audience{"all": coordination.All, "selected": coordination.Selected} {
		w := newWorld(t, nil)
		is(t, w.SetCoordinator("t", "boss"), nil)
		is(t, w.Register("t", "guard", "b"), nil)
		w.SetResolver("t", picks("b"))
		guard, inbox := w.component("guard"), w.inbox("boss")
		fire := w.emit(critical("fire", by("guard")))
		for range 2 {
			e, err := guard.Emit(ctx, critical("never mind", by("guard"), to(audience), replacing(fire.ID)))
			is(t, err, nil)
			fire = e.Signal
		}
		_, err := w.component("b").Resolve(ctx, fire.ID)
		is(t, err, connectivity.ErrNotAllowed)
		is(t, w.component("b").Acknowledge(ctx, fire.ID), nil)
		is(t, w.SetCoordinator("t", ""), nil)
		is(t, w.component("boss").Acknowledge(ctx, fire.ID), nil) // no longer coordinator, but still has the duty
		if _, err := made(w.rebuilt(nil).Component("b")).Resolve(ctx, fire.ID); err == nil {
			t.Errorf("%s: b answers after a restart", name)
		}
		equal(t, name+", the one who owes the answer hears", hears(t, inbox), "fire", "never mind", "never mind")
		_, err = w.component("boss").Resolve(ctx, fire.ID)
		is(t, err, nil)
	}
}

func TestTheCoordinatorMayGiveTheAnswerToOthers(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	is(t, w.Register("t", "b"), nil)
	fire := w.emit(critical("fire", by("guard")))
	e, err := w.component("boss").Emit(ctx, critical("put it out", by("boss"), to(coordination.All), replacing(fire.ID)))
	is(t, err, nil)
	_, err = w.component("b").Resolve(ctx, e.Signal.ID)
	is(t, err, nil)
}

func TestACriticalToAllReachesAnUnregisteredCoordinator(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "boss"), nil)
	boss, inbox := w.component("boss"), w.inbox("boss")
	for _, a := range []coordination.Audience{coordination.Self, coordination.Selected, coordination.All} {
		s := w.emit(critical(a.String(), to(a)))
		is(t, boss.Acknowledge(ctx, s.ID), nil)
	}
	is(t, w.Register("t", "boss"), nil)
	w.emit(critical("registered", to(coordination.All)))
	equal(t, "heard", hears(t, inbox), "self", "selected", "all", "registered")
}

func TestACriticalToAllWithoutRecipientsIsReported(t *testing.T) {
	w := newWorld(t, nil)
	unreached := func(want error) {
		t.Helper()
		e, err := w.Emit(ctx, critical("fire", to(coordination.All)))
		is(t, err, nil)
		is(t, e.Unreached, want)
	}
	unreached(connectivity.ErrNoAudience)
	is(t, w.Register("t", "a"), nil)
	unreached(connectivity.ErrNoAudience)
	is(t, w.Register("t", "b"), nil)
	unreached(nil)
	w.Unregister("t", "b")
	is(t, w.SetCoordinator("t", "boss"), nil)
	unreached(nil)
}
