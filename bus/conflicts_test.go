package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

func openPairs(b *bus.Bus, thread string) (out []string) {
	for p := range b.Conflicts(thread) {
		out = append(out, p.A.ProposalID+"-"+p.B.ProposalID)
	}
	return out
}

func TestResolutionIsOrderInsensitiveAndInTheLog(t *testing.T) {
	b := newBus(t, nil)
	a, z, y := agent(t, b, "a"), agent(t, b, "z"), agent(t, b, "y")
	p := must(t, a, proposes("t", "p", "1"))
	q := must(t, z, proposes("t", "q", "2"))
	must(t, y, proposes("t", "r", "3"))
	equal(t, "open", openPairs(b, "t"), []string{"p-q", "p-r"})
	events := watch(t, b)
	if _, err := b.Resolve(context.Background(), "t", q.ID, p.ID, "settled"); err != nil {
		t.Fatal(err)
	}
	equal(t, "open", openPairs(b, "t"), []string{"p-r"})
	equal(t, "events", events(), []string{"published conflict:resolved", "ended p-q resolved=true"})
	kinds := []signals.Kind{conflict.KindResolved}
	if got := history(b, bus.Filter{Kinds: kinds}); len(got) != 1 {
		t.Errorf("%d resolutions in the log, want 1", len(got))
	}
}

func TestAPairAndItsResolutionSayWhenItWasDetected(t *testing.T) {
	b := newBus(t, nil)
	a, z := agent(t, b, "a"), agent(t, b, "z")
	first := must(t, a, proposes("t", "p", "1"))
	second := must(t, z, proposes("t", "q", "2"))
	var detected time.Time
	for s := range b.History(bus.Filter{Kinds: []signals.Kind{signals.KindConflict}}) {
		detected = s.Head().Time
	}
	for p := range b.Conflicts("t") {
		if !p.DetectedAt.Equal(detected) || detected.IsZero() {
			t.Errorf("the pair says %v, its signal %v", p.DetectedAt, detected)
		}
	}
	if _, err := b.Resolve(t.Context(), "t", second.ID, first.ID, "settled"); err != nil {
		t.Fatal(err)
	}
	for s := range b.History(bus.Filter{Kinds: []signals.Kind{conflict.KindResolved}}) {
		r, _ := signals.As[conflict.Resolution](s)
		if !r.Payload.DetectedAt.Equal(detected) || r.Payload.SignalA != second.ID || r.Payload.SignalB != first.ID {
			t.Errorf("%+v, want that it was detected at %v", r.Payload, detected)
		}
	}
}

func TestConflictsEndOnConsensusAndNotByEviction(t *testing.T) {
	b := newBus(t, &bus.Options{History: 4})
	a, z := agent(t, b, "a"), agent(t, b, "z")
	must(t, a, proposes("t", "p", "1"))
	must(t, z, proposes("t", "q", "2"))
	must(t, b.System(), signals.New(signals.Header{Thread: "t"}, signals.Consensus{ProposalID: "p", Decision: "1"}))
	equal(t, "after consensus", openPairs(b, "t"), nil)

	must(t, a, proposes("u", "p", "1"))
	must(t, z, proposes("u", "q", "2"))
	equal(t, "open", openPairs(b, "u"), []string{"p-q"})
	for range 500 {
		must(t, a, foundIn("elsewhere", "chatter")) // evicts both
	}
	equal(t, "after eviction", openPairs(b, "u"), []string{"p-q"})
	b.CloseThread("u")
	equal(t, "after the thread was closed", openPairs(b, "u"), nil)
	if s := b.Stats(); s.Conflicts != (conflict.Counts{Live: 2, Opened: 2}) {
		t.Errorf("stats %+v", s)
	}
}

func TestOpenConflictsOfAThreadAreCapped(t *testing.T) {
	b := newBus(t, &bus.Options{Conflicts: &conflict.Options{MaxOpen: 2}})
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		must(t, agent(t, b, id), proposes("t", id, id))
	}
	equal(t, "open", openPairs(b, "t"), []string{"a-b", "a-c"})
	if s := b.Stats(); s.Conflicts.HeldBack != 2 || s.Conflicts.Open != 2 || s.Published != 7 {
		t.Errorf("stats %+v", s)
	}
}

// A window too small for cause and conflict must leave nothing behind.
func TestConflictsInTheSmallestWindow(t *testing.T) {
	b := newBus(t, &bus.Options{History: 1})
	events := watch(t, b)
	a, z := agent(t, b, "a"), agent(t, b, "z")
	if _, err := z.PublishAll(context.Background(), proposes("t", "p", "1"), proposes("t", "q", "2")); err != nil {
		t.Fatal(err)
	}
	must(t, a, proposes("t", "r", "3"))
	must(t, a, found("x"))
	b.CloseThread("t")
	if n := b.Stats().Conflicts.Open; n != 0 {
		t.Errorf("%d conflicts are open in a closed thread", n)
	}
	opened := map[string]bool{}
	for _, e := range events() {
		if after, ok := cut(e, "opened "); ok {
			opened[after[2:3]] = true // a proposal opens one conflict, whoever its rival is by now
		}
		if after, ok := cut(e, "ended "); ok && !opened[after[2:3]] {
			t.Errorf("%q before it was opened: %v", e, events())
		}
	}
}

