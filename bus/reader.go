package bus

import (
	"context"
	"math/bits"
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// claim takes unexpired signals out of the backlog, as many as there are and fit,
// and waits for the first.
func (s *Subscription) claim(ctx context.Context, dst []signals.Any) (int, error) {
	if isOver(ctx.Done()) {
		return 0, context.Cause(ctx)
	}
	if n := s.takeFast(dst); n > 0 {
		s.report()
		return n, nil
	}
	for {
		n, wait, err := s.look(dst, true)
		s.report()
		if n > 0 || err != nil {
			return n, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			s.giveUp()
			return 0, context.Cause(ctx)
		}
	}
}

// takeFast takes available signals without the bus's lock, which busy publishers
// hold most of the time, so that a reader would have to sleep. A clock that is
// read under the lock requires the lock, and so does a subscription that ended.
func (s *Subscription) takeFast(dst []signals.Any) int {
	b := s.bus
	if b.opts.Clock != nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := b.readable.Load()
	if s.err != nil || len(s.front) == 0 && s.cursor.Pos >= limit {
		return 0
	}
	return s.take(dst, limit, b.clock.unlocked())
}

// look takes available signals. If there are none, it returns the reason why there
// will be no more or, for a caller that waits, what to wait for.
func (s *Subscription) look(dst []signals.Any, waits bool) (n int, wait <-chan struct{}, err error) {
	b := s.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sleeper.pay()
	if b.state == closed {
		s.closeLocked()
	}
	limit := b.log.Next()
	if len(s.front) > 0 || s.cursor.Pos < limit {
		dead := s.account.DeadExpired
		n = s.take(dst, limit, b.clock.now())
		if s.err != nil {
			b.kept -= uint64(n)
			b.unkeepLocked(DeadExpired, s.account.DeadExpired-dead)
		}
	}
	switch {
	case n > 0:
		return n, nil, nil
	case s.err != nil:
		return 0, nil, s.err
	case waits:
		return 0, s.sleeper.sleep(limit), nil
	}
	return 0, nil, nil
}

// take moves signals that are unexpired at now into dst: first those before the
// cursor, then those from there on. The caller holds s.mu.
func (s *Subscription) take(dst []signals.Any, limit uint64, now int64) (n int) {
	for n < len(dst) && len(s.front) > 0 {
		next := s.front[0]
		s.front[0] = nil
		s.front = s.front[1:]
		n += s.keep(dst[n:], next, dueOf(next), now)
	}
	for n < len(dst) {
		seg, from, to := s.cursor.Span(limit)
		if from == to {
			break
		}
		to = min(to, from+len(dst)-n)
		wanted := s.wanted(seg, from, to)
		s.account.Intended += uint64(bits.OnesCount64(wanted))
		for ; wanted != 0; wanted &= wanted - 1 {
			i := bits.TrailingZeros64(wanted) % store.Slots
			n += s.keep(dst[n:], seg.Signal[i], seg.Due[i], now)
		}
		s.cursor.Pos += uint64(to - from)
	}
	s.keepAhead()
	s.inHand += uint64(n)
	return n
}

func (s *Subscription) keep(dst []signals.Any, next signals.Any, due, now int64) int {
	if due < now && !s.options.Expired {
		s.account.DeadExpired++
		if s.bus.watched.Load() > 0 {
			s.gone = append(s.gone, next)
		}
		return 0
	}
	dst[0] = next
	return 1
}

func dueOf(s signals.Any) int64 {
	h := signals.HeadOf(s)
	return deadline(h.Time.UnixNano(), h.TTL)
}

// wanted returns which of the entries from..to, of which there is at least one,
// are for this reader. It reads signals only if they have recipients.
func (s *Subscription) wanted(seg *store.Segment, from, to int) uint64 {
	wanted := seg.Pick(s.kinds, s.threads, from, to)
	for private := wanted & seg.Private(from, to); private != 0; private &= private - 1 {
		if i := bits.TrailingZeros64(private); !s.options.isFor(seg.Head(i).Recipients) {
			wanted &^= 1 << i
		}
	}
	for ; from < to && s.isPast(seg, from); from++ {
		if seg.Seq[from] <= s.options.After || seg.Due[from] < s.bornAt {
			wanted &^= 1 << from
		}
	}
	return wanted
}

// isPast reports whether the entry may be from before the subscription began, or
// one of those after which it begins. Later entries are neither.
func (s *Subscription) isPast(seg *store.Segment, i int) bool {
	return seg.Start+uint64(i) < s.born || seg.Seq[i] <= s.options.After
}

func (o *SubscribeOptions) isFor(r signals.Recipients) bool {
	return r.Include(o.Agent) || o.Agent == System
}

// behindCursor counts the entries from the cursor on that the reader wants. The
// caller holds both locks.
func (s *Subscription) behindCursor() (n uint64) {
	for c, limit := s.cursor, s.bus.log.Next(); ; {
		seg, from, to := c.Span(limit)
		if from == to {
			return n
		}
		n += uint64(bits.OnesCount64(s.wanted(seg, from, to)))
		c.Pos += uint64(to - from)
	}
}

// judge moves the signals that the predicate accepts to the front, settles all of
// them and returns the number accepted. If the predicate panics, the signals that
// it accepted before and those after it are given back.
func (s *Subscription) judge(claimed []signals.Any) (n int) {
	defer s.tellWaiting()
	if s.options.Where == nil {
		s.settle(Delivered, uint64(len(claimed)))
		s.tell(Delivered, claimed...)
		return len(claimed)
	}
	next, done := 0, false
	defer func() {
		if !done {
			s.giveBack(slices.Concat(claimed[:n], claimed[next:]))
		}
	}()
	for next < len(claimed) {
		signal := claimed[next]
		next++
		if s.passes(signal) {
			claimed[n] = signal
			n++
		}
	}
	done = true
	s.settle(Delivered, uint64(n))
	s.tell(Delivered, claimed[:n]...)
	return n
}

// passes applies the predicate, and settles the signal unless it passes.
func (s *Subscription) passes(next signals.Any) bool {
	disposition := DeadFailed
	defer func() {
		if disposition != Delivered {
			s.settle(disposition, 1)
			s.tell(disposition, next)
		}
	}()
	if s.options.Where(next) {
		disposition = Delivered
	} else {
		disposition = Filtered
	}
	return disposition == Delivered
}

// settle records the disposition of n signals that a reader had taken.
func (s *Subscription) settle(f Disposition, n uint64) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	ended := s.err != nil
	if !ended {
		s.settleLocked(f, n)
	}
	s.mu.Unlock()
	if ended {
		s.bus.mu.Lock()
		defer s.bus.mu.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settleLocked(f, n)
		s.bus.past.settle(f, n)
	}
}

