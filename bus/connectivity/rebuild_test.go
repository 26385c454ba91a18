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
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// everything returns the results of all queries of the given threads.
func everything(tb interface {
	Helper()
	Errorf(string, ...any)
}, l *connectivity.Layer, threads ...string,
) map[string]any {
	all := map[string]any{}
	states := []coordination.State{1, 2, 3, 4, 5}
	for _, t := range threads {
		all[t+" newest"] = found(tb, l, t, coordination.Query{Limit: -1, States: states})
		all[t+" live"] = found(tb, l, t, coordination.Query{Limit: -1, Order: coordination.Oldest})
		for _, s := range states {
			all[t+s.String()] = found(tb, l, t, coordination.Query{Limit: -1, States: []coordination.State{s}})
		}
		for m := coordination.AboutAttention; m <= coordination.AboutEscalation; m++ {
			all[t+m.String()] = found(tb, l, t, coordination.Query{Limit: -1, Messages: []coordination.Message{m}})
		}
		all[t+" step"], all[t+" mode"] = l.Step(t), l.Mode(t)
		all[t+" converged"], all[t+" unacknowledged"] = l.Converged(t), l.Unacknowledged(t)
	}
	return all
}

var byID = cmp.Comparer(func(a, b signals.ID) bool { return a == b })

// same fails the test unless two layers answer everything alike.
func same(t testing.TB, got, want *connectivity.Layer, threads ...string) {
	t.Helper()
	if diff := cmp.Diff(everything(t, want, threads...), everything(t, got, threads...), byID); diff != "" {
		t.Errorf("they differ (-want +got):\n%s", diff)
	}
}

// busy returns a layer with signals of every kind and state.
func busy(t *testing.T, o *connectivity.Options) *world {
	if o == nil {
		o = &connectivity.Options{}
	}
	o.Hook = func(context.Context, coordination.Signal) (signals.Effort, error) { return signals.Fast, nil }
	w := newWorld(t, o)
	is(t, w.SetCoordinator("t", "boss"), nil)
	is(t, w.Register("t", "a", "b"), nil)
	w.emit(says("unseen", by("c"), to(coordination.All)))
	w.watch()
	s := w.emit(says("1", class(coordination.ConfidenceLow), until(3)))
	w.emit(says("2", class(coordination.ConfidenceHigh), replacing(s.ID)))
	w.emit(says("3", class(coordination.EscalationInterrupt), at(coordination.Critical)))
	w.resolve(w.emit(says("4", class(coordination.ConflictActive))).ID)
	w.emit(says("5", class(coordination.HandoffReady), until(1)))
	w.emit(says("6", to(coordination.Self), until(2)))
	w.advance("t")
	w.emit(says("7", to(coordination.Self), until(2)))
	w.emit(says("8", in("u"), class(coordination.EscalationUncertainty)))
	w.emit(says("9", in("gone")))
	is(t, w.CloseThread(ctx, "gone"), nil)
	w.emit(says("10", in("gone")))
	return w
}

func TestRebuildAnswersTheSame(t *testing.T) {
	w := busy(t, nil)
	same(t, w.rebuilt(nil), w.Layer, "t", "u", "gone")
	if w.Converged("t").Converged || w.Mode("t") != signals.Fast {
		t.Error("the sample shows little")
	}
}

func TestRebuildFromJSONAnswersTheSame(t *testing.T) {
	w := busy(t, nil)
	codec, err := signals.NewCodec(coordination.Entries()...)
	is(t, err, nil)
	var log []signals.Any
	for s := range w.bus.History(bus.Filter{}) {
		data, err := signals.Marshal(s)
		is(t, err, nil)
		read, err := codec.Unmarshal(data)
		is(t, err, nil)
		log = append(log, read)
	}
	l, err := connectivity.Rebuild(fed(t, log), nil, slices.Values(log))
	is(t, err, nil)
	same(t, l, w.Layer, "t", "u", "gone")

	data, _ := signals.Marshal(log[0])
	raw, err := signals.Unmarshal(data)
	is(t, err, nil)
	if _, err := connectivity.Rebuild(newBus(t, nil), nil, slices.Values([]signals.Any{raw})); err == nil {
		t.Error("a log read without the payloads was taken")
	}
}

