package swarm

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"weak"

	"github.com/swarmbus/swarmbus/bus"
)

// threads holds the threads of the solves on each bus of this process, because
// swarms with the same seed on one bus would use the same names. Entries are
// removed with their bus.
var threads = struct {
	sync.Mutex // protects on and its content
	on         map[weak.Pointer[bus.Bus]]*names
}{on: map[weak.Pointer[bus.Bus]]*names{}}

// names holds the threads on one bus.
type names struct {
	running map[string]bool
	last    map[uint32]uint64 // last number, by seed
}

// namesOf returns the threads on a bus. The caller holds the lock.
func namesOf(b *bus.Bus) *names {
	key := weak.Make(b)
	n := threads.on[key]
	if n == nil {
		n = &names{map[string]bool{}, map[uint32]uint64{}}
		threads.on[key] = n
		runtime.AddCleanup(b, forget, key)
	}
	return n
}

func forget(key weak.Pointer[bus.Bus]) {
	threads.Lock()
	defer threads.Unlock()
	delete(threads.on, key)
}

// reserve names the thread of a solve and counts it as running.
func (s *Swarm) reserve() (string, error) {
	threads.Lock()
	defer threads.Unlock()
	n, seed := namesOf(s.bus), uint32(s.opts.Seed)
	for {
		n.last[seed]++
		thread := s.threadPrefix() + strconv.FormatUint(n.last[seed], 10)
		if !n.running[thread] && !s.used(thread) {
			return thread, s.run(n, thread)
		}
	}
}

func (s *Swarm) threadPrefix() string { return fmt.Sprintf("solve-%08x-", uint32(s.opts.Seed)) }

// passed records that a thread with that number exists.
func (s *Swarm) passed(number uint64) {
	threads.Lock()
	defer threads.Unlock()
	n := namesOf(s.bus)
	n.last[uint32(s.opts.Seed)] = max(n.last[uint32(s.opts.Seed)], number)
}

// reserveAgain counts a solve with an existing thread as running.
func (s *Swarm) reserveAgain(thread string) error {
	threads.Lock()
	defer threads.Unlock()
	n := namesOf(s.bus)
	if n.running[thread] {
		return fmt.Errorf("%w: a solve of thread %s runs", ErrLog, thread)
	}
	return s.run(n, thread)
}

func (s *Swarm) run(n *names, thread string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	n.running[thread] = true
	s.running.Add(1)
	return nil
}

// used reports whether the bus has signals of the thread, possibly from another
// process.
func (s *Swarm) used(thread string) bool {
	for range s.bus.History(bus.Filter{Threads: []string{thread}}) {
		return true
	}
	return false
}

// release releases the thread of a finished solve.
func (s *Swarm) release(thread string) {
	threads.Lock()
	defer threads.Unlock()
	delete(namesOf(s.bus).running, thread)
}
