// Package earlyreturn has a store.
package earlyreturn

import (
	"errors"
	"sync"
)

// Store keeps values.
type Store struct {
	mu     sync.Mutex
	values map[string]int
}

// Take returns the value of key and forgets it.
func (s *Store) Take(key string) (int, error) {
	s.mu.Lock()
	v, ok := s.values[key]
	if !ok {
		return 0, errors.New("earlyreturn: no such value")
	}
	delete(s.values, key)
	s.mu.Unlock()
	return v, nil
}