func (s *Subscription) settleLocked(f Disposition, n uint64) {
	s.inHand -= n
	*s.account.of(f) += n
}

// giveBack returns signals that were taken to the front of the backlog.
func (s *Subscription) giveBack(rest []signals.Any) {
	if len(rest) == 0 {
		return
	}
	s.bus.mu.Lock()
	s.mu.Lock()
	ended := s.closed.Load() || s.bus.state == closed
	if !ended {
		s.front = slices.Concat(rest, s.front)
		s.inHand -= uint64(len(rest))
		if s.err != nil {
			s.bus.kept += uint64(len(rest))
		}
		s.sleeper.rouse() // another caller may be waiting for them
		s.due = min(s.due, s.bus.log.Next())
		s.bus.checkAt = min(s.bus.checkAt, s.due)
	}
	s.mu.Unlock()
	s.bus.mu.Unlock()
	if ended {
		s.settle(DeadClosed, uint64(len(rest)))
		s.tell(DeadClosed, rest...)
	}
}

// report tells waiting callers and observers what reading the backlog changed.
func (s *Subscription) report() {
	if s.bus.watched.Load() > 0 {
		s.mu.Lock()
		gone := s.gone
		s.gone = nil
		s.mu.Unlock()
		s.tell(DeadExpired, gone...)
		s.bus.showEvents() // including what a closed bus dropped
	}
	s.tellWaiting()
}

// tell reports the disposition of signals to observers.
func (s *Subscription) tell(f Disposition, settled ...signals.Any) {
	if len(settled) == 0 || s.bus.watched.Load() == 0 {
		return
	}
	s.bus.mu.Lock()
	for _, signal := range settled {
		s.emitLocked(f, signal)
	}
	s.bus.mu.Unlock()
	s.bus.showEvents()
}

func (s *Subscription) emitLocked(f Disposition, signal signals.Any) {
	s.bus.emitLocked(Settled{Signal: signal, Reader: s.options.Agent, Disposition: f})
}

// tellWaiting wakes callers that wait for readers.
func (s *Subscription) tellWaiting() {
	if s.bus.awaiting.Load() > 0 {
		s.bus.mu.Lock()
		s.bus.changed.Broadcast()
		s.bus.mu.Unlock()
	}
}

// giveUp ends a wait. A reader that was woken meanwhile wakes the next; other
// callers that wait on this subscription check again.
func (s *Subscription) giveUp() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	s.sleeper.rouse()
	s.sleeper.pay()
}
