package connectivity

import "github.com/swarmbus/swarmbus/bus"

// Stuck returns how many flights are under way.
func (l *Layer) Stuck() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.flights)
}

// made returns a bus whose options cannot be wrong.
func made(b *bus.Bus, err error) *bus.Bus {
	if err != nil {
		panic(err)
	}
	return b
}
