package bus

import "sort"

// log is the sequence of entries by position, which counts from 0 without
// gaps whatever the sequence numbers do. The directory of blocks is copied
// when it changes other than by appending, so that a reader keeps the one it
// began with.
type log struct {
	blocks []*block
	base   uint64 // position of the first block's first entry
	floor  uint64 // position of the oldest entry in the history
	next   uint64 // position of the next entry
	first  *chunk // holds the floor; nil: it is the next entry, which has no chunk yet
	tail   *chunk // holds position next-1
	held   int    // entries in the history

	free      *chunk // to use again
	freeBlock *block
}

// A block is 64 chunks.
type block struct {
	chunks   [slots]*chunk
	bytes    [slots]bytes
	firstDue int64 // least of its chunks', or earlier
}

const (
	slotBits  = 6
	blockBits = 2 * slotBits
)

// here returns the chunk that the next entry goes to.
func (l *log) here() *chunk {
	if l.tail == nil || l.tail.start+slots == l.next {
		return l.grow()
	}
	return l.tail
}

func (l *log) grow() *chunk {
	c := l.free
	if l.free = nil; c == nil {
		c = new(chunk)
	}
	c.start, c.firstDue, c.oldest = l.next, forever, forever
	if l.next%(1<<blockBits) == 0 {
		l.blocks = append(l.blocks, l.newBlock())
	}
	b, k := l.blocks[len(l.blocks)-1], l.next>>slotBits%slots
	b.chunks[k], c.bytes = c, &b.bytes[k]
	c.dies = forever
	if l.tail != nil {
		l.tail.next = c
		c.newest = l.tail.newest
	}
	if l.first == nil {
		l.first = c
	}
	l.tail = c
	return c
}

func (l *log) newBlock() *block {
	b := l.freeBlock
	if l.freeBlock = nil; b == nil {
		b = new(block)
	}
	b.firstDue = forever
	return b
}

func (l *log) block(pos uint64) *block { return l.blocks[(pos-l.base)>>blockBits] }
func (l *log) chunk(pos uint64) *chunk { return l.block(pos).chunks[pos>>slotBits%slots] }

// expect notes that an entry is due before others of its chunk.
func (l *log) expect(c *chunk, due int64) {
	c.firstDue = due
	c.dies = min(c.dies, due)
	b := l.block(c.start)
	b.firstDue = min(b.firstDue, due)
}

// has reports whether the entry is in the history.
func (l *log) has(c *chunk, i int) bool {
	return c.gone>>i&1 == 0 && c.start+uint64(i) >= l.floor
}

// drop forgets a chunk that the floor has left. Nobody reads without the lock
// when alone holds, so that it may be used again.
func (l *log) drop(c *chunk, alone bool) {
	if alone {
		l.block(c.start).chunks[c.start>>slotBits%slots] = nil
		if l.tail == c {
			l.tail = nil
		}
		*c = chunk{}
		l.free = c
	}
	if l.floor%(1<<blockBits) == 0 {
		if alone {
			l.freeBlock = l.blocks[0]
			clear(l.freeBlock.chunks[:]) // some were left while somebody read
		}
		l.blocks = append([]*block(nil), l.blocks[1:]...)
		l.base = l.floor
	}
}

// after returns the position of the first entry in the history, or behind
// it, whose sequence number is greater.
func (l *log) after(seq uint64) uint64 {
	n := sort.Search(int(l.next-l.floor), func(i int) bool {
		pos := l.floor + uint64(i)
		return l.chunk(pos).seq[pos%slots] > seq
	})
	return l.floor + uint64(n)
}

// find returns the entry with that sequence number if it is in the history.
func (l *log) find(seq uint64) (c *chunk, i int, ok bool) {
	pos := l.after(seq - 1)
	if pos >= l.next {
		return nil, 0, false
	}
	c, i = l.chunk(pos), int(pos%slots)
	return c, i, c.seq[i] == seq && l.has(c, i)
}
