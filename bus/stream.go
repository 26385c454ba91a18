package bus

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/conflict"
)

// A stream is the log with those who follow it, which do not know each other:
// whatever enters or leaves the log does so here. The bus's lock protects it.
type stream struct {
	core
	conflicts
	inline
	readers
	quota    *quota
	lost     func(seg *store.Segment, i int, expired bool) // lose, which is allocated each time it is bound
	every    time.Duration                                 // between sweeps; <0: never
	sweeping bool                                          // from the first signal on
}

func (s *stream) init(o *conflict.Options, slow, sweep time.Duration, q *quota) {
	s.conflicts.init(&s.core, o)
	s.inline.init(&s.core, slow)
	s.readers.init(&s.core)
	s.quota, s.every, s.lost = q, sweep, s.lose
}

// write calls commit, which appends to the stream, with the lock held. Then it
// lets handlers and observers follow. A caller whose context ends leaves that to
// others.
func (s *stream) write(ctx context.Context, commit func(now int64) error) error {
	ended := ctx.Done() // here, because a caller's context may panic
	s.mu.Lock()
	done := false
	defer s.unlockAfterPanic(&done)
	err := ErrClosed
	if s.state == open {
		err = commit(s.clock.Now())
	}
	done = true
	if s.behindLocked() {
		s.driveLocked(ended)
	}
	s.mu.Unlock()
	if s.events.Watched() {
		s.showFor(ctx)
	}
	return err
}

// unlockAfterPanic is deferred: if a caller's code or context makes a commit
// panic, other callers can continue, and what is in the log is handled.
func (s *stream) unlockAfterPanic(done *bool) {
	if *done {
		return
	}
	if s.behindLocked() {
		s.driving = true
		s.goLocked(s.driveOn)
	}
	s.mu.Unlock()
	s.events.ShowLater()
}

// appendLocked appends an entry and shows it to those who follow the log. Its
// signal is then the one in the log.
func (s *stream) appendLocked(e *store.Entry, fed bool) {
	seg, i := s.log.Append(e)
	e.Signal = seg.Signal[i]
	if s.events.Watched() { // making the event allocates
		s.events.Emit(Published{Signal: e.Signal, Fed: fed || s.shared})
	}
	s.quota.held(e.Source, e.Signal)
	if e.Pages.Role != isNothing {
		s.followLocked(e, fed)
	}
	s.awaitLocked(seg, i)
	if s.log.Crowded() {
		s.log.Evict(s.clock.Last(), s.at.Pos, s.lostLocked())
	}
	s.wakeLocked(e)
	s.reviewLocked()
}

// committedLocked announces the conflicts that were opened, and lets readers that
// hold no lock see what was appended.
func (s *stream) committedLocked() {
	if len(s.opened) > 0 {
		s.announceLocked()
	}
	if s.log.Readers() > 0 {
		s.readable.Store(s.log.Next())
	}
	if !s.sweeping {
		s.startSweeperLocked()
	}
}

func (s *stream) announceLocked() {
	for _, o := range s.opened {
		// The history may have the same conflict of two other signals with these ids.
		if _, _, held := s.log.Find(o.pair.ID()); !held {
			e := s.announcement(&o)
			s.appendLocked(&e, false)
		}
	}
	clear(s.opened)
	s.opened = s.opened[:0]
}

// sweep frees the room of expired signals. It lets publishers in after each of the
// history's blocks.
func (s *stream) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	due := s.log.Due(now)
	for pos := s.log.Floor(); due && pos < s.log.Next(); {
		var due bool
		if pos, due = s.log.Expire(pos, now, s.at.Pos, s.lostLocked()); due {
			s.mu.Unlock()
			s.mu.Lock()
			pos = max(pos, s.log.Floor()) // publishers may have moved it
		}
	}
	s.expireLocked(now)
	s.quota.forgetIdle(now)
}

func (s *stream) startSweeperLocked() {
	if s.every < 0 || s.state == closed {
		return
	}
	s.sweeping = true
	s.goLocked(func() {
		tick := time.NewTicker(s.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.sweep()
				s.events.ShowLater()
			case <-s.done:
				return
			}
		}
	})
}

// lostLocked returns what the log calls for entries that leave the history,
// nil if no one observes them or counts their bytes.
func (s *stream) lostLocked() func(*store.Segment, int, bool) {
	if !s.events.Watched() && !s.quota.limitsBytes() {
		return nil
	}
	return s.lost
}

func (s *stream) lose(seg *store.Segment, i int, expired bool) {
	s.quota.lost(seg.Head(i).Source, seg.Signal[i])
	if watched := s.events.Watched(); watched && expired { // making the event allocates
		s.events.Emit(Expired{Signal: seg.Signal[i]})
	} else if watched {
		s.events.Emit(Evicted{Signal: seg.Signal[i]})
	}
}
