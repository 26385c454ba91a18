package agents

import (
	"errors"
	"time"
)

// Passing marks err as temporary, such as too many requests at once or a broken
// connection: the driver of the agent may retry the turn, with the same inbox,
// but not before the duration after has elapsed. A nil err stays nil.
func Passing(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	return &passing{err, after}
}

// IsPassing reports whether err is temporary, and how long to wait before a
// retry. Errors of [Passing] are temporary, and so are those in whose chain the
// first error with a method Temporary() bool returns true, such as timeouts of
// package net; a method RetryAfter() time.Duration says how long to wait.
func IsPassing(err error) (after time.Duration, ok bool) {
	var says interface{ Temporary() bool }
	if !errors.As(err, &says) || !says.Temporary() {
		return 0, false
	}
	var asks interface{ RetryAfter() time.Duration }
	if errors.As(err, &asks) {
		after = max(0, asks.RetryAfter())
	}
	return after, true
}

type passing struct {
	err   error
	after time.Duration
}

func (p *passing) Error() string             { return p.err.Error() }
func (p *passing) Unwrap() error             { return p.err }
func (*passing) Temporary() bool             { return true }
func (p *passing) RetryAfter() time.Duration { return p.after }
