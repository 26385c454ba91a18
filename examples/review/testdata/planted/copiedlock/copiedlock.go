// Package copiedlock has a counter.
package copiedlock

import "sync"

// Counter counts up; many may use it at once.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Add counts one more and returns the count.
func (c Counter) Add() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}
