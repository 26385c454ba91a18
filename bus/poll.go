package bus

import "github.com/swarmbus/swarmbus/signals"

// Poll is [Subscription.Next] without waiting: it reports whether there was a
// signal to read.
func (s *Subscription) Poll() (signals.Any, bool) {
	var one [1]signals.Any
	for s.poll(one[:]) > 0 {
		if s.keep(one[:]) > 0 {
			return one[0], true
		}
	}
	return nil, false
}

func (s *Subscription) poll(dst []signals.Any) (n int) {
	defer s.nudge()
	defer s.tellExpired()
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit, now, ok := s.peek(dst, &n); ok && n == 0 {
		n = s.fill(dst, limit, now)
	}
	return n
}

// Books returns the subscription's own account. It stays readable after the
// subscription was closed.
func (s *Subscription) Books() Books {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.booksLocked()
}
