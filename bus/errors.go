package bus

import (
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

var (
	// ErrClosed is returned if the bus or the subscription was closed.
	ErrClosed = errors.New("bus: closed")
	// ErrExpired is returned if a signal had expired before it was published.
	ErrExpired = errors.New("bus: signal expired")
	// ErrDuplicate is returned if the history already has a signal with this id,
	// so publishing again after a lost answer does no harm.
	ErrDuplicate = errors.New("bus: duplicate signal id")
	// ErrBacklog is returned if too many signals wait for inline handlers; see
	// [Options].Undrained.
	ErrBacklog = errors.New("bus: backlog full")
	// ErrLagged ends a subscription whose reader did not keep up.
	ErrLagged = errors.New("bus: subscription lagged")
	// ErrInline is returned if a handler tries to wait for handlers.
	ErrInline = errors.New("bus: waiting for handlers inside a handler")
)

// An OptionError names an invalid field of [Options], [SubscribeOptions] or
// [HandleOptions], or an invalid handler.
type OptionError struct {
	Field   string
	Value   any
	Problem string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("bus: option %s is %v: %s", e.Field, e.Value, e.Problem)
}

// A PermissionError is returned for a signal that an agent's handle does not
// allow, and says why.
type PermissionError struct {
	Agent  string
	Kind   signals.Kind
	Thread string
	Reason string
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("bus: agent %q may not publish %q in thread %q: %s", e.Agent, e.Kind, e.Thread, e.Reason)
}

// An EvictedError is returned to a reader that wants to start before the
// history: signals after After have been evicted.
type EvictedError struct {
	After  uint64
	Oldest uint64 // sequence number of the oldest signal in the history
}

func (e *EvictedError) Error() string {
	return fmt.Sprintf("bus: signals after %d were evicted, the oldest kept is %d", e.After, e.Oldest)
}

// A LimitError is returned to an agent that publishes more than [Options] allow.
type LimitError struct {
	Agent   string
	Problem string
	Retry   time.Duration // after which there may be room again; 0: unknown
}

func (e *LimitError) Error() string { return fmt.Sprintf("bus: agent %q: %s", e.Agent, e.Problem) }

// A PanicError is the error of a handler that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("bus: handler panicked: %v", e.Value) }
