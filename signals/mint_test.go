package signals_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
)

const wrap = 1 << 24

var noon = time.Unix(1763642400, 0)

// A run of ids with rising sequence numbers, across wraps of the counter, with
// a clock that stands still, jumps and goes backwards.
func TestMintedIDsNeverRepeatAndSortAndLeadBack(t *testing.T) {
	step := rapid.OneOf(rapid.Just(uint64(1)), rapid.Uint64Range(1, 9), rapid.Uint64Range(wrap-2, wrap+2))
	tickOf := rapid.OneOf(rapid.Just(0), rapid.IntRange(-3, 3), rapid.IntRange(-1000, 1000))
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom([]*signals.Mint{signals.NewMint(), signals.SeededMint("a")}).Draw(t, "mint")
		seq := rapid.OneOf(rapid.Uint64Range(0, 5), rapid.Uint64Range(wrap-5, wrap+5), rapid.Uint64Range(1<<40, 1<<50)).Draw(t, "before")
		at := noon
		seen := map[signals.ID]uint64{}
		last := ""
		for range rapid.IntRange(1, 60).Draw(t, "ids") {
			seq += step.Draw(t, "step")
			at = at.Add(time.Duration(tickOf.Draw(t, "tick")) * 300 * time.Millisecond)
			id := m.ID(seq, at)
			if other, ok := seen[id]; ok {
				t.Fatalf("%v is %d and %d", id, other, seq)
			}
			seen[id] = seq
			if text := id.String(); text <= last {
				t.Fatalf("%d is %s, after %s", seq, text, last)
			}
			last = id.String()
			if id.Time().Unix() < at.Unix() {
				t.Fatalf("%d is of %v, before %v", seq, id.Time(), at)
			}
			if read := signals.MustID(id.String()); read != id {
				t.Fatalf("%v reads as %v", id, read)
			}
		}
		for id, want := range seen {
			got, ok := m.Seq(id, seq)
			// Beyond 2^24 only the counter is known, and the caller asks again.
			for ok && got > want {
				got, ok = m.Seq(id, got-1)
			}
			if !ok || got != want {
				t.Fatalf("%v leads to %d, %v, want %d", id, got, ok, want)
			}
			if got, ok := m.Seq(id, want+wrap-1); !ok || got != want {
				t.Fatalf("%v of %d leads to %d, %v", id, want, got, ok)
			}
			if got, ok := m.Seq(id, want-1); ok && (got >= want || (want-got)%wrap != 0) {
				t.Fatalf("%v of %d leads to %d", id, want, got)
			}
		}
	})
}

func TestTheCounterWrapsIntoTheNextSecond(t *testing.T) {
	m := signals.SeededMint("wrap")
	before, after, next := m.ID(wrap-1, noon), m.ID(wrap, noon), m.ID(wrap+1, noon)
	if !before.Time().Equal(noon) || !after.Time().Equal(noon.Add(time.Second)) || next.Time() != after.Time() {
		t.Errorf("%v, %v, %v", before.Time(), after.Time(), next.Time())
	}
	if before.String() >= after.String() || after.String() >= next.String() {
		t.Errorf("%v, %v, %v do not sort", before, after, next)
	}
}

func TestTimesOutsideXIDCountAsTheNearest(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{time.Time{}, 0},
		{time.Unix(-1, 0), 0},
		{time.Unix(1<<32, 0), 1<<32 - 1},
		{time.Unix(math.MaxInt64/2, 0), 1<<32 - 1},
	} {
		m := signals.NewMint()
		if got := m.ID(1, c.at).Time().Unix(); got != c.want {
			t.Errorf("%v: got second %d, want %d", c.at, got, c.want)
		}
		if a, b := m.ID(2, c.at), m.ID(3, noon); a.String() >= b.String() {
			t.Errorf("%v then %v", a, b)
		}
	}
	// At the end of time nothing is left to borrow, but order is kept.
	m := signals.NewMint()
	end := time.Unix(1<<32-1, 0)
	for _, seq := range []uint64{wrap + 2, 2*wrap + 3} {
		if a, b := m.ID(seq-wrap-1, end), m.ID(seq, noon); a.String() >= b.String() {
			t.Errorf("%v then %v", a, b)
		}
	}
}

func TestAMintKnowsItsOwnIDsOnly(t *testing.T) {
	m := signals.SeededMint("a")
	for _, id := range []signals.ID{{}, target, signals.SeededMint("b").ID(5, noon), signals.MustID(canonical)} {
		if seq, ok := m.Seq(id, 100); ok || seq != 0 {
			t.Errorf("%v leads to %d", id, seq)
		}
	}
	id := m.ID(5, noon)
	for last, want := range map[uint64]uint64{4: 0, 5: 5, 6: 5, wrap + 4: 5, wrap + 5: wrap + 5, math.MaxUint64: math.MaxUint64 - wrap + 6} {
		if seq, ok := m.Seq(id, last); seq != want || ok != (want > 0) {
			t.Errorf("up to %d: %d, %v, want %d", last, seq, ok, want)
		}
	}
	if seq, ok := m.Seq(m.ID(wrap, noon), wrap-1); ok {
		t.Errorf("there is no signal %d", seq)
	}
	// An id that was written as text reads back as the mint's own.
	if seq, ok := m.Seq(signals.MustID(id.String()), 100); !ok || seq != 5 {
		t.Errorf("%v leads to %d, %v", id, seq, ok)
	}
}

func TestSeededMintsRepeatAndDifferBySeed(t *testing.T) {
	seen := map[signals.ID][]string{}
	for _, seed := range [][]string{nil, {""}, {"", ""}, {"a"}, {"b"}, {"a", "bc"}, {"ab", "c"}, {"abc"}, {"a", "b", "c"}, {strings.Repeat("a", 300)}} {
		id := signals.SeededMint(seed...).ID(9, noon)
		if again := signals.SeededMint(seed...).ID(9, noon); again != id {
			t.Errorf("%q makes %v and %v", seed, id, again)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q make %v", seed, other, id)
		}
		seen[id] = seed
	}
	// Runs that were recorded must replay: this text never changes.
	if got, want := signals.SeededMint("solve", "7").ID(1, noon).String(), "sig_d4fgo868e8j6e2o0000g"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if a, b := signals.NewMint().ID(1, noon), signals.NewMint().ID(1, noon); a == b {
		t.Errorf("two mints make %v", a)
	}
}

func TestMintingAllocatesNothing(t *testing.T) {
	m := signals.NewMint()
	seq := uint64(0)
	var id signals.ID
	if allocs := testing.AllocsPerRun(100, func() { seq++; id = m.ID(seq, noon) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	if allocs := testing.AllocsPerRun(100, func() {
		if got, ok := m.Seq(id, seq); !ok || got != seq {
			t.Fatal(got)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
