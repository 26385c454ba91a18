package bus_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

func TestHistoryEvictsOldestFirstAndCounts(t *testing.T) {
	b := newBus(t, &bus.Options{History: 3})
	a := agent(t, b, "a")
	for i := range 7 {
		must(t, a, found(fmt.Sprint(i)))
	}
	equal(t, "history", texts(history(b, bus.Filter{})), []string{"4", "5", "6"})
	if s := b.Stats(); s.Held != 3 || s.Evicted != 4 || s.Published != 7 || s.Expired != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestDuplicateIDWithinTheHistoryIsRefused(t *testing.T) {
	b := newBus(t, &bus.Options{History: 2})
	a := agent(t, b, "a")
	named := func(id signals.ID) *discovery { s := found("again"); s.ID = id; return s }
	again := func(id signals.ID) error {
		_, err := a.Publish(context.Background(), named(id))
		return err
	}
	first, second := signals.MustID("first"), signals.MustID("second")
	must(t, a, named(first))
	must(t, a, named(second))
	for _, id := range []signals.ID{first, second} {
		if err := again(id); !errors.Is(err, bus.ErrDuplicate) {
			t.Errorf("%s again: %v, want ErrDuplicate", id, err)
		}
	}
	if _, err := a.PublishAll(context.Background(), named(signals.MustID("x")), named(signals.MustID("x"))); !errors.Is(err, bus.ErrDuplicate) {
		t.Errorf("twice in one call: %v, want ErrDuplicate", err)
	}
	must(t, a, found("y")) // evicts the first
	if err := again(first); err != nil {
		t.Errorf("after eviction: %v", err) // evicts the second
	}
	if err := again(first); !errors.Is(err, bus.ErrDuplicate) {
		t.Errorf("again after eviction: %v, want ErrDuplicate", err)
	}
	if err := again(second); err != nil {
		t.Errorf("after eviction: %v", err)
	}
	got, ok := b.Get(first)
	if !ok || text(got) != "again" {
		t.Errorf("Get(%s) = %v, %v", first, got, ok)
	}
	if _, ok := b.Get(signals.MustID("unknown")); ok {
		t.Error("Get found an unknown id")
	}
}

func TestSnapshotIsOfOneMomentAndStopsNoPublisher(t *testing.T) {
	b := newBus(t, &bus.Options{History: 100})
	a := agent(t, b, "a")
	for i := range 100 {
		must(t, a, found(fmt.Sprint(i)))
	}
	n := 0
	for s := range b.History(bus.Filter{}) {
		if got, want := text(s), fmt.Sprint(n); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		for range 3 { // evicts what is still to come
			must(t, a, found("new"))
		}
		n++
	}
	if n != 100 {
		t.Errorf("%d signals, want the 100 of the start", n)
	}
	for range b.History(bus.Filter{}) {
		break
	}
}

func TestReadersOfHistoryRaceWithPublishers(t *testing.T) {
	b := newBus(t, &bus.Options{History: 200})
	var wg sync.WaitGroup
	for p := range 2 {
		from := agent(t, b, fmt.Sprint(p))
		wg.Go(func() {
			for i := range 3000 {
				s := foundIn(fmt.Sprint("t", i%5), fmt.Sprint(p, ":", i))
				s.Confidence = float64(i%10) / 10
				must(t, from, s)
			}
		})
	}
	for r := range 2 {
		wg.Go(func() {
			for range 100 {
				f := bus.Filter{}
				if r == 1 {
					f = bus.Filter{Source: "1", MinConfidence: 0.5}
				}
				last := uint64(0)
				for s := range b.History(f) {
					h := s.Head()
					if h.Seq <= last || r == 1 && (h.Source != "1" || h.Confidence < 0.5) {
						t.Errorf("seq %d after %d, %+v", h.Seq, last, h)
						return
					}
					last = h.Seq
				}
			}
		})
	}
	wg.Wait()
}

// TestEveryFilterAgreesWithItsDefinition asks random filters of random logs
// and picks from the whole history by hand.
func TestEveryFilterAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		now := start
		b := made(bus.New(&bus.Options{
			History: rapid.SampledFrom([]int{5, 70, 300}).Draw(t, "history"), TTL: -1, Sweep: -1, Conflicts: &conflict.Options{Off: true},
			Clock: func() time.Time { now = now.Add(time.Second); return now },
		}))
		defer b.Close()
		var ids []signals.ID
		for range rapid.IntRange(0, 400).Draw(t, "n") {
			s := randomSignal(t, start, ids)
			p, _ := b.Agent(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "source"), bus.Permissions{})
			r, err := p.Publish(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, r.ID)
		}
		all := history(b, bus.Filter{})
		for range 10 {
			f := randomFilter(t, start, ids)
			var want []uint64
			for _, s := range all {
				if matches(f, s) {
					want = append(want, s.Head().Seq)
				}
			}
			if got := seqs(history(b, f)); !slices.Equal(got, want) {
				t.Fatalf("filter %+v:\ngot  %v\nwant %v", f, got, want)
			}
		}
	})
}

func randomSignal(t *rapid.T, start time.Time, ids []signals.ID) signals.Any {
	h := signals.Header{
		Thread:     rapid.SampledFrom([]string{"", "t", "u"}).Draw(t, "thread"),
		Confidence: rapid.SampledFrom([]float64{0, 0.003, 0.2, 0.5, 0.501, 0.99, 1}).Draw(t, "confidence"),
	}
	if len(ids) > 0 && rapid.Bool().Draw(t, "replies") {
		h.ReplyTo = rapid.SampledFrom(ids[max(0, len(ids)-5):]).Draw(t, "replyTo")
	}
	if rapid.IntRange(0, 3).Draw(t, "timed") == 0 { // times that do not follow the log
		h.Time = start.Add(time.Duration(rapid.IntRange(-340, 60).Draw(t, "time")) * time.Second)
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return signals.New(h, signals.Discovery{Finding: "x"})
	case 1:
		return signals.New(h, signals.Vote{ProposalID: "p", Stance: signals.Agree})
	default:
		return signals.New(h, signals.Memory{Content: "x", Category: "c"})
	}
}

