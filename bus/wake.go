package bus

// A queue is the readers that wait for a kind, a thread or anything, in the
// order in which they began to. A publisher wakes the first; each reader wakes
// the next when it comes for its signals, as long as that one has not seen
// the newest. So a publish costs the same for one reader and for a hundred,
// and no reader is woken for what it saw already. Under the bus's lock.
type queue struct {
	first, last *node
	newest      uint64 // position of the newest signal here, counted from 1
}

// A node is one place of a reader in a queue.
type node struct {
	queue      *queue
	prev, next *node
	reader     *sleeper
}

// A sleeper is a reader's way to wait.
type sleeper struct {
	nodes  []node        // one for each queue it waits in
	seen   uint64        // position behind what it has looked at
	ready  chan struct{} // closed to wake it; nil: awake
	waking bool          // it was woken, and owes a wake-up to those behind it
}

// wake wakes the first for what is before end. It need not be called while
// nobody waits: who comes later has seen that.
func (q *queue) wake(end uint64) {
	q.newest = end
	q.pass()
}

// pass wakes the first if there is something new for it.
func (q *queue) pass() {
	if q.first != nil && q.first.reader.seen < q.newest {
		q.first.reader.rouse()
	}
}

// sleep puts s to the end of its queues.
func (s *sleeper) sleep(seen uint64) chan struct{} {
	if s.ready == nil {
		s.ready, s.seen = make(chan struct{}), seen
		for i := range s.nodes {
			s.nodes[i].push(s)
		}
	}
	return s.ready
}

// rouse takes s out of its queues and wakes it.
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

// pay wakes the next in each queue, once for each time that s was woken.
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

// rouseAll wakes everybody.
func (q *queue) rouseAll() {
	for q.first != nil {
		q.first.reader.rouse()
	}
}
