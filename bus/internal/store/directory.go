package store

// blockSegments is how many segments a block of the directory holds.
const (
	blockSegments = 16
	blockSlots    = blockSegments * Slots
)

// A block is consecutive segments of the log.
type block struct {
	segments [blockSegments]*Segment
	firstDue int64 // least of its segments', or earlier
}

// directory leads from a position to its segment. It is copied when it changes
// other than by appending, so that a [Selection] keeps the one it began with.
type directory struct {
	blocks []*block
	base   uint64 // position of the first block's first entry

	firstDue int64 // least of the blocks', or earlier
}

func (d *directory) block(pos uint64) *block { return d.blocks[(pos-d.base)/blockSlots] }

func (d *directory) segment(pos uint64) *Segment {
	return d.block(pos).segments[pos/Slots%blockSegments]
}

func (d *directory) add(s *Segment) {
	if s.Start%blockSlots == 0 {
		d.blocks = append(d.blocks, &block{firstDue: Forever})
	}
	d.block(s.Start).segments[s.Start/Slots%blockSegments] = s
}

// drop forgets a segment that is used again.
func (d *directory) drop(s *Segment) {
	d.block(s.Start).segments[s.Start/Slots%blockSegments] = nil
}

// expect notes that something of the segment is due earlier than before.
func (d *directory) expect(s *Segment) {
	b := d.block(s.Start)
	b.firstDue = min(b.firstDue, s.firstDue)
	d.firstDue = min(d.firstDue, s.firstDue)
}

// due reports whether anything may have expired at now.
func (d *directory) due(now int64) bool {
	if d.firstDue < now {
		d.firstDue = Forever
		for _, b := range d.blocks {
			d.firstDue = min(d.firstDue, b.firstDue)
		}
	}
	return d.firstDue < now
}

// leave forgets what is before floor, a whole block at a time.
func (d *directory) leave(floor uint64) {
	if floor-d.base >= blockSlots {
		d.blocks = append(make([]*block, 0, len(d.blocks)), d.blocks[1:]...)
		d.base += blockSlots
	}
}
