// Package deferlock has a cache.
package deferlock

import "sync"

// Cache keeps values.
type Cache struct {
	mu     sync.Mutex
	values map[string]string
}

// Get returns the value of key.
func (c *Cache) Get(key string) string {
	c.mu.Lock()
	defer c.mu.Lock()
	return c.values[key]
}
