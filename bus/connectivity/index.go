package connectivity

import "github.com/swarmbus/swarmbus/signals"

// An index finds records by id. An id of the layer's own mint leads to a
// number, and that to a page; only other ids take a map, as in a layer that was
// rebuilt, and those whose number has come round in the meantime.
type index struct {
	records *table
	mint    *signals.Mint
	last    uint64 // the greatest number of an id
	pages   map[uint64]*page
	others  map[signals.ID]ref
}

const (
	pageBits = 7
	pageSize = 1 << pageBits
	around   = 1 << 24 >> pageBits // pages of all numbers that an id tells apart
)

type page struct {
	at [pageSize]ref
	n  int
}

func newIndex(records *table, m *signals.Mint) *index {
	return &index{records: records, mint: m, pages: map[uint64]*page{}, others: map[signals.ID]ref{}}
}

// number returns the number that an id leads to, and whether it says anything:
// the oldest page that it could mean has gone to the map already.
func (x *index) number(id signals.ID) (uint64, bool) {
	n, ok := x.mint.Seq(id, x.last)
	return n, ok && n>>pageBits+around > x.last>>pageBits
}

// find returns the record with that id, nil if there is none.
func (x *index) find(id signals.ID) *record {
	if n, ok := x.number(id); ok {
		if p := x.pages[n>>pageBits]; p != nil {
			if r := x.records.at(p.at[n%pageSize]); r != nil && r.id == id {
				return r
			}
		}
	}
	if len(x.others) == 0 {
		return nil
	}
	return x.records.at(x.others[id])
}

// add enters a record whose id is not there.
func (x *index) add(r *record) {
	n, ok := x.number(r.id)
	if !ok {
		x.others[r.id] = r.self
		return
	}
	p := x.pages[n>>pageBits]
	if p == nil {
		p = &page{}
		x.pages[n>>pageBits] = p
	}
	if p.at[n%pageSize] != 0 { // of an id with another second
		x.others[r.id] = r.self
		return
	}
	p.at[n%pageSize] = r.self
	p.n++
}

// remove takes out a record that is there.
func (x *index) remove(r *record) {
	n, ok := x.number(r.id)
	p := x.pages[n>>pageBits]
	if !ok || p == nil || p.at[n%pageSize] != r.self {
		delete(x.others, r.id)
		return
	}
	p.at[n%pageSize] = 0
	if p.n--; p.n == 0 {
		delete(x.pages, n>>pageBits)
	}
}

// raise says that there are ids up to that number. What is so old that its
// number says nothing any more moves to the map.
func (x *index) raise(last uint64) {
	for newest := x.last >> pageBits; newest < last>>pageBits; {
		newest++
		old := newest - around
		if p := x.pages[old]; p != nil {
			for _, at := range p.at {
				if r := x.records.at(at); r != nil {
					x.others[r.id] = at
				}
			}
			delete(x.pages, old)
		}
	}
	x.last = max(x.last, last)
}
