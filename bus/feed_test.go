package bus_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func TestFeedRepeatsALogThatWasMadeElsewhere(t *testing.T) {
	ctx := context.Background()
	seed := func() *signals.Mint { return signals.SeededMint("feed") }
	first := newBus(t, &bus.Options{Mint: seed()})
	a, z := agent(t, first, "a"), agent(t, first, "z")
	must(t, a, found("x"))
	must(t, a, proposes("t", "p", "1"))
	must(t, z, proposes("t", "q", "2"))
	log := history(first, bus.Filter{})

	second := newBus(t, &bus.Options{Mint: seed()})
	sub := subscribe(t, second, bus.SubscribeOptions{})
	handled := 0
	handle(t, second, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Proposal]) error { handled++; return nil })
	if err := second.Feed(ctx, log...); err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(log, history(second, bus.Filter{}), sameSignal) {
		t.Errorf("got %v, want %v", texts(history(second, bus.Filter{})), texts(log))
	}
	equal(t, "conflicts", openPairs(second, "t"), []string{"p-q"})
	if got, _ := unread(sub); len(got) != 4 || handled != 2 {
		t.Errorf("%d read and %d handled, want 4 and 2", len(got), handled)
	}
	for _, s := range log {
		if got, ok := second.Get(s.Head().ID); !ok || !sameSignal(got, s) {
			t.Errorf("Get(%s) = %v, %v", s.Head().ID, got, ok)
		}
		if err := second.Feed(ctx, s); err == nil {
			t.Errorf("%s was fed twice", s.Head().ID)
		}
	}
	if r := must(t, agent(t, second, "a"), found("y")); r.Seq != 5 {
		t.Errorf("publishing went on with %d, want 5", r.Seq)
	}
}

func TestFeedAllowsGapsAndRefusesTheRest(t *testing.T) {
	b := newBus(t, nil)
	ctx := context.Background()
	at := func(seq uint64, id string) *discovery {
		s := found(id)
		s.Seq, s.ID, s.Source, s.Time = seq, signals.MustID(id), "far", time.Now()
		return s
	}
	for i, seq := range []uint64{7, 100, 1 << 40} {
		if err := b.Feed(ctx, at(seq, string(rune('a'+i)))); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "seqs", seqs(history(b, bus.Filter{})), []uint64{7, 100, 1 << 40})
	equal(t, "after", seqs(history(b, bus.Filter{After: 7})), []uint64{100, 1 << 40})
	equal(t, "after", seqs(history(b, bus.Filter{After: 99})), []uint64{100, 1 << 40})
	if s, ok := b.Get(signals.MustID("b")); !ok || text(s) != "b" {
		t.Errorf("Get(b) = %v, %v", s, ok)
	}
	same := at(1<<41, "a")
	back, noID, noSource, noTime := at(1<<40, "d"), at(1<<41, "d"), at(1<<41, "d"), at(1<<41, "d")
	noID.ID, noSource.Source, noTime.Time = signals.ID{}, "", time.Time{}
	for name, s := range map[string]signals.Any{"back": back, "same id": same, "no id": noID, "no source": noSource, "no time": noTime, "nil": nil} {
		if err := b.Feed(ctx, s); err == nil {
			t.Errorf("%s: fed", name)
		}
		if err := b.Feed(ctx, at(1<<41-1, "ok"), s); err == nil {
			t.Errorf("%s: fed", name)
		}
	}
	if b.Last() != 1<<40 {
		t.Errorf("last is %d: something was fed", b.Last())
	}
}

func TestFedExpiredSignalsAreInTheLogButNotDelivered(t *testing.T) {
	b := newBus(t, &bus.Options{Sweep: -1})
	sub := subscribe(t, b, bus.SubscribeOptions{})
	old := mortal("old", time.Now().Add(-time.Hour), time.Minute)
	old.Seq, old.ID, old.Source = 1, signals.MustID("old"), "far"
	if err := b.Feed(context.Background(), old); err != nil {
		t.Fatal(err)
	}
	got, _ := unread(sub)
	if k := balanced(t, b).Books; len(got) != 0 || k.DeadExpired != 1 || b.Last() != 1 {
		t.Errorf("read %v, last %d, books %+v", got, b.Last(), k)
	}
}

func TestRateOfASource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Rate: 10, Burst: 3, Sweep: -1})
		a, z := agent(t, b, "a"), agent(t, b, "z")
		again := agent(t, b, "a") // another handle, the same source
		for range 2 {
			must(t, a, found("x"))
		}
		must(t, again, found("x"))
		_, err := a.Publish(context.Background(), found("x"))
		var limit *bus.LimitError
		if !errors.As(err, &limit) || limit.Agent != "a" || limit.Retry != 100*time.Millisecond {
			t.Fatalf("got %v, want a LimitError with 100ms", err)
		}
		must(t, z, found("x"))
		for range 20 {
			must(t, b.System(), found("x"))
		}
		time.Sleep(limit.Retry)
		must(t, a, found("x"))
		if _, err := a.Publish(context.Background(), found("x")); !errors.As(err, &limit) {
			t.Errorf("got %v, want a LimitError", err)
		}
		time.Sleep(time.Hour)
		if _, err := a.PublishAll(context.Background(), found("1"), found("2"), found("3"), found("4")); !errors.As(err, &limit) {
			t.Errorf("more than the burst: got %v, want a LimitError", err)
		}
	})
}

func TestBytesOfASource(t *testing.T) {
	b := newBus(t, &bus.Options{Bytes: 10, History: 3})
	a, z := agent(t, b, "a"), agent(t, b, "z")
	must(t, a, found("12345"))
	must(t, a, found("12345"))
	var limit *bus.LimitError
	if _, err := a.Publish(context.Background(), found("1")); !errors.As(err, &limit) {
		t.Errorf("got %v, want a LimitError", err)
	}
	must(t, z, found("12345"))
	must(t, z, found("12345")) // evicts one of a's
	must(t, a, found("123"))
	if _, err := a.Publish(context.Background(), found("1234567890")); !errors.As(err, &limit) {
		t.Errorf("got %v, want a LimitError", err)
	}
}
