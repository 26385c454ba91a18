package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// accept moves the signals that the reader's condition accepts to the front,
// settles the others, and returns the number accepted. If the condition panics, all
// but the signal that it panicked for are given back.
func (s *Subscription) accept(taken []signals.Any) (n int) {
	if s.options.Where == nil {
		return len(taken)
	}
	next, done := 0, false
	defer func() {
		if !done {
			s.giveBack(slices.Concat(taken[:n], taken[next:]))
		}
	}()
	for next < len(taken) {
		signal := taken[next]
		next++
		if s.passes(signal) {
			taken[n] = signal
			n++
		}
	}
	done = true
	return n
}

// passes applies the condition, and settles the signal unless it passes.
func (s *Subscription) passes(next signals.Any) (passes bool) {
	f := DeadFailed
	defer func() {
		if !passes {
			s.settle(f, next)
		}
	}()
	passes = s.options.Where(next)
	f = Filtered
	return passes
}

// deliver settles signals that the reader's caller gets.
func (s *Subscription) deliver(taken []signals.Any) { s.settle(Delivered, taken...) }

// settle records and reports the disposition of signals that a reader had taken.
func (s *Subscription) settle(f Disposition, taken ...signals.Any) {
	if len(taken) == 0 {
		return
	}
	s.mu.Lock()
	ended := s.err != nil
	if !ended {
		s.settleLocked(f, len(taken))
	}
	s.mu.Unlock()
	if ended {
		s.settleEnded(f, len(taken))
	}
	s.tell(f, taken)
	s.core.tellWaiting()
}

func (s *Subscription) settleLocked(f Disposition, n int) {
	s.inHand -= uint64(n)
	s.ledger.by[f] += uint64(n)
}

// settleEnded is for readers that have ended, whose account the bus has.
func (s *Subscription) settleEnded(f Disposition, n int) {
	s.core.mu.Lock()
	defer s.core.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleLocked(f, n)
	s.core.past.settle(f, uint64(n))
}

// expire records that a signal expired before it was read. The caller holds s.mu.
func (s *Subscription) expire(dead signals.Any) {
	s.ledger.by[DeadExpired]++
	if s.observed() {
		s.gone = append(s.gone, dead)
	}
}

// releaseLocked records that a subscription which lagged kept signals that are
// taken now or dead, unless the bus was closed and has settled them.
func (s *Subscription) releaseLocked(taken, dead int, f Disposition) {
	if c := s.core; c.state != closed {
		c.kept -= uint64(taken + dead)
		c.past.settle(f, uint64(dead))
	}
}

// report notifies waiting callers and observers of the changes made by a read.
func (s *Subscription) report() {
	if s.observed() {
		s.mu.Lock()
		gone := s.gone
		s.gone = nil
		s.mu.Unlock()
		s.tell(DeadExpired, gone)
		s.core.events.Show() // including what a closed bus dropped
	}
	s.core.tellWaiting()
}

func (s *Subscription) observed() bool { return s.core.events.Watched() }

// tell reports the disposition of signals to observers.
func (s *Subscription) tell(f Disposition, settled []signals.Any) {
	if len(settled) == 0 || !s.observed() {
		return
	}
	c := s.core
	c.mu.Lock()
	for _, signal := range settled {
		c.settledLocked(s.options.Agent, signal, f, nil)
	}
	c.mu.Unlock()
	c.events.Show()
}

// giveBack returns signals that were taken to the front of the backlog.
func (s *Subscription) giveBack(taken []signals.Any) {
	if len(taken) > 0 && !s.keepTaken(taken) {
		s.settle(DeadClosed, taken...)
	}
}

// keepTaken is giveBack unless the subscription was closed.
func (s *Subscription) keepTaken(taken []signals.Any) bool {
	c := s.core
	c.mu.Lock()
	defer c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() || c.state == closed {
		return false
	}
	s.backlog.GiveBack(taken)
	s.inHand -= uint64(len(taken))
	if s.err != nil {
		c.kept += uint64(len(taken))
	}
	s.sleeper.Rouse() // another caller may be waiting for them
	s.readers.soonLocked(s)
	return true
}
