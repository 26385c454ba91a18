package bus

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// review is the number of entries after which the bus checks every reader, so that
// one with nothing to read keeps no more of the log alive than twice that.
const review = 4096

// checkLocked checks the subscriptions that may have reached a bound with the
// newest entry, at pos. Not every signal requires a check of every subscription:
// one with room for n more is checked again after n entries.
func (b *Bus) checkLocked(pos uint64) {
	end := pos + 1
	b.checkAt = end + review
	for _, s := range slices.Clone(b.subscriptions) {
		if s.due < end+review/4 { // a little early, so that many are checked together
			s.mu.Lock()
			s.reviewLocked(end)
			s.mu.Unlock()
		}
		b.checkAt = min(b.checkAt, s.due)
	}
	if len(b.subscriptions) == 0 {
		b.checkAt = ^uint64(0)
	}
}

// idleLocked reports whether the reader is waiting and has no signal to read.
func (s *Subscription) idleLocked() bool {
	return s.sleeper.ready != nil &&
		!slices.ContainsFunc(s.sleeper.nodes, func(n node) bool { return n.queue.newest > s.sleeper.seen })
}

// reviewLocked enforces the bounds of a backlog when the log ends at end, and
// returns when to check again. It requires both locks.
func (s *Subscription) reviewLocked(end uint64) {
	if s.idleLocked() {
		s.cursor = s.bus.log.End()
	}
	unread := s.unreadLocked(end)
	if end-s.cursor.Pos > 2*unread+review {
		s.setAsideLocked(end)
	}
	half := s.bound - uint64(s.options.Backlog+1)/2 // half of the backlog, plus what was there at the start
	if unread > half && !s.slow {
		s.slow = true
		s.bus.emitLocked(Slow{Reader: s.options.Agent, Site: s.site.String(), Pending: int(min(unread, s.bound))})
	}
	if unread > s.bound {
		switch s.options.WhenFull {
		case Sample:
			s.sampleLocked(unread - s.bound)
			unread = s.bound
		case End:
			s.lagLocked(end)
			s.due = ^uint64(0)
			return
		case Wait: // conflict signals may exceed the bound: they follow what there was room for
		}
	}
	bound := s.bound
	if s.slow = s.slow && unread > half; !s.slow {
		bound = half
	}
	s.due = end + min(review, bound-min(unread, bound))
}

// unreadLocked counts the unread signals when the log ends at end. It reads each
// entry once.
func (s *Subscription) unreadLocked(end uint64) uint64 {
	s.keepAhead()
	for {
		seg, from, to := s.ahead.Span(end)
		if from == to {
			return uint64(len(s.front)) + s.counted - s.books.Intended
		}
		s.counted += uint64(bits.OnesCount64(s.wanted(seg, from, to)))
		s.ahead.Pos += uint64(to - from)
	}
}

// keepAhead moves the ahead cursor along with the cursor: left behind, it would
// keep read entries alive. The caller holds s.mu.
func (s *Subscription) keepAhead() {
	if s.cursor.Pos >= s.ahead.Pos {
		s.ahead, s.counted = s.cursor, s.books.Intended
	}
}

// setAsideLocked copies the unread signals before end out of the log, so that a
// reader of few signals keeps nothing else alive.
func (s *Subscription) setAsideLocked(end uint64) {
	s.walk(end, func(seg *store.Segment, i int) {
		s.front = append(s.front, seg.Signal[i])
	})
}

// walk moves the cursor up to a position and calls f with the wanted signals before
// it.
func (s *Subscription) walk(end uint64, f func(*store.Segment, int)) {
	for {
		seg, from, to := s.cursor.Span(end)
		if from == to {
			return
		}
		for wanted := s.wanted(seg, from, to); wanted != 0; wanted &= wanted - 1 {
			s.books.Intended++
			f(seg, bits.TrailingZeros64(wanted))
		}
		s.cursor.Pos += uint64(to - from)
	}
}

// lagLocked ends the subscription before the newest entry. Unread signals are set
// aside.
func (s *Subscription) lagLocked(end uint64) {
	s.setAsideLocked(end - 1)
	s.passLocked(end, DeadLagged)
	s.err = ErrLagged
	s.endLocked()
}

// sampleLocked drops the oldest n unread signals.
func (s *Subscription) sampleLocked(n uint64) {
	for ; n > 0 && len(s.front) > 0; n-- {
		s.dropLocked(s.front[0], DeadLagged)
		s.front[0] = nil
		s.front = s.front[1:]
	}
	for n > 0 {
		seg, i, _ := s.cursor.Span(s.bus.log.Next())
		if s.wanted(seg, i, i+1) != 0 {
			s.books.Intended++
			*s.books.of(DeadLagged)++
			s.emitUnreadLocked(DeadLagged, seg, i)
			n--
		}
		s.cursor.Pos++
	}
}

// passLocked moves the cursor to a position; wanted signals before that get the
// fate f.
func (s *Subscription) passLocked(to uint64, f Fate) {
	s.walk(to, func(seg *store.Segment, i int) {
		*s.books.of(f)++
		s.emitUnreadLocked(f, seg, i)
	})
}

