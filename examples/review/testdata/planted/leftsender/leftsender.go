// Package leftsender asks with a limit.
package leftsender

import (
	"errors"
	"time"
)

// Ask returns what f says within a second.
func Ask(f func() int) (int, error) {
	answer := make(chan int)
	go func() { answer <- f() }()
	select {
	case n := <-answer:
		return n, nil
	case <-time.After(time.Second):
		return 0, errors.New("leftsender: too late")
	}
}
