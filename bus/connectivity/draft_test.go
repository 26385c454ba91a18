package connectivity_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A turn has the drafts that an agent yielded.
type turn struct {
	agent string
	draft signals.Any
}

// played returns the log, as JSON, of a layer that emits turns in order, and the states of
// its threads.
func played(t testing.TB, turns []turn) (log []string, w *world) {
	t.Helper()
	w = &world{TB: t, now: time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC)}
	clock := func() time.Time { w.now = w.now.Add(time.Millisecond); return w.now }
	w.bus = newBus(t, &bus.Options{Clock: clock, Mint: signals.SeededMint("drafts")})
	w.Layer = made(connectivity.New(w.bus, nil))
	is(t, w.Register("t", "a", "b", "lead"), nil)
	is(t, w.SetCoordinator("t", "lead"), nil)
	for i, y := range turns {
		if i%3 == 2 {
			w.advance("t")
		}
		draft := y.draft
		if draft == nil { // it resolves the open signals
			ids := []signals.ID{}
			for _, s := range w.Query("t", coordination.Query{Limit: 1}) {
				ids = append(ids, s.ID)
			}
			draft = coordination.Resolution(ids...)
		}
		_, err := made(w.Component(y.agent)).EmitDraft(ctx, "t", draft)
		if err != nil && !errors.Is(err, connectivity.ErrNotAllowed) && !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("turn %d: %v", i, err)
		}
	}
	for s := range w.bus.History(bus.Filter{}) {
		log = append(log, string(made(signals.Marshal(s))))
	}
	return log, w
}

// The drafts of agents make the same log each time, byte for byte, and a thread that is
// folded from that log, half of it and then the rest, equals the layer's.
func TestDraftsInTheSameOrderMakeTheSameLog(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) turn {
			y := turn{agent: rapid.SampledFrom([]string{"a", "b", "lead"}).Draw(r, "agent")}
			if rapid.IntRange(0, 3).Draw(r, "resolves") > 0 {
				in := coordination.Note{
					Priority: coordination.Priority(rapid.IntRange(0, 4).Draw(r, "priority")), Summary: rapid.SampledFrom([]string{"x", "y"}).Draw(r, "summary"),
					Audience: rapid.SampledFrom([]coordination.Audience{0, coordination.Self, coordination.All}).Draw(r, "audience"),
				}
				like := says("", class(coordination.Class(rapid.IntRange(1, 11).Draw(r, "class"))))
				in.Class, in.Confidence = like.Class, like.Confidence
				if in.Priority != coordination.Critical {
					in.ExpiresAfter = rapid.IntRange(0, 2).Draw(r, "expires")
				}
				y.draft = coordination.Draft(in)
			}
			return y
		}), 1, 12).Draw(r, "turns")
		log, w := played(t, turns)
		again, _ := played(t, turns)
		if diff := cmp.Diff(log, again); diff != "" {
			r.Fatalf("another log: %s", diff)
		}
		thread := coordination.NewThread()
		for s := range w.bus.History(bus.Filter{Threads: []string{"t"}}) {
			thread.Apply(s)
		}
		q := coordination.Query{Limit: -1, States: []coordination.State{1, 2, 3, 4, 5}}
		got := []any{made(thread.Query(q)), thread.Converged(), thread.Unacknowledged(), thread.Step(), thread.Mode(), thread.Coordinator()}
		want := []any{w.Query("t", q), w.Converged("t"), w.Unacknowledged("t"), w.Step("t"), w.Mode("t"), "lead"}
		if diff := cmp.Diff(want, got, byID); diff != "" {
			r.Fatalf("-layer +thread:\n%s", diff)
		}
		if !thread.Registered("b") || thread.Registered("c") {
			r.Fatal("who is registered is not known")
		}
	})
}

// A draft is judged when it is emitted, in the name of the agent that yielded it.
func TestADraftIsAnInputOfItsAgent(t *testing.T) {
	w := newWorld(t, nil)
	is(t, w.SetCoordinator("t", "lead"), nil)
	draft := coordination.Draft(coordination.Note{
		Class: coordination.HandoffReady, Summary: "all green", Details: "12 of 12", Audience: coordination.Coordinator, ExpiresAfter: 3,
	})
	is(t, signals.Validate(draft), nil)
	if draft.Kind() != coordination.KindHandoff {
		t.Errorf("a draft of kind %s", draft.Kind())
	}
	w.advance("t")
	e, err := w.component("a").EmitDraft(ctx, "t", draft)
	is(t, err, nil)
	if s := e.Signal; s.Source != "a" || s.Thread != "t" || s.Details != "12 of 12" || s.ExpiresAtStep != 4 || !slices.Equal(s.Recipients, []string{"lead"}) {
		t.Errorf("%+v", s)
	}
	repeated, err := w.component("a").EmitDraft(ctx, "t", draft)
	is(t, err, nil)
	if !repeated.Suppressed || repeated.Signal.ID != e.Signal.ID {
		t.Errorf("%+v", repeated)
	}
	_, err = w.component("b").EmitDraft(ctx, "t", coordination.Resolution(e.Signal.ID))
	is(t, err, connectivity.ErrNotAllowed)
	done, err := w.component("lead").EmitDraft(ctx, "t", coordination.Resolution(e.Signal.ID))
	is(t, err, nil)
	if done.Signal.State != coordination.Resolved {
		t.Errorf("%s", done.Signal.State)
	}
	entry, _ := w.bus.Get(e.Signal.ID)
	for field, s := range map[string]signals.Any{
		"kind":    signals.New(signals.Header{}, signals.Discovery{Finding: "x"}),
		"summary": coordination.Draft(coordination.Note{Class: coordination.AttentionRaise}),
		"signals": coordination.Resolution(),
	} {
		_, err := w.component("a").EmitDraft(context.Background(), "t", s)
		invalid(t, err, field)
	}
	_, err = w.component("a").EmitDraft(ctx, "t", entry)
	invalid(t, err, "kind")
}

// A thread that is folded without a layer does not take a draft for an entry.
func TestADraftIsNoEntry(t *testing.T) {
	thread := coordination.NewThread()
	for _, s := range []signals.Any{
		coordination.Draft(coordination.Note{Class: coordination.EscalationInterrupt, Summary: "stop"}),
		coordination.Resolution(signals.MustID("sig_a")),
		signals.New(signals.Header{}, signals.Discovery{Finding: "x"}),
	} {
		thread.Apply(s)
	}
	if c := thread.Converged(); !c.Unknown || len(made(thread.Query(coordination.Query{}))) != 0 {
		t.Errorf("%v", c)
	}
}
