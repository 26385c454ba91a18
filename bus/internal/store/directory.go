package store

// blockSegments is the number of segments in a block of the directory.
const (
	blockSegments = 16
	blockSlots    = blockSegments * Slots
)

// A block is a run of consecutive segments of the log.
type block struct {
	segments [blockSegments]*Segment
	firstDue int64 // earliest of its segments', or earlier
}

// directory maps positions to segments. It is copied on every change except
// appending, so that a [Selection] keeps the one it started with.
type directory struct {
	blocks []*block
	base   uint64 // position of the first block's first entry

	firstDue int64 // earliest of the blocks', or earlier
}

func (d *directory) block(pos uint64) *block { return d.blocks[(pos-d.base)/blockSlots] }

func (d *directory) segment(pos uint64) *Segment {
	return d.block(pos).segments[pos/Slots%blockSegments]
}

func (d *directory) add(s *Segment) {
	if s.Start%blockSlots == 0 {
		d.blocks = append(d.blocks, &block{firstDue: forever})
	}
	d.block(s.Start).segments[s.Start/Slots%blockSegments] = s
}

// expect records that an entry of the segment is due earlier than all others.
func (d *directory) expect(s *Segment) {
	b := d.block(s.Start)
	b.firstDue = min(b.firstDue, s.firstDue)
	d.firstDue = min(d.firstDue, s.firstDue)
}

// due reports whether anything may have expired at now.
func (d *directory) due(now int64) bool {
	if d.firstDue < now {
		d.firstDue = forever
		for _, b := range d.blocks {
			d.firstDue = min(d.firstDue, b.firstDue)
		}
	}
	return d.firstDue < now
}

// leave removes what is before floor, a whole block at a time.
func (d *directory) leave(floor uint64) {
	if floor-d.base >= blockSlots {
		d.blocks = append(make([]*block, 0, len(d.blocks)), d.blocks[1:]...)
		d.base += blockSlots
	}
}
