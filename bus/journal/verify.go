package journal

import (
	"context"
	"time"
)

// A Summary is the result of [Verify].
type Summary struct {
	First, Last uint64       // the records held; First is Last+1 if there are none
	Types       map[Type]int // number of records by type
	Begin, End  time.Time    // the earliest and latest time of records that have one
	Bytes       int64        // of the file
	Torn        int64        // of these, bytes after the last complete record
	Chain       Chain        // of the last record
}

// Verify reads a whole journal and checks everything that can be checked. With
// an error, such as the cause of ctx's end, it also returns what it found up to there.
func Verify(ctx context.Context, path string) (*Summary, error) {
	v := &View{path}
	r, err := v.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.f.Close() }()
	s := &Summary{First: r.head.through + 1, Types: map[Type]int{}, Bytes: r.end}
	for {
		record, err := r.next()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			s.Last, s.Chain = r.seq, r.last
			if !isEnd(err) {
				return s, err
			}
			s.Torn = r.end - r.pos
			return s, nil
		}
		s.Types[record.Type]++
		if t := record.Time; !t.IsZero() {
			if s.Begin.IsZero() || t.Before(s.Begin) {
				s.Begin = t
			}
			if t.After(s.End) {
				s.End = t
			}
		}
	}
}
