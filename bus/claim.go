package bus

import (
	"context"
	"runtime"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// maxBatch is how many signals All takes at once: with 64 the two locks cost
// a reader less than a nanosecond a signal.
const maxBatch = 64

// claim takes signals that have not expired out of the backlog, as many as
// are there and fit, and waits for the first.
func (s *Subscription) claim(ctx context.Context, dst []signals.Any) (int, error) {
	if n := s.glance(dst); n > 0 {
		s.tellExpired()
		s.nudge()
		return n, nil
	}
	for {
		n, wait, err := s.tryClaim(dst)
		s.tellExpired()
		s.nudge()
		if n > 0 || err != nil {
			return n, err
		}
		if wait == nil {
			continue
		}
		select {
		case <-wait:
		case <-ctx.Done():
			s.giveUp()
			return 0, context.Cause(ctx)
		}
	}
}

// rarely is how many times a reader takes signals without the bus's lock before
// it says how far it is.
const rarely = 8

// glance is tryClaim without the bus's lock, which busy publishers hold most of
// the time and a reader would have to sleep for. It takes nothing from who
// samples, for the bus may drop that, nor by a clock that is read under the lock.
func (s *Subscription) glance(dst []signals.Any) int {
	b := s.bus
	if s.options.WhenFull == Sample || b.opts.Clock != nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := b.follow(s.cursor.pos)
	limit = min(limit, s.end.Load()) // in this order: an end is known before what is behind it is shown
	if s.cursor.pos >= limit {
		return 0
	}
	n := s.fill(dst, limit, b.clock.glance())
	if s.glances++; s.glances >= rarely && b.mu.TryLock() {
		s.glances = 0
		s.reportLocked()
		b.mu.Unlock()
	}
	return n
}

// follow returns up to where a reader at pos may read. While publishers are
// about to fill a chunk it lets them, so as not to read what they write.
func (b *Bus) follow(pos uint64) uint64 {
	limit := b.shown.Load()
	for range slots {
		if limit >= pos+slots || limit <= pos {
			break
		}
		runtime.Gosched()
		more := b.shown.Load()
		if more == limit {
			break // nobody publishes
		}
		limit = more
	}
	return limit
}

// tryClaim returns what to wait for when nothing is there.
func (s *Subscription) tryClaim(dst []signals.Any) (n int, wait <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, now, wait, err := s.cut(dst, &n)
	if wait != nil || err != nil || n > 0 {
		return n, wait, err
	}
	return s.fill(dst, limit, now), nil, nil
}

// cut takes the reader's cut of the log, under the bus's lock: up to where it
// may read without it, and the time at which expiry is judged.
func (s *Subscription) cut(dst []signals.Any, n *int) (limit uint64, now int64, wait <-chan struct{}, err error) {
	b, k := s.bus, &s.bounds
	b.mu.Lock()
	defer b.mu.Unlock()
	limit, now, ok := s.cutLocked(dst, n)
	switch {
	case ok:
		return limit, now, nil, nil
	case k.err != nil:
		return 0, 0, nil, k.err
	default:
		return 0, 0, k.sleeper.sleep(limit), nil
	}
}

// peek is cut for who does not wait; ok says that there is something.
func (s *Subscription) peek(dst []signals.Any, n *int) (limit uint64, now int64, ok bool) {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.cutLocked(dst, n)
}

func (s *Subscription) cutLocked(dst []signals.Any, n *int) (limit uint64, now int64, ok bool) {
	b, k, c := s.bus, &s.bounds, &s.cursor
	k.sleeper.pay()
	limit = min(b.log.next, k.end)
	if len(c.own) == 0 && c.pos >= limit {
		return limit, 0, false
	}
	now = b.clock.now()
	s.reportLocked()
	if s.options.WhenFull == Sample { // the bus may drop what is not claimed yet
		k.countLocked(limit)
		s.sampleLocked()
		*n = s.fill(dst, limit, now)
	}
	return limit, now, true
}

// reportLocked says how far the reader is, and that it keeps up again.
func (s *Subscription) reportLocked() {
	b, k := s.bus, &s.bounds
	s.catchUpLocked()
	if bound := uint64(s.options.Backlog); k.slow && k.matched-s.claimed.Load() <= bound/2 {
		k.slow = false
		b.checkAt = min(b.checkAt, k.due(s.options.Backlog, s.claimed.Load()))
	}
}

// catchUpLocked spares the bus from counting what the reader counted.
func (s *Subscription) catchUpLocked() {
	if k := &s.bounds; s.cursor.pos >= k.ahead.pos && k.err == nil {
		k.ahead.chunk, k.ahead.pos, k.matched = s.cursor.chunk, s.cursor.pos, s.cursor.matched
	}
}

// fill claims from the cursor.
func (s *Subscription) fill(dst []signals.Any, limit uint64, now int64) (n int) {
	c := &s.cursor
	s.dropSkipped()
	for n < len(dst) && len(c.own) > 0 {
		n += s.take(dst[n:], c.own[0], c.ownDue[0], now)
		c.own, c.ownDue = c.own[1:], c.ownDue[1:]
	}
	for n < len(dst) {
		chunk, i, ok := c.match(limit)
		if !ok {
			break
		}
		if s.bounds.skip > 0 && s.options.WhenFull == Sample {
			s.bounds.skip--
			continue
		}
		n += s.take(dst[n:], chunk.signal(i), chunk.due[i], now)
	}
	s.claimed.Add(uint64(n))
	return n
}

// dropSkipped drops what a full sampling subscription has no room for.
func (s *Subscription) dropSkipped() {
	if s.options.WhenFull != Sample {
		return
	}
	c := &s.cursor
	n := min(s.bounds.skip, uint64(len(c.own)))
	s.bounds.skip -= n
	c.own, c.ownDue = c.own[n:], c.ownDue[n:]
}

func (s *Subscription) take(dst []signals.Any, next signals.Any, due, now int64) int {
	if due < now {
		s.claimed.Add(1)
		s.fates[DeadExpired].Add(1)
		if s.bus.watched.Load() > 0 {
			s.expired = append(s.expired, next)
		}
		return 0
	}
	dst[0] = next
	return 1
}

// tellExpired tells who watches what fill left out.
func (s *Subscription) tellExpired() {
	if s.bus.watched.Load() == 0 {
		return
	}
	s.mu.Lock()
	gone := s.expired
	s.expired = nil
	s.mu.Unlock()
	if len(gone) > 0 {
		s.tell(DeadExpired, gone...)
	}
}

// giveUp ends a wait. Who was woken meanwhile wakes the next; other waiters
// of this subscription look again.
func (s *Subscription) giveUp() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	s.bounds.sleeper.rouse()
	s.bounds.sleeper.pay()
}

