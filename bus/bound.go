package bus

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// review is how often, in entries, the bus looks at readers that wait, so that
// one with nothing to read keeps no more of the log than that.
const review = 4096

// checkLocked looks at the subscriptions that the entry at pos, the newest,
// may have brought to a bound. The bus need not look at every subscription for
// every signal: one with room for n more is looked at again after n entries.
func (b *Bus) checkLocked(pos uint64) {
	end := pos + 1
	b.checkAt = end + review
	for _, s := range slices.Clone(b.subscriptions) {
		if s.due < end+review/4 || s.idleLocked() { // a little early, so that many are looked at together
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

// idleLocked reports whether the reader waits and nothing has come for it.
func (s *Subscription) idleLocked() bool {
	return s.sleeper.ready != nil &&
		!slices.ContainsFunc(s.sleeper.nodes, func(n node) bool { return n.queue.newest > s.sleeper.seen })
}

// reviewLocked does what has to be done about a backlog when the log ends at
// end, and says when to look again. It needs both locks.
func (s *Subscription) reviewLocked(end uint64) {
	if s.idleLocked() {
		s.cursor = s.bus.log.End()
	}
	half, bound := uint64(s.options.Backlog/2), uint64(s.options.Backlog)
	behind := s.behind(end)
	if behind > half && !s.slow {
		s.slow = true
		s.bus.emitLocked(Slow{Reader: s.options.Agent, Site: s.site, Pending: int(min(behind, bound))})
	}
	if behind > bound {
		switch s.options.WhenFull {
		case Sample:
			s.sampleLocked(end)
			behind = s.behind(end)
		case End:
			s.lagLocked(end)
			s.due = ^uint64(0)
			return
		case Wait: // conflicts follow what there was room for
		}
	}
	if s.slow = s.slow && behind > half; !s.slow {
		bound = half
	}
	s.due = end + bound - min(behind, bound)
}

// behind returns how far the oldest unread signal is behind end; what was in
// the history when the subscription began does not count. It moves the cursor
// over entries that the reader does not want.
func (s *Subscription) behind(end uint64) uint64 {
	for len(s.front) == 0 {
		seg, from, to := s.cursor.Span(end)
		if from == to {
			return 0
		}
		i := from
		for i < to && !s.wants(seg, i) {
			i++
		}
		s.cursor.Pos += uint64(i - from)
		if i < to {
			break
		}
	}
	return uint64(len(s.front)) + end - max(s.cursor.Pos, s.born)
}

// lagLocked ends the subscription before the newest entry. What it has not
// read is copied out of the log, so that it keeps nothing else alive.
func (s *Subscription) lagLocked(end uint64) {
	for {
		seg, from, to := s.cursor.Span(end - 1)
		if from == to {
			break
		}
		for i := from; i < to; i++ {
			if s.wants(seg, i) {
				s.books.Intended++
				s.front = append(s.front, seg.Signal(i))
			}
		}
		s.cursor.Pos += uint64(to - from)
	}
	s.passLocked(end, DeadLagged)
	s.err = ErrLagged
	s.endLocked()
}

// sampleLocked drops the oldest signals until the rest fits.
func (s *Subscription) sampleLocked(end uint64) {
	for bound := uint64(s.options.Backlog); len(s.front) > 0 && s.behind(end) > bound; s.front = s.front[1:] {
		s.dropLocked(s.front[0], DeadLagged)
	}
	if bound := uint64(s.options.Backlog); s.behind(end) > bound {
		s.passLocked(end-bound, DeadLagged)
	}
}

// passLocked moves the cursor to a position; what is wanted before that has
// the fate f.
func (s *Subscription) passLocked(to uint64, f Fate) {
	for {
		seg, from, to := s.cursor.Span(to)
		if from == to {
			return
		}
		for i := from; i < to; i++ {
			if s.wants(seg, i) {
				s.books.Intended++
				*s.books.of(f)++
				s.emitUnreadLocked(f, seg.Signal, i)
			}
		}
		s.cursor.Pos += uint64(to - from)
	}
}

func (s *Subscription) emitUnreadLocked(f Fate, at func(int) signals.Any, i int) {
	if s.bus.observed() {
		s.emitLocked(f, at(i))
	}
}

// dropLocked gives an unread signal before the cursor the fate f.
func (s *Subscription) dropLocked(signal signals.Any, f Fate) {
	*s.books.of(f)++
	if s.err != nil {
		s.bus.unkeepLocked(f, 1)
	}
	s.emitLocked(f, signal)
}

// unkeepLocked settles n signals that a subscription which lagged had kept,
// unless the bus was closed and did.
func (b *Bus) unkeepLocked(f Fate, n uint64) {
	if b.state != closed {
		b.kept -= n
		b.past.settle(f, n)
	}
}

// roomLocked waits until every reader has room for the drafts, and reports
// whether it had to.
func (b *Bus) roomLocked(ctx context.Context, agent string, ds []draft) (waited bool, err error) {
	if b.roomyLocked(len(ds)) {
		return false, nil
	}
	if ready, problem := b.readyLocked(agent, ds, 0); ready {
		return false, problem
	}
	return true, b.waitForRoomLocked(ctx, agent, slices.Clone(ds)) // a clone, so that drafts stay on the stack
}

// roomyLocked reports whether nobody can be near a bound.
func (b *Bus) roomyLocked(n int) bool {
	return b.log.Next()+uint64(n) <= b.checkAt && b.inline.undrained+n <= b.opts.Undrained && b.state == open
}

func (b *Bus) waitForRoomLocked(ctx context.Context, agent string, ds []draft) (problem error) {
	err := b.waitLocked(ctx, func() (ready bool) {
		// Who has to wait waits for an eighth of a backlog, not to be back here
		// after every signal.
		ready, problem = b.readyLocked(agent, ds, 8)
		return ready
	})
	if err != nil {
		return err
	}
	return problem
}

// readyLocked reports whether the drafts can be published, or never will be.
func (b *Bus) readyLocked(agent string, ds []draft, share int) (bool, error) {
	switch {
	case b.state != open:
		return true, ErrClosed
	case b.inline.undrained+len(ds) > b.opts.Undrained:
		return true, fmt.Errorf("%w: %d signals wait for handlers", ErrBacklog, b.inline.undrained)
	}
	ready := true
	for _, s := range b.subscriptions {
		if s.options.WhenFull != Wait || s.hasRoomLocked(ds, share) {
			continue
		}
		if s.options.Agent == agent && agent != "" || len(ds) > s.options.Backlog {
			return true, fmt.Errorf("%w: subscription of %q at %s", ErrBacklog, s.options.Agent, s.site)
		}
		ready = false
	}
	return ready, nil
}

// hasRoomLocked reports whether the drafts fit into the backlog, and with them
// that share of it if it is not 0.
func (s *Subscription) hasRoomLocked(ds []draft, share int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	behind, coming := s.behind(s.bus.log.Next()), len(ds)
	if behind == 0 {
		coming -= s.firstOf(ds) // what comes before the first that it wants is nothing to it
	}
	if share > 0 && coming > 0 {
		coming = max(coming, s.options.Backlog/share)
	}
	return coming == 0 || behind+uint64(coming) <= uint64(s.options.Backlog)
}

// firstOf returns the index of the first draft that the reader wants.
func (s *Subscription) firstOf(ds []draft) int {
	o := &s.options
	i := slices.IndexFunc(ds, func(d draft) bool {
		return (o.Kinds == nil || slices.Contains(o.Kinds, d.KindText)) &&
			(o.Threads == nil || slices.Contains(o.Threads, d.head.Thread)) && o.isFor(d.head.Recipients)
	})
	if i < 0 {
		return len(ds)
	}
	return i
}
