package swarm

import (
	"fmt"
	"sync"

	"github.com/swarmbus/swarmbus/bus"
)

// threads are those of the solves that run in this process, by bus: swarms with
// the same seed on one bus name theirs alike.
var threads = struct {
	sync.Mutex // protects taken
	taken      map[*bus.Bus]map[string]bool
}{taken: map[*bus.Bus]map[string]bool{}}

// reserve names the thread of a solve and counts it as running.
func (s *Swarm) reserve() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", ErrClosed
	}
	for {
		s.solves++
		thread := fmt.Sprintf("solve-%08x-%d", uint32(s.opts.Seed), s.solves)
		if s.take(thread) {
			s.running.Add(1)
			return thread, nil
		}
	}
}

// take reports whether nobody uses the thread on the bus, and takes it.
func (s *Swarm) take(thread string) bool {
	threads.Lock()
	defer threads.Unlock()
	if threads.taken[s.bus][thread] || !s.own && s.used(thread) {
		return false
	}
	s.hold(thread)
	return true
}

// used reports whether the bus has something of the thread.
func (s *Swarm) used(thread string) bool {
	for range s.bus.History(bus.Filter{Threads: []string{thread}}) {
		return true
	}
	return false
}

// release gives the thread of a solve that ended back.
func (s *Swarm) release(thread string) {
	threads.Lock()
	defer threads.Unlock()
	delete(threads.taken[s.bus], thread)
	if len(threads.taken[s.bus]) == 0 {
		delete(threads.taken, s.bus)
	}
}

// takeAgain takes a thread that the bus has, unless a solve runs in it.
func (s *Swarm) takeAgain(thread string) bool {
	threads.Lock()
	defer threads.Unlock()
	if threads.taken[s.bus][thread] {
		return false
	}
	s.hold(thread)
	return true
}

func (s *Swarm) hold(thread string) {
	if threads.taken[s.bus] == nil {
		threads.taken[s.bus] = map[string]bool{}
	}
	threads.taken[s.bus][thread] = true
}
