package journal

import (
	"iter"
	"time"
)

// A Retention bounds a journal. The zero value keeps everything.
type Retention struct {
	// Bytes is the maximum size of heads and bodies. Beyond it the oldest
	// records are dropped until half of it is left, so that drops, which copy
	// what they keep, are rare. 0: no bound.
	Bytes int64
	// Age is the maximum difference between the times of a record and of the
	// last one that has a time. A record that has none, or a later one than the
	// last, goes with the records after it. 0: no bound.
	Age time.Duration
	// Fold returns the state that represents all dropped records, given the
	// state for those dropped before and the records to drop. It must not
	// depend on anything else. Nil: no state.
	Fold func(state []byte, dropped iter.Seq2[Record, error]) ([]byte, error)
	// Cut returns the last record that may be dropped: through or an earlier one,
	// or 0 to drop none. held yields all records. It must not depend on anything
	// else. Nil: drop up to through.
	Cut func(held iter.Seq2[Record, error], through uint64) (uint64, error)
}

// Apply drops the records beyond the bounds and returns their number. It reads
// the whole journal. The newest record is always kept.
func (r Retention) Apply(s Store) (dropped int, err error) {
	snapshot, err := s.Snapshot()
	if err != nil {
		return 0, err
	}
	through, err := r.cut(s, snapshot.Through)
	if err == nil && r.Cut != nil {
		var earlier uint64
		earlier, err = r.Cut(s.Read(snapshot.Through), through)
		through = min(through, earlier)
	}
	if err != nil || through <= snapshot.Through {
		return 0, err
	}
	var state []byte
	if r.Fold != nil {
		if state, err = r.Fold(snapshot.State, upTo(s.Read(snapshot.Through), through)); err != nil {
			return 0, err
		}
	}
	return int(through - snapshot.Through), s.Drop(through, state)
}

// cut returns the last record to drop.
func (r Retention) cut(s Store, through uint64) (uint64, error) {
	type entry struct {
		size int64
		time time.Time
	}
	var held []entry
	var total int64
	var now time.Time
	for record, err := range s.Read(through) {
		if err != nil {
			return 0, err
		}
		e := entry{int64(len(record.Head) + len(record.Body)), record.Time}
		held, total = append(held, e), total+e.size
		if !e.time.IsZero() {
			now = e.time
		}
	}
	old := 0 // the records that are too old
	for n, e := range held {
		if r.Age == 0 || e.time.IsZero() || e.time.After(now) {
			continue
		}
		if now.Sub(e.time) <= r.Age {
			break
		}
		old = n + 1
	}
	full := r.Bytes > 0 && total > r.Bytes
	for n := range len(held) - 1 {
		if n >= old && (!full || total <= r.Bytes/2) {
			break
		}
		total -= held[n].size
		through++
	}
	return through, nil
}

// upTo ends an iteration after a record.
func upTo(all iter.Seq2[Record, error], last uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for record, err := range all {
			if err == nil && record.Seq > last || !yield(record, err) {
				return
			}
		}
	}
}
