package agents

import (
	"errors"
	"time"
)

// ErrBudget is wrapped by errors of turns that would exceed a budget. A swarm
// in which no agent can continue for that reason reports it.
var ErrBudget = errors.New("agents: the budget is used up")

// Retryable marks err as temporary, such as too many requests at once or a broken
// connection: the driver of the agent may retry the turn, with the same inbox,
// but not before the duration after has elapsed. A nil err stays nil.
func Retryable(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	return &retryable{err, after}
}

// IsRetryable reports whether err is temporary, and how long to wait before a
// retry. Errors of [Retryable] are temporary, and so are those in whose chain the
// first error with a method Temporary() bool returns true, such as timeouts of
// package net; a method RetryAfter() time.Duration says how long to wait.
func IsRetryable(err error) (after time.Duration, ok bool) {
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

// IsOutage reports whether err says that what an agent depends on did not answer, and may answer later:
// it is temporary, or the first error in its chain with a method Outage() bool returns true, such as the
// error of a model after the last retry.
func IsOutage(err error) bool {
	var says interface{ Outage() bool }
	if errors.As(err, &says) {
		return says.Outage()
	}
	_, temporary := IsRetryable(err)
	return temporary
}

type retryable struct {
	err   error
	after time.Duration
}

func (r *retryable) Error() string             { return r.err.Error() }
func (r *retryable) Unwrap() error             { return r.err }
func (*retryable) Temporary() bool             { return true }
func (r *retryable) RetryAfter() time.Duration { return r.after }