// giveBack puts claimed signals back to the front.
func (s *Subscription) giveBack(rest []signals.Any) {
	if len(rest) == 0 {
		return
	}
	s.mu.Lock()
	if s.ended.Load() {
		s.mu.Unlock()
		s.dropClaimed(rest)
		return
	}
	defer s.mu.Unlock()
	c := &s.cursor
	c.own = append(append([]signals.Any(nil), rest...), c.own...)
	dues := make([]int64, 0, len(c.own))
	for _, next := range rest {
		dues = append(dues, dueOf(next))
	}
	c.ownDue = append(dues, c.ownDue...)
	s.claimed.Add(-uint64(len(rest)))
}

// dropClaimed dead-letters what was claimed before the end.
func (s *Subscription) dropClaimed(rest []signals.Any) {
	for _, next := range rest {
		s.settle(next, DeadClosed)
	}
}

// pace is how many signals All takes next: twice as many as before while the
// loop is quick, one when it took longer than a millisecond for each.
func (s *Subscription) pace() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.paced) > time.Duration(s.batch)*time.Millisecond {
		s.batch = 1
	} else {
		s.batch = min(2*s.batch, maxBatch)
	}
	s.paced = now
	return s.batch
}

func dueOf(s signals.Any) int64 {
	h := signals.HeadOf(s)
	return deadline(h.Time.UnixNano(), h.TTL)
}

// rescueLocked moves cursors that are too far behind: what they want is
// copied for them, so that a reader of few signals does not keep the many
// that it does not want. Called once for 4096 entries.
func (b *Bus) rescueLocked() {
	const far = 1 << 16
	for _, s := range b.subscriptions {
		if !s.mu.TryLock() {
			continue // a reader that is at work is asked the next time
		}
		if b.log.next-min(s.cursor.pos, b.log.next) >= far {
			s.rescueLocked(b.log.next)
		}
		s.mu.Unlock()
	}
}

func (s *Subscription) rescueLocked(limit uint64) {
	c, k := &s.cursor, &s.bounds
	if s.options.WhenFull == Sample {
		k.countLocked(limit)
		s.sampleLocked()
	}
	for limit = min(limit, k.end); ; {
		chunk, i, ok := c.match(limit)
		if !ok {
			break
		}
		sig := chunk.peek(i)
		c.own = append(c.own, signals.With(sig, sig.Head()))
		c.ownDue = append(c.ownDue, chunk.due[i])
	}
	s.dropSkipped()
	s.catchUpLocked()
}
