package store

import "math/bits"

// Crowded reports whether the oldest entry has to leave the history: because
// there are too many entries, or because it has outlived too many.
func (l *Log) Crowded() bool {
	return l.held > l.size || l.next-l.floor > 2*uint64(l.size)+slack
}

// Evict removes the oldest entries until the history fits. It calls lost, which
// may be nil, for each; now distinguishes expired entries from evicted ones.
// The caller no longer needs entries before done.
func (l *Log) Evict(now int64, done uint64, lost func(s *Segment, i int, expired bool)) {
	for l.Crowded() {
		l.lose(l.first(), int(l.floor%Slots), now, lost)
		l.raise(done, 1)
	}
}

// first returns the segment that holds the floor.
func (l *Log) first() *Segment {
	if l.oldest == nil {
		l.oldest = l.directory.segment(l.floor)
	}
	return l.oldest
}

// lose removes an entry from the history.
func (l *Log) lose(s *Segment, i int, now int64, lost func(*Segment, int, bool)) {
	l.held--
	expired := s.Due[i] < now
	if expired {
		l.counts.Expired++
	} else {
		l.counts.Evicted++
		l.evictedTo = s.Seq[i]
	}
	if lost != nil {
		lost(s, i, expired)
	}
}

// raise moves the floor past n entries, and further to the oldest one in the
// history.
func (l *Log) raise(done uint64, n int) {
	for ; l.floor < l.next; n-- {
		s := l.first()
		if n <= 0 && s.gone>>(l.floor%Slots)&1 == 0 {
			return
		}
		if l.floor++; l.floor%Slots == 0 {
			l.leave(s, done)
		}
	}
}

// leave releases a segment that is before the floor.
func (l *Log) leave(s *Segment, done uint64) {
	l.oldest = nil
	l.unindex(s)
	l.Kinds.release(&s.Kind)
	l.Threads.release(&s.Thread)
	for i := 0; i < Slots; {
		g, n := s.page[i], 0
		for ; i < Slots && s.page[i] == g; i++ {
			n++
		}
		l.release(g, n, done)
	}
	if s != l.tail && l.unshared(s.Start) && done > s.Start+Slots { // a cursor at its end still points to it
		l.directory.block(s.Start).segments[s.Start/Slots%blockSegments] = nil
		*s = Segment{}
		l.spare = s
	}
	l.directory.leave(l.floor)
}

// Due reports whether anything in the history may have expired at now.
func (l *Log) Due(now int64) bool { return l.directory.due(now) }

// Expire removes the expired entries of the directory's block at pos from the
// history and calls lost for each. It returns the position of the next block,
// and whether anything was due: a block without due entries costs one
// comparison.
func (l *Log) Expire(pos uint64, now int64, done uint64, lost func(s *Segment, i int, expired bool)) (next uint64, due bool) {
	b := l.directory.block(pos)
	next = pos/blockSlots*blockSlots + blockSlots
	if b.firstDue >= now {
		return next, false
	}
	b.firstDue = forever
	for _, s := range b.segments {
		if s == nil || s.Start+Slots <= l.floor {
			continue
		}
		if s.firstDue < now {
			l.expire(s, now, lost)
		}
		b.firstDue = min(b.firstDue, s.firstDue)
	}
	l.raise(done, 0)
	return max(next, l.floor), true
}

func (l *Log) expire(s *Segment, now int64, lost func(*Segment, int, bool)) {
	s.firstDue = forever
	for held := s.held(l.floor, l.next); held != 0; held &= held - 1 {
		i := bits.TrailingZeros64(held)
		if s.Due[i] >= now {
			s.firstDue = min(s.firstDue, s.Due[i])
			continue
		}
		s.gone |= 1 << i
		l.lose(s, i, now, lost)
	}
}
