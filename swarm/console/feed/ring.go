package feed

// A ring is the newest frames of a log.
type ring struct {
	kept  []*message
	bytes int
	from  uint64 // everything after this position is kept
	last  uint64
}

func (r *ring) add(m *message, o Options) {
	r.kept, r.bytes, r.last = append(r.kept, m), r.bytes+len(m.text), m.seq
	for len(r.kept) > o.Keep || r.bytes > keepBytes && len(r.kept) > 1 {
		r.from, r.bytes = r.kept[0].seq, r.bytes-len(r.kept[0].text)
		r.kept[0] = nil
		r.kept = r.kept[1:]
	}
}

// after returns the frames after a position, and whether these are all that there were.
func (r *ring) after(seq uint64) ([]*message, bool) {
	if seq < r.from || seq > r.last {
		return nil, false
	}
	for i, m := range r.kept {
		if m.seq > seq {
			return r.kept[i:], true
		}
	}
	return nil, true
}
