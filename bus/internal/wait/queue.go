// Package wait wakes the readers of a log, one by one.
package wait

import "slices"

// A Queue holds the readers that wait for signals of a kind, for those of a thread
// or for any, in the order in which they began to wait. A publisher wakes the first
// reader; each reader wakes the next one when it reads its signals, unless that one
// has seen the newest. So publishing costs the same for one reader as for a hundred,
// and no reader is woken for signals that it has seen. One caller at a
// time may use the queues of a log and their sleepers.
type Queue struct {
	first, last *node
	newest      uint64 // position of the newest signal here, counted from 1
}

// A node is the place of a reader in one queue.
type node struct {
	queue      *Queue
	prev, next *node
	reader     *Sleeper
}

// A Sleeper is a reader that can wait.
type Sleeper struct {
	nodes  []node        // one for each queue that it waits in
	seen   uint64        // position after the last signal that it has examined
	ready  chan struct{} // closed to wake it; nil: awake
	waking bool          // it was woken, and has to wake the next reader of each queue
}

// In makes s wait in these queues. It must be awake.
func (s *Sleeper) In(queues ...*Queue) {
	for _, q := range queues {
		s.nodes = append(s.nodes, node{queue: q})
	}
}

// Idle reports whether s sleeps and has seen everything in its queues.
func (s *Sleeper) Idle() bool {
	return s.ready != nil && !slices.ContainsFunc(s.nodes, func(n node) bool { return n.queue.newest > s.seen })
}

// Waiting reports whether a reader sleeps in q.
func (q *Queue) Waiting() bool { return q.first != nil }

// Wake wakes the first reader for signals before position end. It need not be called
// if no reader waits: readers that begin to wait later have seen these signals.
func (q *Queue) Wake(end uint64) {
	q.newest = end
	q.pass()
}

// pass wakes the first reader if there are signals that it has not seen.
func (q *Queue) pass() {
	if q.first != nil && q.first.reader.seen < q.newest {
		q.first.reader.Rouse()
	}
}

// Sleep appends s to its queues and returns the channel that is closed to wake it.
func (s *Sleeper) Sleep(seen uint64) chan struct{} {
	if s.ready == nil {
		s.ready, s.seen = make(chan struct{}), seen
		for i := range s.nodes {
			s.nodes[i].push(s)
		}
	}
	return s.ready
}

// Rouse removes s from its queues and wakes it.
func (s *Sleeper) Rouse() {
	if s.ready == nil {
		return
	}
	for i := range s.nodes {
		s.nodes[i].remove()
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
	for i := range s.nodes {
		s.nodes[i].queue.pass()
	}
}

func (n *node) push(s *Sleeper) {
	q := n.queue
	n.reader, n.prev, n.next = s, q.last, nil
	if q.last != nil {
		q.last.next = n
	} else {
		q.first = n
	}
	q.last = n
}

func (n *node) remove() {
	q := n.queue
	if n.prev != nil {
		n.prev.next = n.next
	} else {
		q.first = n.next
	}
	if n.next != nil {
		n.next.prev = n.prev
	} else {
		q.last = n.prev
	}
	n.prev, n.next = nil, nil
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
