// Package locks takes locks and does not always give them back.
package locks

import "sync"

// Box is shared.
type Box struct {
	mu   sync.RWMutex
	n    int
	name string
	all  map[string]int
	// once is written by one method alone, which takes no lock.
	once int
}

// Set takes the lock.
func (b *Box) Set(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n = n
	b.all["n"] = n
}

// Reset does not.
func (b *Box) Reset() {
	b.n = 0         // want unguarded-write
	b.all["n"] = 0  // want unguarded-write
	b.name = "none" // nobody else writes it
	b.once++
}

// ResetLocked is called with the lock held.
func (b *Box) ResetLocked() { b.n = 0 }

// Init must come before any other call.
func (b *Box) Init() { b.n = 1 }

// Twice leaves it to Set.
func (b *Box) Twice(n int) {
	b.Set(n)
	b.n = 2 * n
}

func (b *Box) reset() { b.n = 0 }

// Lose keeps the lock.
func (b *Box) Lose() int {
	b.mu.RLock() // want lost-unlock
	return b.n
}

// Hand hands out the way to unlock.
func (b *Box) Hand() func() {
	b.mu.Lock()
	return b.release
}

func (b *Box) release() { b.mu.Unlock() }

// Lock means it.
func (b *Box) Lock() { b.mu.Lock() }

// Branches gives it back on every way.
func (b *Box) Branches() int {
	b.mu.Lock()
	if b.n > 0 {
		b.mu.Unlock()
		return 1
	}
	b.mu.Unlock()
	return b.n
}