// settled ends its thread if it says so.
type settled struct {
	Over bool `json:"over"`
}

func (settled) Kind() signals.Kind { return "settled" }

func (p settled) ClosesThread() bool { return p.Over }

// TestTheSystemEndsAThreadWithASignal does so on a bus, and on one that is fed
// its log.
func TestTheSystemEndsAThreadWithASignal(t *testing.T) {
	b := newBus(t, nil)
	a, z := agent(t, b, "a"), agent(t, b, "z")
	end := func(p *bus.Publisher, over bool) {
		t.Helper()
		must(t, p, signals.New(signals.Header{Thread: "t"}, settled{over}))
	}
	fed := func() []string {
		t.Helper()
		other := newBus(t, nil)
		if err := other.Feed(t.Context(), slices.Collect(b.History(bus.Filter{}))...); err != nil {
			t.Fatal(err)
		}
		return openPairs(other, "t")
	}
	must(t, a, proposes("t", "p", "1"))
	must(t, z, proposes("t", "q", "2"))
	end(b.System(), false)
	end(a, true)
	if n := len(openPairs(b, "t")); n != 1 || len(fed()) != 1 {
		t.Fatalf("%d conflicts are open, %d on the bus that is fed", n, len(fed()))
	}
	must(t, a, proposes("u", "p", "1"))
	end(b.System(), true)
	if b.Stats().Conflicts.Open != 0 || len(fed()) != 0 {
		t.Errorf("open conflicts are %v, fed %v", openPairs(b, "t"), fed())
	}
	must(t, a, proposes("t", "q", "3")) // the id is free
	must(t, z, proposes("u", "r", "2"))
	if n := len(openPairs(b, "u")); n != 1 || len(openPairs(b, "t")) != 0 {
		t.Errorf("%d conflicts are open in the other thread", n)
	}
}

func TestConflictsCanBeOff(t *testing.T) {
	b := newBus(t, &bus.Options{Conflicts: &conflict.Options{Off: true}})
	must(t, agent(t, b, "a"), proposes("t", "p", "1"))
	must(t, agent(t, b, "z"), proposes("t", "q", "2"))
	if _, err := b.Resolve(t.Context(), "t", signals.MustID("x"), signals.MustID("y"), "none"); !errors.Is(err, conflict.ErrNotOpen) {
		t.Errorf("a resolution: got %v, want %v", err, conflict.ErrNotOpen)
	}
	if b.FindsConflicts() || !newBus(t, nil).FindsConflicts() {
		t.Error("a bus does not know whether it looks for conflicts")
	}
	if b.Last() != 2 || len(slices.Collect(b.Conflicts("t"))) != 0 {
		t.Errorf("%d signals, conflicts %v", b.Last(), openPairs(b, "t"))
	}
}

func cut(s, prefix string) (string, bool) {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return "", false
}

func TestProposalsAreBounded(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Conflicts: &conflict.Options{MaxLive: 2}, Clock: func() time.Time { return now }, Sweep: -1})
	a := agent(t, b, "a")
	must(t, a, proposes("t", "p", "1"))
	must(t, a, proposes("t", "q", "2"))
	if _, err := a.Publish(t.Context(), proposes("t", "r", "3")); !errors.Is(err, conflict.ErrProposals) {
		t.Errorf("got %v, want ErrProposals", err)
	}
	b.CloseThread("t")
	must(t, a, proposes("t", "r", "3"))
	must(t, a, proposes("u", "s", "4"))
	now = now.Add(2 * time.Minute) // both expire
	must(t, a, proposes("u", "t", "5"))
	if got := b.Stats().Conflicts.Live; got != 1 {
		t.Errorf("%d live proposals, want the new one", got)
	}
}

func TestTwoRivalsStayInConflictWhenTheOldestExpires(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1})
	short := proposes("t", "p", "1")
	short.TTL = time.Second
	must(t, agent(t, b, "a"), short)
	must(t, agent(t, b, "b"), proposes("t", "q", "2"))
	must(t, agent(t, b, "c"), proposes("t", "r", "3"))
	equal(t, "open", openPairs(b, "t"), []string{"p-q", "p-r"})
	now = now.Add(2 * time.Second)
	equal(t, "after the oldest expired", openPairs(b, "t"), []string{"q-r"})
}