func randomFilter(t *rapid.T, start time.Time, ids []signals.ID) (f bus.Filter) {
	kinds := []signals.Kind{signals.KindDiscovery, signals.KindVote, signals.KindMemory, signals.KindTask}
	if rapid.Bool().Draw(t, "by kind") {
		f.Kinds = rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 3).Draw(t, "kinds")
	}
	if rapid.IntRange(0, 2).Draw(t, "by thread") == 0 {
		f.Threads = rapid.SliceOfN(rapid.SampledFrom([]string{"", "t", "u", "none"}), 0, 2).Draw(t, "threads")
	}
	if rapid.IntRange(0, 2).Draw(t, "by source") == 0 {
		f.Source = rapid.SampledFrom([]string{"a", "b", "c", "none"}).Draw(t, "source")
	}
	at := func(name string) time.Time {
		return start.Add(time.Duration(rapid.IntRange(-5, 500).Draw(t, name)) * time.Second)
	}
	if rapid.IntRange(0, 2).Draw(t, "by since") == 0 {
		f.Since = at("since")
	}
	if rapid.IntRange(0, 2).Draw(t, "by until") == 0 {
		f.Until = at("until")
	}
	if len(ids) > 0 && rapid.IntRange(0, 3).Draw(t, "by reply") == 0 {
		f.ReplyTo = rapid.SampledFrom(ids).Draw(t, "replyTo")
	}
	if rapid.IntRange(0, 2).Draw(t, "by confidence") == 0 {
		f.MinConfidence = rapid.SampledFrom([]float64{0.002, 0.2, 0.5, 0.501, 0.98, 0.99, 1, 1.1}).Draw(t, "min")
	}
	if rapid.IntRange(0, 2).Draw(t, "by after") == 0 {
		f.After = uint64(rapid.IntRange(0, 450).Draw(t, "after"))
	}
	return f
}

// matches is the definition: every condition holds, bounds inclusive.
func matches(f bus.Filter, s signals.Any) bool {
	h := s.Head()
	switch {
	case f.Kinds != nil && !slices.Contains(f.Kinds, s.Kind()),
		f.Threads != nil && !slices.Contains(f.Threads, h.Thread),
		f.Source != "" && h.Source != f.Source,
		!f.Since.IsZero() && h.Time.Before(f.Since),
		!f.Until.IsZero() && h.Time.After(f.Until),
		!f.ReplyTo.IsZero() && h.ReplyTo != f.ReplyTo,
		h.Confidence < f.MinConfidence,
		h.Seq <= f.After:
		return false
	}
	return true
}

func TestRepliesAreFoundAfterLaterSignalsAreSwept(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Sweep: -1, Clock: func() time.Time { return now }})
	a := agent(t, b, "a")
	target := must(t, a, found("target")).ID
	for i, ttl := range []time.Duration{-1, time.Second, -1, time.Second, time.Second} {
		s := mortal(fmt.Sprint(i), time.Time{}, ttl)
		s.ReplyTo = target
		must(t, a, s)
	}
	now = now.Add(2 * time.Second)
	b.Sweep()
	replies := bus.Filter{ReplyTo: target}
	equal(t, "replies", texts(history(b, replies)), []string{"0", "2"})
	late := found("5")
	late.ReplyTo = target
	must(t, a, late)
	equal(t, "replies", texts(history(b, replies)), []string{"0", "2", "5"})
}

func TestSinceIsInclusiveAtEveryPlaceInTheLog(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := start
	b := newBus(t, &bus.Options{History: 300, TTL: -1, Sweep: -1, Clock: func() time.Time { return now }})
	a := agent(t, b, "a")
	const n = 260
	for i := range n {
		now = start.Add(time.Duration(i) * time.Second)
		must(t, a, found("x"))
	}
	for i := range n {
		at := start.Add(time.Duration(i) * time.Second)
		if got := len(history(b, bus.Filter{Since: at})); got != n-i {
			t.Errorf("since the %dth: %d signals, want %d", i, got, n-i)
		}
		if got := len(history(b, bus.Filter{Until: at})); got != i+1 {
			t.Errorf("until the %dth: %d signals, want %d", i, got, i+1)
		}
	}
}

func TestThreadThatIsEvictedWithinABatchStillCounts(t *testing.T) {
	b := newBus(t, &bus.Options{History: 2})
	a := agent(t, b, "a")
	must(t, a, foundIn("t", "old"))
	var all []signals.Any
	for range 100 { // enough to give up the chunk of the old one, and its thread
		all = append(all, foundIn("u", "x"))
	}
	all = append(all, foundIn("t", "new"))
	if _, err := a.PublishAll(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	if got := texts(history(b, bus.Filter{Threads: []string{"t"}})); !slices.Equal(got, []string{"new"}) {
		t.Errorf("thread t has %v", got)
	}
}

func TestNoConfidenceIsAtLeastNaN(t *testing.T) {
	b := newBus(t, nil)
	must(t, b.System(), found("x"))
	if got := history(b, bus.Filter{MinConfidence: math.NaN()}); len(got) > 0 {
		t.Errorf("got %v", texts(got))
	}
}
