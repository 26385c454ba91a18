// Package racy shares without care.
package racy

import (
	"context"
	"sync"
)

// Box holds a number.
type Box struct {
	mu    sync.Mutex
	n     int
	hook  func(int)
	calls chan int
}

// Copy copies the lock with the number.
func Copy(b *Box) Box { return *b }

// Notify calls code it does not know, and may wait for a reader, with the lock
// held.
func (b *Box) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hook(b.n)
	b.calls <- b.n
}

// Take never gives the lock back.
func (b *Box) Take() int {
	b.mu.Lock()
	return b.n
}

// Spin starts what nothing ends.
func (b *Box) Spin() {
	go b.spin()
}

func (b *Box) spin() {
	for {
		b.n++
	}
}

// Ask leaves its goroutine behind when ctx ends first.
func Ask(ctx context.Context, f func() int) (int, error) {
	answer := make(chan int)
	go func() { answer <- f() }()
	select {
	case n := <-answer:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Count adds to the group where it is too late.
func Count(f func()) {
	var wg sync.WaitGroup
	go func() {
		wg.Add(1)
		defer wg.Done()
		f()
	}()
	wg.Wait()
}
