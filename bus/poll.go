package bus

import "github.com/swarmbus/swarmbus/signals"

// Poll is [Subscription.Next] without waiting: it reports whether there was a
// signal to read.
func (s *Subscription) Poll() (signals.Any, bool) {
	for {
		next, ok := s.poll()
		if !ok {
			return nil, false
		}
		if s.read(next) {
			return next, true
		}
	}
}

func (s *Subscription) poll() (signals.Any, bool) {
	s.bus.mu.Lock()
	defer s.bus.takeSteps()
	defer s.bus.mu.Unlock()
	return s.popLocked()
}

// Books returns the subscription's own account. It stays readable after the
// subscription was closed.
func (s *Subscription) Books() Books {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.books
}
