package schedule

// An entry is a message in a queue.
type entry struct {
	id    uint64
	since uint64 // finished turns of the agent when it entered the queue
}

// A fifo holds entries in the order of both fields.
type fifo struct {
	all  []entry
	head int
}

func (f *fifo) len() int { return len(f.all) - f.head }

func (f *fifo) first() (entry, bool) {
	if f.head == len(f.all) {
		return entry{}, false
	}
	return f.all[f.head], true
}

// push moves the entries to the front of the array before it would grow, if at
// least half of it is free, so a queue that is in use stops allocating.
func (f *fifo) push(e entry) {
	if len(f.all) == cap(f.all) && f.head > 0 && 2*f.head >= len(f.all) {
		f.all = f.all[:copy(f.all, f.all[f.head:])]
		f.head = 0
	}
	f.all = append(f.all, e)
}

func (f *fifo) pop() {
	if f.head++; f.head == len(f.all) {
		f.all, f.head = f.all[:0], 0
	}
}
