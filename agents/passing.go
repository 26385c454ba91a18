package agents

import (
	"errors"
	"time"
)

// Passing marks err as one that passes, such as too many requests at once or a
// broken connection: whoever drives the agent may take the turn again, with the
// same inbox, not before after has gone by. A nil err stays nil.
func Passing(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	return &passing{err, after}
}

// IsPassing reports whether err says that it passes, and how long it asks to
// wait. So do errors of [Passing], and others in whose chain the first with a
// method Temporary() bool says yes, as timeouts of package net do; a method
// RetryAfter() time.Duration tells how long.
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
