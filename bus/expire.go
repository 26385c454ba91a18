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

// evictLocked makes the history fit, oldest first.
func (b *Bus) evictLocked(now int64) {
	for b.crowdedLocked() {
		pos := b.log.floor
		b.forgetLocked(b.log.chunk(pos), int(pos%slots), now)
	}
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
		if c.firstDue < now {
			b.sweepChunkLocked(c, now)
		}
		bl.firstDue = min(bl.firstDue, c.firstDue)
	}
	return true
}

func (b *Bus) sweepChunkLocked(c *chunk, now int64) {
	due, first := uint64(0), int64(forever)
	for left := b.log.usedOf(c) &^ c.gone; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if c.due[i] < now {
			due |= 1 << i
		} else {
			first = min(first, c.due[i])
		}
	}
	c.firstDue = first
	for ; due != 0; due &= due - 1 {
		b.forgetLocked(c, bits.TrailingZeros64(due), now)
	}
}

// usedOf picks the entries of a chunk that are in the log.
func (l *log) usedOf(c *chunk) uint64 {
	if c.start+slots <= l.next {
		return full
	}
	return below(int(l.next - c.start))
}

// forgetLocked takes an entry out of the history and every index.
func (b *Bus) forgetLocked(c *chunk, i int, now int64) {
	seg, pos := c.segment[i], c.start+uint64(i)
	expired := c.due[i] < now
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
	if seg.shelf.proposals {
		b.proposalGoneLocked(c, i)
	}
	b.sources.release(c.source[i])
	b.threads.release(c.thread[i])
	alone := b.borrowers == 0 && b.inline > max(pos, seg.last)
	// The chunk first: it may be cleared only when its last entry goes.
	b.log.remove(c, i, alone && b.inline >= c.start+slots)
	seg.shelf.release(seg, alone)
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
		if c, i = b.log.chunk(pos), int(pos%slots); c.gone>>i&1 == 0 {
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
