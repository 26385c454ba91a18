package bus

import (
	"context"
	"math"

	"github.com/swarmbus/swarmbus/bus/internal/backlog"
	"github.com/swarmbus/swarmbus/signals"
)

// claim takes unexpired signals out of the backlog, as many as there are and fit,
// and waits for the first.
func (s *Subscription) claim(ctx context.Context, dst []signals.Any) (int, error) {
	if backlog.Over(ctx.Done()) {
		return 0, context.Cause(ctx)
	}
	if n := s.takeFast(dst); n > 0 {
		return n, nil
	}
	for {
		n, ready, err := s.look(dst, true)
		if n > 0 || err != nil {
			return n, err
		}
		select {
		case <-ready:
		case <-ctx.Done():
			s.giveUp()
			return 0, context.Cause(ctx)
		}
	}
}

// takeFast takes available signals without the bus's lock, which busy publishers
// hold most of the time, so that a reader would have to sleep. A clock that is
// read under the lock requires the lock, and so does a subscription that ended.
func (s *Subscription) takeFast(dst []signals.Any) (n int) {
	now, ok := s.core.clock.Unlocked()
	if !ok {
		return 0
	}
	defer s.report()
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit := s.core.readable.Load(); s.err == nil && s.backlog.Reads(limit) {
		n, _ = s.take(dst, limit, now)
	}
	return n
}

// look takes available signals. If there are none, it returns the reason why there
// will be no more or, for a caller that waits, what to wait for.
func (s *Subscription) look(dst []signals.Any, waits bool) (n int, ready <-chan struct{}, err error) {
	c := s.core
	defer s.report()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sleeper.Pay()
	if c.state == closed {
		s.endClosedLocked()
	}
	limit := c.log.Next()
	if s.backlog.Reads(limit) {
		var expired int
		if n, expired = s.take(dst, limit, c.clock.Now()); s.err != nil {
			s.releaseLocked(n, expired, DeadExpired)
		}
	}
	switch {
	case n > 0:
		return n, nil, nil
	case s.err != nil:
		return 0, nil, s.err
	case waits:
		return 0, s.sleeper.Sleep(limit), nil
	}
	return 0, nil, nil
}

// take moves signals that are unexpired at now into dst, and returns their number
// and that of expired ones. The caller holds s.mu.
func (s *Subscription) take(dst []signals.Any, limit uint64, now int64) (n, expired int) {
	if s.options.Expired {
		now = math.MinInt64
	}
	n = s.backlog.Take(dst, limit, now, func(dead signals.Any) {
		expired++
		s.expire(dead)
	})
	s.inHand += uint64(n)
	return n, expired
}

// giveUp ends a wait. A reader that was woken meanwhile wakes the next; other
// callers that wait on this subscription check again.
func (s *Subscription) giveUp() {
	s.core.mu.Lock()
	defer s.core.mu.Unlock()
	s.sleeper.Rouse()
	s.sleeper.Pay()
}
