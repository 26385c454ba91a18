package bus

import (
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
		s.lagLocked(end)
		s.due = ^uint64(0)
		return
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
			return uint64(len(s.front)) + s.counted - s.account.Intended
		}
		s.counted += uint64(bits.OnesCount64(s.wanted(seg, from, to)))
		s.ahead.Pos += uint64(to - from)
	}
}

// keepAhead moves the ahead cursor along with the cursor: left behind, it would
// keep read entries alive. The caller holds s.mu.
func (s *Subscription) keepAhead() {
	if s.cursor.Pos >= s.ahead.Pos {
		s.ahead, s.counted = s.cursor, s.account.Intended
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
			s.account.Intended++
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

// passLocked moves the cursor to a position; wanted signals before that get the
// disposition f.
func (s *Subscription) passLocked(to uint64, f Disposition) {
	s.walk(to, func(seg *store.Segment, i int) {
		*s.account.of(f)++
		s.emitUnreadLocked(f, seg, i)
	})
}

func (s *Subscription) emitUnreadLocked(f Disposition, seg *store.Segment, i int) {
	if s.bus.observed() {
		s.emitLocked(f, seg.Signal[i])
	}
}

// dropLocked drops an unread signal before the cursor, with the disposition f.
func (s *Subscription) dropLocked(signal signals.Any, f Disposition) {
	*s.account.of(f)++
	if s.err != nil {
		s.bus.unkeepLocked(f, 1)
	}
	s.emitLocked(f, signal)
}

// unkeepLocked settles n signals that a lagged subscription had kept, unless the
// bus has been closed and has settled them.
func (b *Bus) unkeepLocked(f Disposition, n uint64) {
	if b.state != closed {
		b.kept -= n
		b.past.settle(f, n)
	}
}

// roomLocked refuses drafts for which too many entries wait for handlers.
func (b *Bus) roomLocked(ds []draft) error {
	switch {
	case b.state != open:
		return ErrClosed
	case b.inline.undrained+len(ds) > b.opts.Undrained && b.inline.undrained+b.handledLocked(ds) > b.opts.Undrained:
		return fmt.Errorf("%w: %d signals wait for handlers", ErrBacklog, b.inline.undrained)
	}
	return nil
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
