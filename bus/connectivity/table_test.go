package connectivity

import (
	"math/rand/v2"
	"testing"
)

// Records are added and freed in any order: each has a slot of its own and
// keeps it, and a freed slot is empty.
func TestRecordsKeepTheirPlaces(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	var records table
	var held []*record
	most := 0
	for i := range 100_000 {
		if grows := random.IntN(2000) > i%2000; grows || len(held) == 0 {
			r := records.add()
			if r.seq != 0 || r.links != [slots]neighbours{} {
				t.Fatalf("a new record at %d is not empty: %+v", r.self, *r)
			}
			r.seq = uint64(i) + 1
			held = append(held, r)
		} else {
			at := random.IntN(len(held))
			records.free(held[at])
			held[at] = held[len(held)-1]
			held = held[:len(held)-1]
		}
		most = max(most, len(held))
	}
	seen := map[ref]bool{}
	for _, r := range held {
		if r.seq == 0 || seen[r.self] || records.at(r.self) != r {
			t.Errorf("the record of %d at %d: the place has %p, want %p", r.seq, r.self, records.at(r.self), r)
		}
		seen[r.self] = true
	}
	// Each chunk that is not full was full once, or is the newest.
	if room := len(records.chunks) * chunkSize; room > most+chunkSize {
		t.Errorf("room for %d, and there were never more than %d", room, most)
	}
}

// A layer that once held many records gives the memory back.
func TestEmptyChunksAreGivenBack(t *testing.T) {
	var records table
	var held []*record
	for range 10 * chunkSize {
		held = append(held, records.add())
	}
	for _, r := range held {
		records.free(r)
	}
	kept := 0
	if records.spare != nil {
		kept++
	}
	for _, c := range records.chunks {
		if c.records != nil {
			kept++
		}
	}
	if kept > 1 {
		t.Errorf("%d chunks are kept for nothing", kept)
	}
	for range 10 * chunkSize {
		records.add()
	}
	if len(records.chunks) != 10 {
		t.Errorf("%d chunks for what had room in 10", len(records.chunks))
	}
}
