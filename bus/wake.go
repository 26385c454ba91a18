package bus

// A queue holds the readers that wait for signals of a kind, for those of a thread
// or for any, in the order in which they began to wait. A publisher wakes the first
// reader; each reader wakes the next one when it reads its signals, unless that one
// has seen the newest. So publishing costs the same for one reader as for a hundred,
// and no reader is woken for signals that it has seen. The bus's lock protects it.
type queue struct {
	first, last *node
	newest      uint64 // position of the newest signal here, counted from 1
}

// A node is the place of a reader in one queue.
type node struct {
	queue      *queue
	prev, next *node
	reader     *sleeper
}

// A sleeper is a reader that can wait.
type sleeper struct {
	nodes  []node        // one for each queue that it waits in
	seen   uint64        // position after the last signal that it has examined
	ready  chan struct{} // closed to wake it; nil: awake
	waking bool          // it was woken, and has to wake the next reader of each queue
}

// wake wakes the first reader for signals before position end. It need not be called
// if no reader waits: readers that begin to wait later have seen these signals.
func (q *queue) wake(end uint64) {
	q.newest = end
	q.pass()
}

// pass wakes the first reader if there are signals that it has not seen.
func (q *queue) pass() {
	if q.first != nil && q.first.reader.seen < q.newest {
		q.first.reader.rouse()
	}
}

// sleep appends s to its queues and returns the channel that is closed to wake it.
func (s *sleeper) sleep(seen uint64) chan struct{} {
	if s.ready == nil {
		s.ready, s.seen = make(chan struct{}), seen
		for i := range s.nodes {
			s.nodes[i].push(s)
		}
	}
	return s.ready
}

// rouse removes s from its queues and wakes it.
func (s *sleeper) rouse() {
	if s.ready == nil {
		return
	}
	for i := range s.nodes {
		s.nodes[i].remove()
	}
	close(s.ready)
	s.ready, s.waking = nil, true
}

// pay wakes the next reader of each queue, once each time that s was woken.
func (s *sleeper) pay() {
	if !s.waking {
		return
	}
	s.waking = false
	for i := range s.nodes {
		s.nodes[i].queue.pass()
	}
}

func (n *node) push(s *sleeper) {
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
