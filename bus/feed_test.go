package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	fed := map[bool]int{}
	defer second.Observe(func(e bus.Event) {
		if p, ok := e.(bus.Published); ok {
			fed[p.Fed]++
		}
	})()
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
	if fed[true] != len(log) || fed[false] != 1 {
		t.Errorf("observers saw %d fed and %d published, want %d and 1", fed[true], fed[false], len(log))
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
	behind := at(1<<41-1, "d") // what is fed with it
	if err := b.Feed(ctx, at(1<<41, "e"), behind); err == nil {
		t.Error("a lower number behind a greater one: fed")
	}
	for name, s := range map[string]signals.Any{"back": back, "same id": same, "no id": noID, "no source": noSource, "no time": noTime, "nil": nil, "no room for more": at(1<<63, "d")} {
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
	if k := balanced(t, b).Account; len(got) != 0 || k.DeadExpired != 1 || b.Last() != 1 {
		t.Errorf("read %v, last %d, account %+v", got, b.Last(), k)
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
		time.Sleep(limit.Retry / 2)
		if _, err := a.Publish(context.Background(), found("x")); !errors.As(err, &limit) || limit.Retry != 50*time.Millisecond {
			t.Errorf("got %v, want a LimitError with 50ms", err)
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
		if limit.Retry != 0 {
			t.Errorf("more than the burst: retry after %v, want never", limit.Retry)
		}
		burst := []signals.Any{found("1"), found("2"), found("3")}
		if _, err := a.PublishAll(context.Background(), burst...); err != nil {
			t.Error(err)
		}
		if _, err := a.PublishAll(context.Background(), burst...); !errors.As(err, &limit) || limit.Retry != 300*time.Millisecond {
			t.Errorf("the burst again: got %v, want a LimitError with 300ms", err)
		}
	})
}

func TestARateBelowOneASecondAllowsASignal(t *testing.T) {
	b := newBus(t, &bus.Options{Rate: 0.001})
	a := agent(t, b, "a")
	must(t, a, found("x"))
	var limit *bus.LimitError
	if _, err := a.Publish(t.Context(), found("y")); !errors.As(err, &limit) {
		t.Errorf("got %v, want a LimitError", err)
	}
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

func TestFedSignalsCountTheirBytes(t *testing.T) {
	b := newBus(t, &bus.Options{Bytes: 100, History: 2})
	text := strings.Repeat("x", 60)
	fed := signals.New(signals.Header{Seq: 1, ID: signals.MustID("f"), Source: "a", Time: time.Now()}, signals.Discovery{Finding: text})
	if err := b.Feed(t.Context(), fed); err != nil {
		t.Fatal(err)
	}
	a := agent(t, b, "a")
	var full *bus.LimitError
	if _, err := a.Publish(t.Context(), found(text)); !errors.As(err, &full) {
		t.Errorf("more than 100 bytes: %v", err)
	}
	for range 2 {
		must(t, b.System(), found("x")) // evict it
	}
	must(t, a, found(text))
	if _, err := a.Publish(t.Context(), found(text)); !errors.As(err, &full) {
		t.Errorf("more than 100 bytes, after what was fed left: %v", err)
	}
}

func TestAfterBeyondTheEndSeesNothingTwice(t *testing.T) {
	b := newBus(t, nil)
	fed := func(seq uint64) {
		t.Helper()
		if err := b.Feed(t.Context(), signals.New(
			signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("f", seq)), Source: "a", Time: time.Now()}, signals.Discovery{Finding: "x"})); err != nil {
			t.Fatal(err)
		}
	}
	fed(1)
	sub := subscribe(t, b, bus.SubscribeOptions{After: 4})
	for seq := uint64(2); seq <= 6; seq++ {
		fed(seq)
	}
	got, _ := unread(sub)
	equal(t, "read", seqs(got), []uint64{5, 6})
}

