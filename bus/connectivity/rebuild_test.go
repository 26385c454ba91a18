package connectivity_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
)

// everything is all that a layer can be asked about some threads.
func everything(l *connectivity.Layer, threads ...string) map[string]any {
	all := map[string]any{}
	states := []connectivity.State{1, 2, 3, 4, 5}
	for _, t := range threads {
		all[t+" newest"] = l.Query(connectivity.Query{Thread: t, Limit: -1, States: states})
		all[t+" live"] = l.Query(connectivity.Query{Thread: t, Limit: -1, Order: connectivity.Oldest})
		for _, s := range states {
			all[t+s.String()] = l.Query(connectivity.Query{Thread: t, Limit: -1, States: []connectivity.State{s}})
		}
		for m := connectivity.AboutAttention; m <= connectivity.AboutEscalation; m++ {
			all[t+m.String()] = l.Query(connectivity.Query{Thread: t, Limit: -1, Messages: []connectivity.Message{m}})
		}
		all[t+" step"], all[t+" mode"] = l.Step(t), l.Mode(t)
		all[t+" converged"], all[t+" unacknowledged"] = l.Converged(t), l.Unacknowledged(t)
	}
	return all
}

var byID = cmp.Comparer(func(a, b signals.ID) bool { return a == b })

// same wants two layers to answer everything alike.
func same(t testing.TB, got, want *connectivity.Layer, threads ...string) {
	t.Helper()
	if diff := cmp.Diff(everything(want, threads...), everything(got, threads...), byID); diff != "" {
		t.Errorf("they differ (-want +got):\n%s", diff)
	}
}

// busy is a layer with something of everything.
func busy(t *testing.T, o *connectivity.Options) *world {
	if o == nil {
		o = &connectivity.Options{}
	}
	o.Hook = func(context.Context, connectivity.Signal) (connectivity.Mode, error) { return connectivity.Fast, nil }
	w := newWorld(t, o)
	is(t, w.SetCoordinator("t", "boss"), nil)
	is(t, w.Register("t", "a", "b"), nil)
	w.emit(says("unseen", by("c"), to(connectivity.All)))
	w.watch()
	s := w.emit(says("1", class(connectivity.ConfidenceLow), until(3)))
	w.emit(says("2", class(connectivity.ConfidenceHigh), replacing(s.ID)))
	w.emit(says("3", class(connectivity.EscalationInterrupt), at(connectivity.Critical)))
	w.resolve(w.emit(says("4", class(connectivity.ConflictActive))).ID)
	w.emit(says("5", class(connectivity.HandoffReady), until(1)))
	w.emit(says("6", to(connectivity.Self), until(2)))
	w.advance("t")
	w.emit(says("7", to(connectivity.Self), until(2)))
	w.emit(says("8", in("u"), class(connectivity.EscalationUncertainty)))
	w.emit(says("9", in("gone")))
	is(t, w.CloseThread(ctx, "gone"), nil)
	w.emit(says("10", in("gone")))
	return w
}

func TestRebuildAnswersTheSame(t *testing.T) {
	w := busy(t, nil)
	same(t, w.rebuilt(nil), w.Layer, "t", "u", "gone")
	if w.Converged("t").Converged || w.Mode("t") != connectivity.Fast {
		t.Error("the sample shows little")
	}
}

func TestRebuildFromJSONAnswersTheSame(t *testing.T) {
	w := busy(t, nil)
	codec, err := signals.NewCodec(connectivity.Payloads()...)
	is(t, err, nil)
	var log []signals.Any
	for s := range w.bus.History(bus.Filter{}) {
		data, err := signals.Marshal(s)
		is(t, err, nil)
		read, err := codec.Unmarshal(data)
		is(t, err, nil)
		log = append(log, read)
	}
	l, err := connectivity.Rebuild(newBus(t), nil, slices.Values(log))
	is(t, err, nil)
	same(t, l, w.Layer, "t", "u", "gone")

	data, _ := signals.Marshal(log[0])
	raw, err := signals.Unmarshal(data)
	is(t, err, nil)
	if _, err := connectivity.Rebuild(newBus(t), nil, slices.Values([]signals.Any{raw})); err == nil {
		t.Error("a log read without the payloads was taken")
	}
}

func TestRebuiltLayersGoOn(t *testing.T) {
	clock := func() time.Time { return time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC) }
	seeded := func() *connectivity.Options {
		return &connectivity.Options{Mint: signals.SeededMint("s"), Clock: clock}
	}
	w := busy(t, seeded())
	l, err := connectivity.Rebuild(w.bus, seeded(), w.bus.History(bus.Filter{}))
	is(t, err, nil)
	held := map[signals.ID]bool{}
	for s := range w.bus.History(bus.Filter{}) {
		held[s.Head().ID] = true
	}
	e, err := l.Emit(ctx, says("7", to(connectivity.Self)))
	if err != nil || !e.Suppressed {
		t.Errorf("suppression forgot: %v %v", e.Suppressed, err)
	}
	e, err = l.Emit(ctx, says("new", by("z")))
	if err != nil || held[e.Signal.ID] {
		t.Errorf("id %s: %v", e.Signal.ID, err)
	}
	if step, err := l.AdvanceStep(ctx, "t"); step != 2 || err != nil {
		t.Errorf("step %d: %v", step, err)
	}
	got := l.Query(connectivity.Query{Thread: "t", States: []connectivity.State{connectivity.Expired}})
	equal(t, "expired", summaries(got), "7", "6", "5")
}

