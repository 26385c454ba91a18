package bus

import (
	"errors"

	"github.com/swarmbus/swarmbus/signals"
)

// Account returns the subscription's own account, also after the subscription has
// ended.
func (s *Subscription) Account() Account {
	s.core.mu.Lock()
	defer s.core.mu.Unlock()
	return s.accountLocked()
}

// accountLocked adds the pending signals: those in the backlog, and those that
// readers have taken but not settled. Intended signals are counted separately, and
// each of them once.
func (s *Subscription) accountLocked() Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	books := s.ledger
	books.intended, books.by[pending] = s.backlog.Count(s.core.log.Next())
	books.by[pending] += s.inHand
	return books.account()
}

func (s *Subscription) agent() string { return s.options.Agent }

func (s *Subscription) statsLocked() ReaderStats {
	return ReaderStats{Agent: s.options.Agent, Site: s.site.String(), Account: s.accountLocked()}
}

// Close ends the subscription: its unread signals are dead-lettered, and reads
// return [ErrClosed]. Closing twice does nothing.
func (s *Subscription) Close() {
	s.core.mu.Lock()
	s.closeLocked()
	s.core.mu.Unlock()
	s.core.events.Show()
}

func (s *Subscription) closeLocked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endClosedLocked()
}

// endClosedLocked requires both locks. A subscription that lagged drops what it has
// kept.
func (s *Subscription) endClosedLocked() {
	if errors.Is(s.err, ErrClosed) {
		return
	}
	lagged := s.err != nil
	s.backlog.Drop(func(left signals.Any) {
		s.dropLocked(DeadClosed, left)
		if lagged {
			s.releaseLocked(0, 1, DeadClosed)
		}
	})
	if !lagged {
		s.backlog.Skip(s.core.log.Next(), func(left signals.Any) { s.dropLocked(DeadClosed, left) })
		s.endLocked()
	}
	s.err = ErrClosed
	s.closed.Store(true)
}

func (s *Subscription) dropLocked(f Disposition, left signals.Any) {
	s.ledger.by[f]++
	s.core.settledLocked(s.options.Agent, left, f, nil)
}

// endLocked removes the subscription from the bus, which keeps its account. It
// requires both locks.
func (s *Subscription) endLocked() {
	c := s.core
	s.backlog.Leave()
	c.removeLocked(s)
	c.log.RemoveReader()
	s.sleeper.Rouse()
	s.sleeper.Pay()
	for _, t := range s.kinds {
		c.log.Kinds.Unpin(t)
	}
	for _, t := range s.threads {
		c.log.Threads.Unpin(t)
	}
	books := s.ledger
	books.intended, books.by[pending] = s.backlog.Count(0)
	books.by[pending] += s.inHand
	c.past.add(&books)
	c.kept += uint64(s.backlog.Kept())
	c.changed.Broadcast()
}

// lagLocked ends the subscription before the newest entry. Unread signals are set
// aside.
func (s *Subscription) lagLocked(end uint64) {
	s.backlog.SetAside(end - 1)
	s.backlog.Skip(end, func(left signals.Any) { s.dropLocked(DeadLagged, left) })
	s.err = ErrLagged
	s.endLocked()
	s.due = ^uint64(0)
}
