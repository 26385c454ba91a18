// Package keptlock has a queue.
package keptlock

import "sync"

// Queue is first in, first out.
type Queue struct {
	mu    sync.Mutex
	items []string
}

// Push adds an item.
func (q *Queue) Push(item string) {
	q.mu.Lock()
	q.items = append(q.items, item)
}
