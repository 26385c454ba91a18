package store

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// fill appends entries that are alike, and lets go what does not fit.
func fill(l *Log, n int, due int64) {
	s := signals.New(signals.Header{}, signals.Discovery{Finding: "x"})
	for range n {
		l.Append(&Entry{Signal: s, Pages: l.PagesFor(s), KindText: s.Kind(), Seq: l.Last() + 1, Due: due, TTL: -1})
		l.Evict(0, l.Next(), nil)
	}
}

// expire sweeps the whole history.
func expire(l *Log, now int64) {
	for pos := l.Floor(); pos < l.Next(); {
		pos, _ = l.Expire(pos, now, l.Next(), nil)
	}
}

func TestAppendingWithoutReadersAllocatesNothing(t *testing.T) {
	l := New(1000, signals.SeededMint("m"))
	l.AddReader()
	fill(l, 10_000, forever)
	if l.Readers() != 1 {
		t.Errorf("%d readers, want 1", l.Readers())
	}
	l.RemoveReader()
	fill(l, 10_000, forever)
	if got := testing.AllocsPerRun(10, func() { fill(l, 6400, forever) }); got > 100 { // the directory's blocks
		t.Errorf("%v allocations for 6400 entries", got)
	}
}

func TestOneThatLivesForEverStaysForAsManyPositionsAsAreKept(t *testing.T) {
	const size = 100
	l := New(size, signals.SeededMint("m"))
	fill(l, 1, forever)
	for n := 1; n < 2*size+slack; n++ {
		fill(l, 1, 0)
		expire(l, 1)
	}
	if l.Floor() != 0 || l.Held() != 1 {
		t.Errorf("%d held from %d on, want the first one", l.Held(), l.Floor())
	}
	fill(l, 1, 0)
	if l.Floor() == 0 || l.Counts().Evicted != 1 {
		t.Errorf("the first of %d is still there, %+v", l.Next(), l.Counts())
	}
}

func TestHistoryGoesOnAfterAllHasExpired(t *testing.T) {
	for _, n := range []int{1, Slots - 1, Slots, Slots + 1, blockSlots, blockSlots + Slots} {
		l := New(2000, signals.SeededMint("m"))
		fill(l, n, 1)
		expire(l, 2)
		if l.Held() != 0 || l.Floor() != l.Next() || l.Counts().Expired != uint64(n) {
			t.Errorf("%d of %d left from %d on, %+v", l.Held(), n, l.Floor(), l.Counts())
		}
		fill(l, 1, 1)
		if l.Held() != 1 || l.Floor() != uint64(n) {
			t.Errorf("%d held from %d on, want the one after %d", l.Held(), l.Floor(), n)
		}
	}
}

func TestEntryIsNotDueAtTheLastInstantOfItsLife(t *testing.T) {
	l := New(10, signals.SeededMint("m"))
	fill(l, 3, 7)
	for now, want := range map[int64]bool{6: false, 7: false, 8: true} {
		if got := l.Due(now); got != want {
			t.Errorf("due at %d: %v, want %v", now, got, want)
		}
	}
	for _, now := range []int64{7, 8, 9} {
		_, due := l.Expire(0, now, 0, nil)
		if want := now == 8; due != want {
			t.Errorf("something was due at %d: %v, want %v", now, due, want)
		}
	}
}

func TestEvictedEntriesAreNotDueLater(t *testing.T) {
	l := New(blockSlots, signals.SeededMint("m"))
	fill(l, blockSlots, 7)
	fill(l, blockSlots, forever)
	if l.Due(8) {
		t.Errorf("due at 8, with %d held from %d on", l.Held(), l.Floor())
	}
}

// Segments that are reused must be gone from the block that they were in.
func TestExpireRemovesFromOneBlockOnly(t *testing.T) {
	l := New(blockSlots, signals.SeededMint("m"))
	fill(l, blockSlots-1, forever)
	fill(l, 1, 7)
	fill(l, blockSlots/2, 7) // in the segments that half of the first block leaves
	var lost []uint64
	note := func(s *Segment, i int, _ bool) { lost = append(lost, s.Seq[i]) }
	next, _ := l.Expire(l.Floor(), 8, l.Next(), note)
	if want := []uint64{blockSlots}; next != blockSlots || !slices.Equal(lost, want) {
		t.Errorf("lost %v up to position %d, want %v", lost, next, want)
	}
}

func TestEntriesThatTheCallerStillNeedsAreNotReused(t *testing.T) {
	for done := range uint64(2*Slots + 2) {
		l := New(1, signals.SeededMint("m"))
		at := l.End()
		for seq := range uint64(6 * Slots) {
			s := signals.New(signals.Header{}, signals.Discovery{Finding: "x"})
			l.Append(&Entry{Signal: s, Pages: l.PagesFor(s), KindText: s.Kind(), Seq: seq + 1, Due: forever})
			if at.Pos < done {
				at.Span(l.Next())
				at.Pos++
			}
			l.Evict(0, at.Pos, nil)
		}
		s, i, _ := at.Span(l.Next())
		if got := s.Head(i).Seq; s.Seq[i] != done+1 || got != done+1 {
			t.Errorf("after %d comes %d with signal %d", done, s.Seq[i], got)
		}
	}
}

