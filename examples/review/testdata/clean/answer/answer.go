// Package answer asks with a limit.
package answer

import "context"

// Ask returns what f says before ctx ends.
func Ask(ctx context.Context, f func() int) (int, error) {
	answer := make(chan int, 1)
	go func() { answer <- f() }()
	select {
	case n := <-answer:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Wait returns what f says.
func Wait(f func() int) int {
	var n int
	done := make(chan struct{})
	go func() {
		n = f()
		close(done)
	}()
	<-done
	return n
}
