package keep

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"weak"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// onBus holds the threads of the solves on each bus of this process, because
// swarms with the same seed on one bus would use the same names. Entries are
// removed with their bus.
var onBus = struct {
	sync.Mutex // protects all and its content
	all        map[weak.Pointer[bus.Bus]]*threads
}{all: map[weak.Pointer[bus.Bus]]*threads{}}

// threads are those on one bus.
type threads struct {
	running map[string]bool
	last    map[uint32]uint64 // last number, by seed
}

// A Namer names the threads of a swarm. It may be used concurrently.
type Namer struct {
	bus  *bus.Bus
	seed uint32
}

// NewNamer returns the namer of a swarm with that seed on a bus.
func NewNamer(b *bus.Bus, seed uint64) *Namer { return &Namer{b, uint32(seed)} }

// locked returns the threads on the bus. The caller holds the lock.
func (n *Namer) locked() *threads {
	key := weak.Make(n.bus)
	t := onBus.all[key]
	if t == nil {
		t = &threads{running: map[string]bool{}, last: map[uint32]uint64{}}
		onBus.all[key] = t
		runtime.AddCleanup(n.bus, forget, key)
	}
	return t
}

func forget(key weak.Pointer[bus.Bus]) {
	onBus.Lock()
	defer onBus.Unlock()
	delete(onBus.all, key)
}

// Prefix returns the beginning of the names; a number follows.
func (n *Namer) Prefix() string { return fmt.Sprintf("solve-%08x-", n.seed) }

// Reserve names the thread of a solve and counts it as running, until it is released.
func (n *Namer) Reserve() string {
	onBus.Lock()
	defer onBus.Unlock()
	for t := n.locked(); ; {
		t.last[n.seed]++
		thread := n.Prefix() + strconv.FormatUint(t.last[n.seed], 10)
		if !t.running[thread] && !n.used(thread) {
			t.running[thread] = true
			return thread
		}
	}
}

// used reports whether the bus has signals of the thread, possibly from another
// process.
func (n *Namer) used(thread string) bool {
	for range n.bus.History(bus.Filter{Threads: []string{thread}}) {
		return true
	}
	return false
}

// ReserveAgain counts a solve with an existing thread as running. It returns a wrapped
// [runlog.ErrLog] if it is.
func (n *Namer) ReserveAgain(thread string) error {
	onBus.Lock()
	defer onBus.Unlock()
	t := n.locked()
	if t.running[thread] {
		return fmt.Errorf("%w: a solve of thread %s runs", runlog.ErrLog, thread)
	}
	t.running[thread] = true
	return nil
}

// Release releases the thread of a finished solve.
func (n *Namer) Release(thread string) {
	onBus.Lock()
	defer onBus.Unlock()
	delete(n.locked().running, thread)
}

// Runs reports whether the thread is that of a running solve.
func (n *Namer) Runs(thread string) bool {
	onBus.Lock()
	defer onBus.Unlock()
	return n.locked().running[thread]
}

// Passed says that a thread with that number exists.
func (n *Namer) Passed(number uint64) {
	onBus.Lock()
	defer onBus.Unlock()
	t := n.locked()
	t.last[n.seed] = max(t.last[n.seed], number)
}

// Idle calls f with the last number if no solve is running on the bus. None begins
// before f returns.
func (n *Namer) Idle(f func(last uint64) error) error {
	onBus.Lock()
	defer onBus.Unlock()
	t := n.locked()
	if len(t.running) > 0 {
		return nil
	}
	return f(t.last[n.seed])
}
