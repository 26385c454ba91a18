package bus

import (
	"math/bits"
	"time"
)

// crowdedLocked reports whether the oldest signal has to go: there are too
// many, or it lives so much longer than what came after it that the places of
// those, long swept, would take memory without bound.
func (b *Bus) crowdedLocked() bool {
	return b.log.held > b.opts.History || b.log.next-b.log.floor > 2*uint64(b.opts.History)+1<<16
}

// evictLocked makes the history fit, oldest first. What an evicted entry
// shares with others, its page and its names, it gives up with its whole
// chunk, in runs of equals.
func (b *Bus) evictLocked() {
	for b.crowdedLocked() {
		if c, i := b.log.first, b.log.floor%slots; c.flags[i]&indexed == 0 && !b.observed() && !b.limited && c.due[i] >= b.clock.last {
			b.log.held-- // almost always
			b.counts.evicted++
			b.evictedTo = c.seq[i]
		} else {
			b.loseLocked(c, int(i))
		}
		if b.log.floor++; b.log.floor%slots == 0 {
			b.leaveLocked()
		}
		b.raiseLocked()
	}
}

// raiseLocked moves the floor to the oldest entry in the history.
func (b *Bus) raiseLocked() {
	for b.log.floor < b.log.next && b.log.first.gone>>(b.log.floor%slots)&1 != 0 {
		if b.log.floor++; b.log.floor%slots == 0 {
			b.leaveLocked()
		}
	}
}

// leaveLocked gives up the chunk that the floor has left.
func (b *Bus) leaveLocked() {
	c := b.log.first
	b.log.first = c.next
	b.releaseLocked(c, ^c.gone)
	b.log.drop(c, b.borrowers == 0 && b.inline >= c.start+slots)
}

// Sweep frees the room that expired signals take, and tells observers. The
// bus does it by itself every so often; expired signals are never returned or
// delivered, swept or not. It costs what expires: a look at each of the
// history's blocks of 4096, then at the chunks and entries that are due.
// Publishers wait for one block at most.
func (b *Bus) Sweep() {
	b.mu.Lock()
	now := b.clock.now()
	for pos := b.log.floor; pos < b.log.next; {
		end := pos>>blockBits<<blockBits + 1<<blockBits
		if b.sweepBlockLocked(b.log.block(pos), now) {
			b.mu.Unlock()
			b.mu.Lock()
		}
		pos = max(end, b.log.floor)
	}
	b.mu.Unlock()
	b.showEvents()
}

// sweepBlockLocked reports whether anything was due.
func (b *Bus) sweepBlockLocked(bl *block, now int64) bool {
	if bl.firstDue >= now {
		return false
	}
	bl.firstDue = forever
	for _, c := range bl.chunks {
		if c == nil || c.start+slots <= b.log.floor {
			continue
		}
		firstDue := c.firstDue
		if firstDue < now {
			firstDue = b.sweepChunkLocked(c, now)
		}
		bl.firstDue = min(bl.firstDue, firstDue)
	}
	return true
}

// sweepChunkLocked returns when the next one is due. The chunk may be gone
// then.
func (b *Bus) sweepChunkLocked(c *chunk, now int64) (first int64) {
	due := uint64(0)
	first = forever
	for left := b.log.heldOf(c); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if c.due[i] < now {
			due |= 1 << i
		} else {
			first = min(first, c.due[i])
		}
	}
	c.firstDue = first
	for rest := due; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		c.gone |= 1 << i
		b.loseLocked(c, i)
	}
	b.releaseLocked(c, due)
	b.raiseLocked()
	return first
}

// heldOf picks the entries of a chunk that are in the history.
func (l *log) heldOf(c *chunk) uint64 {
	from, to := 0, slots
	if l.floor > c.start {
		from = int(l.floor - c.start)
	}
	if l.next < c.start+slots {
		to = int(l.next - c.start)
	}
	return below(to) &^ below(from) &^ c.gone
}

// loseLocked takes an entry out of the history and of what says whether it is
// there.
func (b *Bus) loseLocked(c *chunk, i int) {
	b.log.held--
	expired := c.due[i] < b.clock.last
	if expired {
		b.counts.expired++
	} else {
		b.counts.evicted++
		b.evictedTo = max(b.evictedTo, c.seq[i])
	}
	if b.observed() {
		b.emitGoneLocked(c.signal(i), expired)
	}
	if b.limited {
		b.sources.byID[c.source[i]].bytes -= size(c.peek(i))
	}
	if c.flags[i]&(foreign|reply) != 0 {
		b.unflagLocked(c, i)
	}
	if c.flags[i]&claim != 0 {
		b.proposalGoneLocked(c, i)
	}
}

// releaseLocked gives up pages and names of some entries of a chunk.
func (b *Bus) releaseLocked(c *chunk, entries uint64) {
	b.sources.release(&c.source, entries)
	b.threads.release(&c.thread, entries)
	for entries != 0 {
		n := 0
		seg := c.segment[bits.TrailingZeros64(entries)]
		for ; entries != 0 && c.segment[bits.TrailingZeros64(entries)] == seg; entries &= entries - 1 {
			n++
		}
		// Nobody reads without the lock, nor will the handlers.
		seg.shelf.release(seg, n, b.borrowers == 0 && b.inline > seg.last)
	}
}

func (b *Bus) unflagLocked(c *chunk, i int) {
	pos, h := c.start+uint64(i), c.head(i)
	if at, ok := b.foreign[h.ID]; ok && at == pos {
		delete(b.foreign, h.ID)
	}
	if b.replies[h.ReplyTo] != pos+1 {
		return
	}
	delete(b.replies, h.ReplyTo) // unless an older one is still there
	for back := c.byReply[i]; back > 0 && uint64(back) <= pos-b.log.floor; {
		pos -= uint64(back)
		if c, i = b.log.chunk(pos), int(pos%slots); b.log.has(c, i) {
			b.replies[h.ReplyTo] = pos + 1
			return
		}
		back = c.byReply[i]
	}
}

func (b *Bus) startSweeperLocked() {
	if b.sweeping || b.opts.Sweep < 0 || b.state == closed {
		return
	}
	b.sweeping = true
	b.wg.Go(func() {
		tick := time.NewTicker(b.opts.Sweep)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.Sweep()
			case <-b.done:
				return
			}
		}
	})
}
