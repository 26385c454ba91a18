package connectivity

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// An index finds what a map finds: ids of its own mint and of others, of a
// mint with the same seed, and those older than an id can tell.
func TestAnIndexIsAMap(t *testing.T) {
	const seed = 3
	random := rand.New(rand.NewPCG(seed, seed))
	mints := []*signals.Mint{signals.SeededMint("a"), signals.SeededMint("a"), signals.SeededMint("b")}
	numbers := make([]uint64, len(mints))
	var records table
	x := newIndex(&records, mints[0])
	model := map[signals.ID]*record{}
	var ids []signals.ID
	now := time.Unix(1e9, 0)
	for i := range 300_000 {
		now = now.Add(time.Millisecond)
		switch k := random.IntN(len(mints)); {
		case i%50_000 == 49_999: // a long time goes by: the numbers of the last ids come again, or not quite
			x.raise(x.last + 1<<24 - uint64(random.IntN(2)*random.IntN(1<<24)))
			for _, id := range ids {
				if got := x.find(id); got != model[id] {
					t.Fatalf("%s: found %p after %d more, want %p", id, got, x.last, model[id])
				}
			}
		case random.IntN(2) == 0:
			numbers[k]++
			if k == 0 {
				x.raise(x.last + 1)
				numbers[k] = x.last
			}
			id := mints[k].ID(numbers[k], now)
			if x.find(id) != model[id] {
				t.Fatalf("%s: found before it was added", id)
			}
			if model[id] == nil {
				r := records.add()
				r.id = id
				x.add(r)
				model[id], ids = r, append(ids, id)
			}
		case len(ids) > 0:
			at := max(random.IntN(len(ids)), random.IntN(len(ids)))
			if random.IntN(3) == 0 {
				at = 0
			}
			id := ids[at]
			r := model[id]
			if got := x.find(id); got != r {
				t.Fatalf("%s: found %p, want %p", id, got, r)
			}
			x.remove(r)
			records.free(r)
			delete(model, id)
			ids[at] = ids[len(ids)-1]
			ids = ids[:len(ids)-1]
			if x.find(id) != nil {
				t.Fatalf("%s: found after it was removed", id)
			}
		}
	}
	for _, id := range ids {
		if got := x.find(id); got != model[id] {
			t.Errorf("%s: found %p, want %p", id, got, model[id])
		}
		x.remove(model[id])
	}
	if len(x.pages)+len(x.others) > 0 {
		t.Errorf("%d pages and %d others are kept for nothing", len(x.pages), len(x.others))
	}
}

// Numbers follow each other: an id more is a page more only once in a while.
func TestNumbersOfIDsFollowEachOther(t *testing.T) {
	x := newIndex(&table{}, signals.NewMint())
	for n := range uint64(10 * pageSize) {
		if x.raise(n + 1); x.last != n+1 {
			t.Fatalf("at %d, want %d", x.last, n+1)
		}
	}
}
