package swarm

import (
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/swarm/internal/keep"
)

// ThreadsWithin lets the swarms on a bus begin only threads that has reports, until stop is
// called: a log with several partitions has some of all threads. Has must not use a swarm. It may
// be called concurrently.
func ThreadsWithin(b *bus.Bus, has func(thread string) bool) (stop func()) {
	return keep.Within(b, has)
}
