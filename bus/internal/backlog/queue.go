package backlog

import "slices"

// A Queue holds the readers that wait for signals of a kind, for those of a thread
// or for any, in the order in which they began to wait. A publisher wakes the first
// reader; each reader wakes the next one when it reads its signals, unless that one
// has seen the newest. So publishing costs the same for one reader as for a hundred,
// and no reader is woken for signals that it has seen. One caller at a
// time may use the queues of a log and their sleepers.
type Queue struct {
	sleepers []*Sleeper // in that order
	newest   uint64     // position of the newest signal here, counted from 1
}

// A Sleeper is a reader that can wait.
type Sleeper struct {
	queues []*Queue      // that it waits in
	seen   uint64        // position after the last signal that it has examined
	ready  chan struct{} // closed to wake it; nil: awake
	waking bool          // it was woken, and has to wake the next reader of each queue
}

// In makes s wait in these queues. It must be awake.
func (s *Sleeper) In(queues ...*Queue) { s.queues = append(s.queues, queues...) }

// Idle reports whether s sleeps and has seen everything in its queues.
func (s *Sleeper) Idle() bool {
	return s.ready != nil && !slices.ContainsFunc(s.queues, func(q *Queue) bool { return q.newest > s.seen })
}

// Wake wakes the first reader for signals before position end. It need not be called
// if no reader waits: readers that begin to wait later have seen these signals.
func (q *Queue) Wake(end uint64) {
	q.newest = end
	q.pass()
}

// pass wakes the first reader if there are signals that it has not seen.
func (q *Queue) pass() {
	if len(q.sleepers) > 0 && q.sleepers[0].seen < q.newest {
		q.sleepers[0].Rouse()
	}
}

// Sleep appends s to its queues and returns the channel that is closed to wake it.
func (s *Sleeper) Sleep(seen uint64) chan struct{} {
	if s.ready == nil {
		s.ready, s.seen = make(chan struct{}), seen
		for _, q := range s.queues {
			q.sleepers = append(q.sleepers, s)
		}
	}
	return s.ready
}

// Rouse removes s from its queues and wakes it.
func (s *Sleeper) Rouse() {
	if s.ready == nil {
		return
	}
	for _, q := range s.queues {
		q.remove(s)
	}
	close(s.ready)
	s.ready, s.waking = nil, true
}

// Pay wakes the next reader of each queue, once each time that s was woken.
func (s *Sleeper) Pay() {
	if !s.waking {
		return
	}
	s.waking = false
	for _, q := range s.queues {
		q.pass()
	}
}

// remove removes a sleeper, usually the first: then the others stay where they are.
func (q *Queue) remove(s *Sleeper) {
	if q.sleepers[0] == s && len(q.sleepers) > 1 {
		q.sleepers[0], q.sleepers = nil, q.sleepers[1:]
		return
	}
	i := slices.Index(q.sleepers, s)
	q.sleepers = slices.Delete(q.sleepers, i, i+1)
}

// Over reports whether done is closed; a nil channel never is.
func Over(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