func TestRebuiltLayersGoOn(t *testing.T) {
	w := busy(t, nil)
	all := slices.Collect(w.bus.History(bus.Filter{}))
	l, err := connectivity.Rebuild(fed(t, all), nil, slices.Values(all))
	is(t, err, nil)
	held := map[signals.ID]bool{}
	for _, s := range all {
		held[s.Head().ID] = true
	}
	e, err := l.Emit(ctx, says("7", to(coordination.Self)))
	if err != nil || !e.Suppressed {
		t.Errorf("suppression forgot: %v %v", e.Suppressed, err)
	}
	e, err = l.Emit(ctx, says("new", by("z")))
	if err != nil || held[e.Signal.ID] || e.Signal.Seq <= all[len(all)-1].Head().Seq {
		t.Errorf("id %s at %d: %v", e.Signal.ID, e.Signal.Seq, err)
	}
	if step, err := l.AdvanceStep(ctx, "t"); step != 2 || err != nil {
		t.Errorf("step %d: %v", step, err)
	}
	got := found(t, l, "t", coordination.Query{States: []coordination.State{coordination.Expired}})
	equal(t, "expired", summaries(got), "7", "6", "5")
}

// A layer that continues a log cut at any entry notifies the recipients of the signals that
// the last entry ended exactly once, as the layer that wrote the log did.
func TestALogThatBrokeOffIsCompleted(t *testing.T) {
	w := newWorld(t, nil)
	first := w.emit(says("1", by("a"), to(coordination.Self)))
	w.emit(says("2", by("a"), to(coordination.Self), replacing(first.ID)))
	for i, source := range []string{"a", "b", "a", "c", "b"} {
		about := []coordination.Class{coordination.HandoffReady, coordination.HandoffPartial}[min(i/2, 1)]
		w.emit(says(fmt.Sprint(3+i), by(source), class(about), to(coordination.Self), until(1)))
	}
	w.advance("t")
	w.emit(says("8"))
	whole := slices.Collect(w.bus.History(bus.Filter{}))
	is := func(s signals.Any) string {
		return fmt.Sprint(s.Kind(), s.Head().Seq, s.Head().Source, s.Head().Recipients, s.Head().ReplyTo, s.Body())
	}
	written := 0
	for n := range whole {
		b := fed(t, whole[:n])
		l, err := connectivity.Rebuild(b, nil, slices.Values(whole[:n]))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := l.Complete(ctx, "t"); err != nil {
				t.Fatal(err)
			}
		}
		got := slices.Collect(b.History(bus.Filter{}))
		for i, s := range got[n:] {
			if is(s) != is(whole[n+i]) {
				t.Errorf("cut after %d: %s, want %s", n, is(s), is(whole[n+i]))
			}
		}
		written += len(got) - n
		if tr, ok := signals.As[coordination.Transition](whole[len(got)]); ok {
			t.Errorf("cut after %d: %v is missing", n, tr.Payload)
		}
	}
	if written != 1+3+2+1 {
		t.Errorf("%d entries were written", written)
	}
}