func TestLayersOfOneBusAreApart(t *testing.T) {
	w := newWorld(t, nil)
	other := connectivity.New(w.bus, &connectivity.Options{Name: "other"})
	w.emit(says("ours"))
	s, err := other.Emit(ctx, says("theirs"))
	if err != nil || s.Suppressed {
		t.Errorf("suppressed across layers: %v", err)
	}
	_, err = other.AdvanceStep(ctx, "t")
	is(t, err, nil)
	same(t, w.rebuilt(nil), w.Layer, "t")
	same(t, w.rebuilt(&connectivity.Options{Name: "other"}), other, "t")
}

// An agent with a handle of its own cannot write the layer's books.
func TestForgedBooksCountForNothing(t *testing.T) {
	w := newWorld(t, nil)
	s := w.emit(says("x", class(connectivity.ConflictActive)))
	agent, err := w.bus.Agent("mallory", bus.Permissions{})
	is(t, err, nil)
	h := signals.Header{Thread: "t", Confidence: 1, TTL: -1}
	for _, forged := range []signals.Any{
		signals.New(h, connectivity.Transition{Layer: "main", State: connectivity.Resolved, Signals: connectivity.ListOf(s.ID)}),
		signals.New(h, connectivity.Step{Layer: "main", Step: 9}),
		signals.New(h, connectivity.Requested{Layer: "main", For: s.ID, Mode: connectivity.Cheap}),
		signals.New(h, connectivity.Closed{Layer: "main"}),
	} {
		_, err := agent.Publish(ctx, forged)
		is(t, err, nil)
	}
	same(t, w.rebuilt(nil), w.Layer, "t")
	w.converges("conflict.active by a is open: x")
}

func TestRetentionIsTheSameAfterRebuild(t *testing.T) {
	w := newWorld(t, &connectivity.Options{Retain: 3}).watch()
	for i := range 30 {
		s := w.emit(says(fmt.Sprint(i), by(fmt.Sprint("s", i%7)), at(connectivity.Critical)))
		if i%3 != 0 {
			w.resolve(s.ID)
		}
	}
	same(t, w.rebuilt(&connectivity.Options{Retain: 3}), w.Layer, "t")
}

// log numbers signals as a log does.
func log(all ...signals.Any) []signals.Any {
	for i, s := range all {
		h := s.Head()
		h.Seq = uint64(i + 1)
		all[i] = signals.With(s, h)
	}
	return all
}

func noted(id, thread string, at time.Time, change func(*connectivity.Note)) signals.Any {
	n := note(connectivity.AttentionRaise)
	n.Summary, n.ExpiresAtStep = id, 0
	if change != nil {
		change(&n)
	}
	return signals.New(
		signals.Header{ID: signals.MustID(id), Source: "a", Thread: thread, Time: at, Confidence: 0.5},
		connectivity.Attention{Note: n},
	)
}

func ends(state connectivity.State, ids ...string) signals.Any {
	var list []signals.ID
	for _, id := range ids {
		list = append(list, signals.MustID(id))
	}
	return signals.New(
		signals.Header{Source: bus.System, Thread: "t"},
		connectivity.Transition{Layer: "main", State: state, Signals: connectivity.ListOf(list...)},
	)
}

// A log that no layer writes does no harm: what ended stays as it is, threads
// are apart, and what is unknown is passed over.
func TestRebuildFromAnOddLog(t *testing.T) {
	at := time.Unix(100, 0)
	replaces := func(n *connectivity.Note) { n.Replaces = signals.MustID("x") }
	l, err := connectivity.Rebuild(newBus(t), nil, slices.Values(log(
		noted("x", "t", at, nil),
		noted("elsewhere", "u", at, replaces),
		noted("x", "t", at, func(n *connectivity.Note) { n.Summary = "again" }),
		ends(connectivity.Superseded, "x"),
		ends(connectivity.Expired, "unknown", "elsewhere"),
		noted("y", "t", at, nil),
		ends(connectivity.Resolved, "y"),
		ends(connectivity.Expired, "y"),
		ends(connectivity.Active, "y"),
	)))
	is(t, err, nil)
	for id, want := range map[string]connectivity.State{
		"x": connectivity.Emitted, "elsewhere": connectivity.Emitted, "y": connectivity.Resolved,
	} {
		if s, _ := l.Get(signals.MustID(id)); s.State != want || s.Summary != id {
			t.Errorf("%s is %s: %s", id, s.State, s.Summary)
		}
	}
}

// Times may go back in a log of several writers; since is about times.
func TestSinceWithTimesThatGoBack(t *testing.T) {
	second := func(n int) time.Time { return time.Unix(int64(n), 0) }
	l, err := connectivity.Rebuild(newBus(t), nil, slices.Values(log(
		noted("3", "t", second(3), nil), noted("1", "t", second(1), nil), noted("2", "t", second(2), nil),
	)))
	is(t, err, nil)
	for since, want := range [][]string{{"2", "1", "3"}, {"2", "3"}, {"3"}, nil} {
		q := connectivity.Query{Thread: "t", Since: second(since)}
		equal(t, fmt.Sprint("since ", since), summaries(l.Query(q)), want...)
		q.Order = connectivity.Oldest
		slices.Reverse(want)
		equal(t, fmt.Sprint("oldest since ", since), summaries(l.Query(q)), want...)
	}
}