func TestResolvingAPairWithoutAConflictIsAnError(t *testing.T) {
	b := newBus(t, nil)
	x := must(t, agent(t, b, "a"), proposes("t", "p", "1")).ID
	y := must(t, agent(t, b, "z"), proposes("t", "q", "2")).ID
	for _, of := range []struct {
		thread string
		x, y   signals.ID
	}{{"t", x, signals.MustID("unknown")}, {"u", x, y}} {
		if _, err := b.Resolve(t.Context(), of.thread, of.x, of.y, ""); !errors.Is(err, conflict.ErrNotOpen) {
			t.Errorf("%v: %v", of, err)
		}
	}
	last := b.Last()
	if _, err := b.Resolve(t.Context(), "t", y, x, ""); err != nil {
		t.Error(err)
	}
	if _, err := b.Resolve(t.Context(), "t", x, y, ""); !errors.Is(err, conflict.ErrNotOpen) || b.Last() != last+1 {
		t.Errorf("again: %v, and %d signals more", err, b.Last()-last)
	}
}

func TestProposalsOfOneCallCountOneByOne(t *testing.T) {
	b := newBus(t, &bus.Options{Conflicts: &conflict.Options{MaxLive: 2}})
	same := func() signals.Any { return proposes("t", "p", "1") }
	if _, err := agent(t, b, "a").PublishAll(t.Context(), same(), same(), same()); !errors.Is(err, conflict.ErrProposals) {
		t.Errorf("got %v, want ErrProposals", err)
	}
}

// The ids come again when their signals are no longer in the history, but the
// conflict's is.
func TestConflictHasItsIDAlone(t *testing.T) {
	b := newBus(t, &bus.Options{History: 8, TTL: -1})
	a, c := agent(t, b, "a"), agent(t, b, "c")
	named := func(id, proposal string) signals.Any {
		s := proposes("t", proposal, proposal)
		s.ID = signals.MustID(id)
		return s
	}
	must(t, a, named("A", "p"))
	if _, err := c.PublishAll(t.Context(), named("B", "q"), found("1"), found("2"), found("3"), found("4"), found("5")); err != nil {
		t.Fatal(err)
	}
	must(t, a, found("6"))
	must(t, a, found("7"))
	b.CloseThread("t")
	must(t, a, named("A", "p"))
	must(t, c, named("B", "q"))
	if err := newBus(t, nil).Feed(t.Context(), history(b, bus.Filter{})...); err != nil {
		t.Error(err)
	}
	if len(openPairs(b, "t")) != 1 {
		t.Error("the rivals are in conflict, said or not")
	}
}

func TestAConflictsIDIsForConflictsOnly(t *testing.T) {
	b := newBus(t, nil)
	p := must(t, agent(t, b, "a"), proposes("t", "p", "1"))
	s := found("x")
	s.ID = conflict.Pair{A: conflict.Proposal{Signal: p.ID}, B: conflict.Proposal{Signal: signals.MustID("Q")}}.ID()
	if _, err := b.System().Publish(t.Context(), s); !errors.Is(err, signals.ErrInvalid) {
		t.Error(err)
	}
}

func TestConsensusEndsConflictsForTheRestOfTheCall(t *testing.T) {
	b := newBus(t, nil)
	x := must(t, agent(t, b, "a"), proposes("t", "p", "1"))
	y := must(t, agent(t, b, "c"), proposes("t", "q", "2"))
	h := signals.Header{Thread: "t", Confidence: 1}
	resolution := signals.New(h, conflict.Resolution{SignalA: x.ID, SignalB: y.ID, Reason: "r"})
	if _, err := b.System().PublishAll(t.Context(), signals.New(h, signals.Consensus{ProposalID: "p", Decision: "1"}), resolution); !errors.Is(err, conflict.ErrNotOpen) {
		t.Error(err)
	}
	if _, err := b.System().PublishAll(t.Context(), resolution, signals.New(h, signals.Consensus{ProposalID: "p", Decision: "1"})); err != nil {
		t.Error(err)
	}
}

func TestConflictsOfTheLoserEndForTheRestOfTheCall(t *testing.T) {
	b := newBus(t, nil)
	var ids []signals.ID
	for i, source := range []string{"a", "b", "c", "d"} {
		ids = append(ids, must(t, agent(t, b, source), proposes("t", fmt.Sprint("p", i), fmt.Sprint(i))).ID)
	}
	equal(t, "open", openPairs(b, "t"), []string{"p0-p1", "p0-p2", "p0-p3"})
	resolution := func(x, y, winner int) signals.Any {
		return signals.New(signals.Header{Thread: "t", Confidence: 1}, conflict.Resolution{SignalA: ids[x], SignalB: ids[y], Winner: ids[winner]})
	}
	last := b.Last()
	for name, second := range map[string]signals.Any{"the loser's": resolution(0, 2, 2), "that of those that it leaves": resolution(1, 2, 2)} {
		if _, err := b.System().PublishAll(t.Context(), resolution(0, 1, 1), second); !errors.Is(err, conflict.ErrNotOpen) || b.Last() != last {
			t.Errorf("%s: got %v and %d signals more, want %v and none", name, err, b.Last()-last, conflict.ErrNotOpen)
		}
	}
	if _, err := b.System().PublishAll(t.Context(), resolution(0, 2, 0), resolution(0, 1, 1)); err != nil {
		t.Error(err)
	}
	equal(t, "after the call", openPairs(b, "t"), []string{"p1-p3"})
}