// without returns the log without some entries.
func without(all []signals.Any, drop func(i int, s signals.Any) bool) (rest []signals.Any) {
	for i, s := range all {
		if !drop(i, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

func rebuild(b *bus.Bus, log []signals.Any) error {
	_, err := connectivity.Rebuild(b, nil, slices.Values(log))
	return err
}

func TestRebuildRefusesABusThatWasNotFed(t *testing.T) {
	w := busy(t, nil)
	all := slices.Collect(w.bus.History(bus.Filter{}))
	is(t, rebuild(newBus(t, nil), all), connectivity.ErrNotFed)
	is(t, rebuild(fed(t, all[:len(all)/2]), all), connectivity.ErrNotFed)
	is(t, rebuild(busy(t, nil).bus, all), connectivity.ErrNotFed) // of another run
	is(t, rebuild(w.bus, all), nil)
	is(t, rebuild(newBus(t, nil), nil), nil)
}

func TestRebuildRefusesAnIncompleteLog(t *testing.T) {
	w := busy(t, nil)
	all := slices.Collect(w.bus.History(bus.Filter{}))
	for i := range all {
		holed := without(all, func(j int, _ signals.Any) bool { return i == j })
		is(t, rebuild(fed(t, all), holed), connectivity.ErrIncomplete)
		is(t, rebuild(fed(t, all), all[i+1:]), connectivity.ErrIncomplete)
		is(t, rebuild(fed(t, all), all[:i]), connectivity.ErrIncomplete)
	}
	if err := rebuild(fed(t, all), slices.Concat(all, all[:1])); err == nil {
		t.Error("a log out of order was taken")
	}
}

// The usual way to lose the beginning: the bus's history has no room for it.
func TestRebuildRefusesALogWhoseBeginningWasEvicted(t *testing.T) {
	b := made(bus.New(&bus.Options{History: 100}))
	defer b.Close()
	l := made(connectivity.New(b, nil))
	for i := range 300 {
		_, err := l.Emit(ctx, alarm(i))
		is(t, err, nil)
	}
	_, err := connectivity.Rebuild(b, nil, b.History(bus.Filter{}))
	is(t, err, connectivity.ErrIncomplete)
}

// Rebuilding needs no entries of closed threads.
func TestRebuildNeedsNoEntriesOfClosedThreads(t *testing.T) {
	w := newWorld(t, nil).watch()
	w.emit(says("old", in("closed"), until(2)))
	w.emit(says("older than the cut", in("also closed")))
	cut := w.bus.Last()
	w.advance("closed")
	first := w.emit(says("kept", in("t")))
	w.resolve(first.ID)
	w.advance("closed")
	is(t, w.CloseThread(ctx, "closed"), nil)
	is(t, w.CloseThread(ctx, "also closed"), nil)
	all := slices.Collect(w.bus.History(bus.Filter{}))
	tail := slices.Collect(w.bus.History(bus.Filter{After: cut}))
	l, err := connectivity.Rebuild(fed(t, all), nil, slices.Values(tail))
	is(t, err, nil)
	same(t, l, w.Layer, "t", "closed", "also closed")
	w.emit(says("goes on", in("t")))
	is(t, w.CloseThread(ctx, "t"), nil)
	all = slices.Collect(w.bus.History(bus.Filter{}))
	l, err = connectivity.Rebuild(fed(t, all), nil, slices.Values(all[len(all)-1:]))
	is(t, err, nil)
	same(t, l, w.Layer, "t", "closed", "also closed")
}

// Two layers of one name would each know half of the log.
func TestRebuildRefusesALogOfTwoLayers(t *testing.T) {
	w := newWorld(t, nil)
	other := made(connectivity.New(w.bus, nil))
	w.emit(says("ours"))
	_, err := other.Emit(ctx, says("theirs"))
	is(t, err, nil)
	if _, err := connectivity.Rebuild(w.bus, nil, w.bus.History(bus.Filter{})); err == nil {
		t.Error("no error")
	}
}

func TestLayersOfOneBusAreApart(t *testing.T) {
	w := newWorld(t, nil)
	other := made(connectivity.New(w.bus, &connectivity.Options{Name: "other"}))
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

func TestRetentionIsTheSameAfterRebuild(t *testing.T) {
	w := newWorld(t, &connectivity.Options{Retain: 3}).watch()
	for i := range 30 {
		s := w.emit(says(fmt.Sprint(i), by(fmt.Sprint("s", i%7)), at(coordination.Critical)))
		if i%3 != 0 {
			w.resolve(s.ID)
		}
	}
	same(t, w.rebuilt(&connectivity.Options{Retain: 3}), w.Layer, "t")
}

// log gives signals the positions and links that a log would give them.
func log(all ...signals.Any) []signals.Any {
	for i, s := range all {
		k := coordination.Link{Layer: "main", After: uint64(i), Since: 1}
		h := s.Head()
		if h.Seq = uint64(i + 1); h.ID.IsZero() {
			h.ID = signals.MustID(fmt.Sprint("entry", i))
		}
		if h.Time.IsZero() {
			h.Time = time.Unix(100, 0)
		}
		if n := coordination.NoteOf(s); n != nil {
			linked := *n
			linked.Link = k
			all[i] = signals.New(h, coordination.Attention{Note: linked})
		} else if tr, ok := signals.As[coordination.Transition](s); ok {
			p := tr.Payload
			p.Link = k
			all[i] = signals.New(h, p)
		}
	}
	return all
}

func noted(id, thread string, at time.Time, change func(*coordination.Note)) signals.Any {
	n := note(coordination.AttentionRaise)
	n.Summary, n.ExpiresAtStep = id, 0
	if change != nil {
		change(&n)
	}
	return signals.New(
		signals.Header{ID: signals.MustID(id), Source: "a", Thread: thread, Time: at, TTL: -1, Confidence: 0.5},
		coordination.Attention{Note: n},
	)
}

func ends(state coordination.State, ids ...string) signals.Any {
	var list []signals.ID
	for _, id := range ids {
		list = append(list, signals.MustID(id))
	}
	return signals.New(
		signals.Header{Source: bus.System, Thread: "t", TTL: -1, Confidence: 1},
		coordination.Transition{State: state, Signals: list},
	)
}

func replayed(t *testing.T, all []signals.Any) *connectivity.Layer {
	t.Helper()
	l, err := connectivity.Rebuild(fed(t, all), nil, slices.Values(all))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Rebuilding from a log that no layer would write is safe: terminal states stay, threads
// stay separate, and unknown entries are skipped.
func TestRebuildFromAnOddLog(t *testing.T) {
	at := time.Unix(100, 0)
	replaces := func(n *coordination.Note) { n.Replaces = signals.MustID("x") }
	l := replayed(t, log(
		noted("x", "t", at, nil),
		noted("elsewhere", "u", at, replaces),
		ends(coordination.Superseded, "x"),
		ends(coordination.Expired, "unknown", "elsewhere"),
		noted("y", "t", at, nil),
		ends(coordination.Resolved, "y"),
		ends(coordination.Expired, "y"),
		ends(coordination.Active, "y"),
	))
	for id, want := range map[string]coordination.State{
		"x": coordination.Emitted, "elsewhere": coordination.Emitted, "y": coordination.Resolved,
	} {
		if s, _ := l.Get(signals.MustID(id)); s.State != want || s.Summary != id {
			t.Errorf("%s is %s: %s", id, s.State, s.Summary)
		}
	}
}

// Times may go back in a log of several writers; Since compares times.
func TestSinceWithTimesThatGoBack(t *testing.T) {
	second := func(n int) time.Time { return time.Unix(int64(n), 0) }
	l := replayed(t, log(
		noted("3", "t", second(3), nil), noted("1", "t", second(1), nil), noted("2", "t", second(2), nil),
	))
	for since, want := range [][]string{{"2", "1", "3"}, {"2", "3"}, {"3"}, nil} {
		q := coordination.Query{Since: second(since)}
		equal(t, fmt.Sprint("since ", since), summaries(found(t, l, "t", q)), want...)
		q.Order = coordination.Oldest
		slices.Reverse(want)
		equal(t, fmt.Sprint("oldest since ", since), summaries(found(t, l, "t", q)), want...)
	}
}

func TestRebuiltLayerFollowsItsBus(t *testing.T) {
	w := busy(t, nil)
	all := slices.Collect(w.bus.History(bus.Filter{}))
	for half := range all {
		b := fed(t, all[:half])
		reading := func(yield func(signals.Any) bool) { // during which the bus is fed with the rest
			for i, s := range all[:half] {
				if i == half/2 {
					is(t, b.Feed(ctx, all[half:]...), nil)
				}
				if !yield(s) {
					return
				}
			}
			if half == 0 {
				is(t, b.Feed(ctx, all...), nil)
			}
		}
		l, err := connectivity.Rebuild(b, nil, reading)
		is(t, err, nil)
		same(t, l, w.Layer, "t", "u", "gone")

		b = fed(t, all[:half])
		l, err = connectivity.Rebuild(b, nil, b.History(bus.Filter{}))
		is(t, err, nil)
		is(t, b.Feed(ctx, all[half:]...), nil)
		same(t, l, w.Layer, "t", "u", "gone")
	}
}

func TestRebuildTakesWhatTheBusWasFedWithMeanwhileOnce(t *testing.T) {
	w := busy(t, nil)
	all := slices.Collect(w.bus.History(bus.Filter{}))
	b := fed(t, all[:3])
	l, err := connectivity.Rebuild(b, nil, func(yield func(signals.Any) bool) {
		is(t, b.Feed(ctx, all[3:]...), nil)
		for s := range b.History(bus.Filter{}) { // has them, too
			if !yield(s) {
				return
			}
		}
	})
	is(t, err, nil)
	same(t, l, w.Layer, "t", "u", "gone")
}

func TestLayerThatWasNotRebuiltFollowsNothing(t *testing.T) {
	w := busy(t, nil)
	all := slices.Collect(w.bus.History(bus.Filter{}))
	b := newBus(t, nil)
	l := made(connectivity.New(b, nil))
	is(t, b.Feed(ctx, all...), nil)
	same(t, l, made(connectivity.New(newBus(t, nil), nil)), "t", "u")
}

func TestRebuiltLayerFollowsNoLayerOfAnotherName(t *testing.T) {
	w := busy(t, nil)
	other := made(connectivity.New(w.bus, &connectivity.Options{Name: "other"}))
	_, err := other.Emit(ctx, says("of the other", by("z")))
	is(t, err, nil)
	b := newBus(t, nil)
	l := made(connectivity.Rebuild(b, nil, b.History(bus.Filter{})))
	is(t, b.Feed(ctx, slices.Collect(w.bus.History(bus.Filter{}))...), nil)
	same(t, l, w.Layer, "t", "u", "gone")
}