// A fed log may repeat an id that the history has forgotten.
func TestProposalThatIsFedAgainLivesAsLongAsTheLast(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, History: 1})
	for n, ttl := range []time.Duration{time.Minute, time.Hour} {
		seq := uint64(1 + 2*n)
		for i, s := range []signals.Any{proposes("t", "p", "content"), found("evicts it")} {
			h := s.Head()
			h.Seq, h.ID, h.Source, h.Time, h.TTL = seq+uint64(i), signals.MustID(fmt.Sprint("f", uint64(i)*seq)), "a", now, ttl
			if err := b.Feed(t.Context(), signals.With(s, h)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		after time.Duration
		live  int
	}{{2 * time.Minute, 1}, {2 * time.Hour, 0}} {
		now = now.Add(step.after)
		b.Sweep()
		if live := b.Stats().Conflicts.Live; live != step.live {
			t.Errorf("%d live after %v, want %d", live, step.after, step.live)
		}
	}
}

// Fed signals were accepted elsewhere: feeding them at once, one by one or an hour
// later makes no difference.
func TestFeedingDoesNotDependOnBatchesOrTheClock(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := at
	fill := func(feed func(*bus.Bus, []signals.Any)) (*bus.Bus, []signals.Any) {
		now = at
		live := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, Mint: signals.SeededMint("m")})
		short := proposes("t", "p", "1")
		short.TTL = time.Second
		must(t, agent(t, live, "a"), short)
		now = now.Add(time.Minute)
		must(t, agent(t, live, "z"), proposes("t", "p", "mine now"))
		x := must(t, agent(t, live, "b"), proposes("t", "q", "2")).ID
		y := must(t, agent(t, live, "c"), proposes("t", "r", "3")).ID
		for pair := range live.Conflicts("t") {
			if _, err := live.Resolve(t.Context(), "t", pair.A.Signal, pair.B.Signal, ""); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = x, y
		log := history(live, bus.Filter{})
		rebuilt := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, Mint: signals.SeededMint("m")})
		feed(rebuilt, log)
		return rebuilt, log
	}
	atOnce := func(b *bus.Bus, log []signals.Any) {
		if err := b.Feed(t.Context(), log...); err != nil {
			t.Error(err)
		}
	}
	for name, feed := range map[string]func(*bus.Bus, []signals.Any){
		"at once": atOnce,
		"one by one": func(b *bus.Bus, log []signals.Any) {
			for _, s := range log {
				atOnce(b, []signals.Any{s})
			}
		},
		"later": func(b *bus.Bus, log []signals.Any) {
			now = now.Add(time.Hour)
			atOnce(b, log)
			now = now.Add(-time.Hour)
		},
	} {
		b, log := fill(feed)
		if got := b.Stats(); got.Published != uint64(len(log)) || got.Conflicts.Opened != 3-1 || got.Conflicts.Open != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFedExpiredSignalsReachNoHandler(t *testing.T) {
	b := newBus(t, nil)
	handle(t, b, bus.HandleOptions{}, func(context.Context, discovery) error { t.Error("handled"); return nil })
	s := mortal("old", time.Now().Add(-time.Hour), time.Second)
	s.Seq, s.ID, s.Source = 1, signals.MustID("old"), "a"
	if err := b.Feed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if k := balanced(t, b).Account; k.DeadExpired != 1 {
		t.Errorf("%+v", k)
	}
}

// The origin closed the thread in between, which is in no log.
func TestFollowerKnowsNoRivalsThatAreOver(t *testing.T) {
	origin, follower := newBus(t, &bus.Options{History: 3, TTL: -1}), newBus(t, &bus.Options{History: 3, TTL: -1})
	a, c := agent(t, origin, "a"), agent(t, origin, "c")
	log := subscribe(t, origin, bus.SubscribeOptions{Agent: bus.System})
	again := func(proposal, content string) signals.Any {
		s := proposes("t", proposal, content)
		s.ID = signals.MustID("A")
		return s
	}
	must(t, a, again("p", "1"))
	for range 4 {
		must(t, a, found("x"))
	}
	origin.CloseThread("t")
	must(t, a, again("q", "2"))
	must(t, c, proposes("t", "r", "3"))
	all, _ := unread(log)
	for _, s := range all {
		if err := follower.Feed(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "rivals", slices.Collect(follower.Conflicts("t")), slices.Collect(origin.Conflicts("t")))
}

// The first proposal had expired when the second one was made, and by the clock both have.
func TestFedProposalsExpireByTheTimesOfTheLog(t *testing.T) {
	for ttl, opened := range map[time.Duration]uint64{time.Minute: 0, 20 * time.Minute: 1} {
		b := newBus(t, nil)
		var log []signals.Any
		for i, source := range []string{"a", "z"} {
			s := proposes("t", source, source)
			s.Seq, s.ID, s.Source, s.Time, s.TTL = uint64(i+1), signals.MustID(source), source, time.Now().Add(time.Duration(i-10)*10*time.Minute), ttl
			log = append(log, s)
		}
		if err := b.Feed(t.Context(), log...); err != nil {
			t.Fatal(err)
		}
		if got := b.Stats().Conflicts.Opened; got != opened {
			t.Errorf("%d conflicts within a TTL of %v, want %d", got, ttl, opened)
		}
	}
}