func TestRepliesAreFoundBackToTheFirst(t *testing.T) {
	for _, base := range []uint64{0, 1 << 40} {
		l := after(base, 10_000)
		to := signals.MustID("outside")
		want := []uint64{1, 2, 3, 900, 2500}
		for seq := uint64(1); seq <= 3000; seq++ {
			h := signals.Header{}
			if slices.Contains(want, seq) {
				h.ReplyTo = to
			}
			s := signals.New(h, signals.Discovery{Finding: "x"})
			l.Append(&Entry{Signal: s, Pages: l.PagesFor(s), KindText: s.Kind(), Seq: seq, Due: forever, ReplyTo: h.ReplyTo})
		}
		if got := selected(l, Filter{ReplyTo: to}); !slices.Equal(got, want) {
			t.Errorf("after %d positions: got %v, want %v", base, got, want)
		}
		if got, want := selected(l, Filter{ReplyTo: to, After: 2}), want[2:]; !slices.Equal(got, want) {
			t.Errorf("after the second: got %v, want %v", got, want)
		}
	}
}

// selected returns the sequence numbers of what a filter selects.
func selected(l *Log, f Filter) (seqs []uint64) {
	s := l.Select(f, 0)
	s.Run(func(s signals.Any) bool {
		seqs = append(seqs, s.Head().Seq)
		return true
	})
	return seqs
}

func TestSinceIncludesTheInstant(t *testing.T) {
	l := New(5*Slots, signals.SeededMint("m"))
	for seq := uint64(1); seq <= 8*Slots; seq++ {
		s := signals.New(signals.Header{}, signals.Discovery{Finding: "x"})
		at := start.Add(time.Duration(seq))
		l.Append(&Entry{Signal: s, Pages: l.PagesFor(s), KindText: s.Kind(), Seq: seq, Due: forever, Time: at, At: at.UnixNano()})
		l.Evict(0, l.Next(), nil)
	}
	for since := uint64(1); since <= 8*Slots; since++ {
		got, first := selected(l, Filter{Since: start.Add(time.Duration(since))}), max(since, 3*Slots+1)
		if uint64(len(got)) != 8*Slots+1-first || got[0] != first {
			t.Errorf("since %d there are %d, want those from %d on", since, len(got), first)
		}
	}
	if got := selected(l, Filter{Since: time.Date(-9999, 1, 1, 0, 0, 0, 0, time.UTC)}); len(got) != 5*Slots {
		t.Errorf("of %d, %d are of our era", 5*Slots, len(got))
	}
	if got := selected(l, Filter{Since: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}); len(got) != 0 {
		t.Errorf("%d are of the year 9999", len(got))
	}
}

func TestNanosecondsAreClamped(t *testing.T) {
	for _, c := range []struct {
		t    time.Time
		want int64
	}{
		{time.Time{}, math.MinInt64},
		{time.Unix(0, math.MinInt64).Add(-1), math.MinInt64},
		{time.Unix(0, math.MinInt64), math.MinInt64},
		{time.Unix(0, math.MinInt64+1), math.MinInt64 + 1},
		{time.Unix(0, 5), 5},
		{time.Unix(0, math.MaxInt64-1), math.MaxInt64 - 1},
		{time.Unix(0, math.MaxInt64).Add(1), math.MaxInt64},
	} {
		if got := nanoseconds(c.t); got != c.want {
			t.Errorf("%v: got %d, want %d", c.t, got, c.want)
		}
	}
}

func TestFindFindsNothingInAnEmptyHistory(t *testing.T) {
	for _, n := range []int{0, 1, Slots, blockSlots} {
		mint := signals.SeededMint("m")
		l := New(2000, mint)
		fill(l, n, 1)
		expire(l, 2)
		for seq := range l.Last() + 3 {
			if _, _, ok := l.Find(mint.ID(seq, start)); ok {
				t.Errorf("after %d entries, %d is found", n, seq)
			}
		}
	}
}

func TestMintedRecognizesIDsDerivedFromTheirNumber(t *testing.T) {
	mint := signals.SeededMint("m")
	l := New(10, mint)
	for name, c := range map[string]struct {
		id       signals.ID
		is, ours bool
	}{
		"its own":       {mint.ID(7, start), true, true},
		"another's":     {mint.ID(8, start), false, true},
		"of elsewhere":  {signals.SeededMint("n").ID(7, start), false, false},
		"somebody made": {signals.MustID("own"), false, false},
	} {
		if is, ours := l.Minted(c.id, 7); is != c.is || ours != c.ours {
			t.Errorf("%s: got %v %v, want %v %v", name, is, ours, c.is, c.ours)
		}
	}
}

func TestTopicLeavesWithItsLastPin(t *testing.T) {
	ts := Topics{}
	first, second := ts.Pin("a"), ts.Pin("a")
	if ts.Unpin(first); first != second || ts["a"] != first {
		t.Errorf("%v with one pin of two", ts)
	}
	if ts.Unpin(second); len(ts) != 0 || second.Is("a") {
		t.Errorf("%v without pins", ts)
	}
}
