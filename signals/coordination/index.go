package coordination

import "github.com/swarmbus/swarmbus/signals"

// An index finds the records of a layer, or of a single thread, by their ids. Go's maps
// never shrink: one that has lost three quarters of its largest size is made anew, which
// costs less than the deletions before it.
type index struct {
	records map[signals.ID]*Record
	most    int
}

func newIndex() *index { return &index{records: map[signals.ID]*Record{}} }

// get returns the record with that id, or nil.
func (x *index) get(id signals.ID) *Record { return x.records[id] }

func (x *index) set(r *Record) {
	x.records[r.ID] = r
	x.most = max(x.most, len(x.records))
}

func (x *index) delete(id signals.ID) {
	delete(x.records, id)
	if x.most <= 1024 || len(x.records) > x.most/4 {
		return
	}
	old := x.records
	x.records, x.most = make(map[signals.ID]*Record, len(old)), len(old)
	for id, r := range old {
		x.records[id] = r
	}
}
