package journal

import "time"

// A Summary is what [Verify] found.
type Summary struct {
	First, Last uint64       // records held; First is Last+1 where there are none
	Types       map[Type]int // how many records of each type
	Begin, End  time.Time    // the least and greatest time of records that have one
	Bytes       int64        // of the file
	Torn        int64        // of these, bytes behind the last whole record
	Chain       Chain        // of the last record
}

// Verify reads all of a journal and checks everything that can be checked. It
// returns what it found also with an error, up to where that is.
func Verify(path string) (*Summary, error) {
	v := &View{path}
	r, err := v.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.f.Close() }()
	s := &Summary{First: r.head.through + 1, Types: map[Type]int{}, Bytes: r.end}
	for {
		record, err := r.next()
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