func (s *Subscription) emitUnreadLocked(f Fate, seg *store.Segment, i int) {
	if s.bus.observed() {
		s.emitLocked(f, seg.Signal[i])
	}
}

// dropLocked drops an unread signal before the cursor, with the fate f.
func (s *Subscription) dropLocked(signal signals.Any, f Fate) {
	*s.books.of(f)++
	if s.err != nil {
		s.bus.unkeepLocked(f, 1)
	}
	s.emitLocked(f, signal)
}

// unkeepLocked settles n signals that a lagged subscription had kept, unless the
// bus has been closed and has settled them.
func (b *Bus) unkeepLocked(f Fate, n uint64) {
	if b.state != closed {
		b.kept -= n
		b.past.settle(f, n)
	}
}

// roomLocked waits until every reader has room for the drafts, and reports whether
// it had to wait.
func (b *Bus) roomLocked(ctx context.Context, agent string, ds []draft) (waited bool, err error) {
	if b.roomyLocked(len(ds)) {
		return false, nil
	}
	if ready, problem := b.readyLocked(agent, ds, 0); ready {
		return false, problem
	}
	return true, b.waitForRoomLocked(ctx, agent, slices.Clone(ds)) // a clone, so that drafts stay on the stack
}

// roomyLocked reports whether no reader can be near a bound.
func (b *Bus) roomyLocked(n int) bool {
	return b.log.Next()+uint64(n) <= b.checkAt && b.inline.undrained+n <= b.opts.Undrained && b.state == open
}

func (b *Bus) waitForRoomLocked(ctx context.Context, agent string, ds []draft) (problem error) {
	b.changed.Broadcast() // a waiting agent whose own subscription is now full must stop waiting
	err := b.sleepLocked(ctx, func() (ready bool) {
		// A publisher that has to wait waits for an eighth of a backlog, so as not to
		// be back here after every signal.
		ready, problem = b.readyLocked(agent, ds, 8)
		return ready
	})
	if err != nil {
		return err
	}
	return problem
}

// readyLocked reports whether the drafts can be published, or never will be. If a
// subscription of the agent itself is full, the agent does not wait for others:
// they may be waiting for that one.
func (b *Bus) readyLocked(agent string, ds []draft, share uint64) (bool, error) {
	switch {
	case b.state != open:
		return true, ErrClosed
	case b.inline.undrained+b.handledLocked(ds) > b.opts.Undrained:
		return true, fmt.Errorf("%w: %d signals wait for handlers", ErrBacklog, b.inline.undrained)
	}
	var full, own *Subscription
	for _, s := range b.subscriptions {
		mine := agent != "" && s.options.Agent == agent
		switch {
		case s.options.WhenFull != Wait:
		case mine && !s.fitsLocked(1):
			own = s
		case uint64(s.coming(ds)) > s.bound || mine && !s.hasRoomLocked(ds, 0):
			return true, s.backlogged()
		case !mine && !s.hasRoomLocked(ds, share):
			full = s
		}
	}
	if own != nil && (full != nil || own.coming(ds) > 0) {
		return true, own.backlogged()
	}
	return full == nil, nil
}

func (s *Subscription) backlogged() error {
	return fmt.Errorf("%w: subscription of %q at %s", ErrBacklog, s.options.Agent, &s.site)
}

// handledLocked returns the number of drafts that have handlers.
func (b *Bus) handledLocked(ds []draft) (n int) {
	for i := range ds {
		if kind := b.log.Kinds[string(ds[i].KindText)]; kind != nil && channelOf(kind) != nil && len(channelOf(kind).handlers) > 0 {
			n++
		}
	}
	return n
}

// hasRoomLocked reports whether there is room for the drafts and, if share is not 0,
// for at least a share-th of the bound.
func (s *Subscription) hasRoomLocked(ds []draft, share uint64) bool {
	coming := uint64(s.coming(ds))
	if coming == 0 {
		return true
	}
	if share > 0 {
		coming = max(coming, s.bound/share)
	}
	return s.fitsLocked(coming)
}

// fitsLocked reports whether there is room for n more signals. If not, makeRoom
// wakes publishers when there is.
func (s *Subscription) fitsLocked(n uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unreadLocked(s.bus.log.Next())+n <= s.bound {
		return true
	}
	if least := s.wanting.Load(); least == 0 || n < least {
		s.wanting.Store(n) // with the lock held: a later read sees it
	}
	return false
}

// makeRoom wakes publishers once the reader has read as much as one of them waits
// for; each then states again what it needs. Waking them after every read would
// cost more than reading.
func (s *Subscription) makeRoom() {
	b := s.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.unreadLocked(b.log.Next())+s.wanting.Load() <= s.bound {
		s.wanting.Store(0)
		b.changed.Broadcast()
	}
}

// coming returns the number of drafts that the reader wants.
func (s *Subscription) coming(ds []draft) (n int) {
	o := &s.options
	for i := range ds {
		d := &ds[i]
		if d.Seq > 0 && d.Seq <= o.After {
			continue // fed
		}
		if (o.Kinds == nil || slices.Contains(o.Kinds, d.KindText)) &&
			(o.Threads == nil || slices.Contains(o.Threads, d.head.Thread)) && o.isFor(d.head.Recipients) {
			n++
		}
	}
	return n
}
