package bus

import (
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

var (
	// ErrClosed says that the bus, or the subscription, was closed.
	ErrClosed = errors.New("bus: closed")
	// ErrExpired says that a signal's life was over before it was published.
	ErrExpired = errors.New("bus: signal expired")
	// ErrDuplicate says that a signal with this id is in the history already,
	// so publishing again after a lost answer does no harm.
	ErrDuplicate = errors.New("bus: duplicate signal id")
	// ErrBacklog says that a reader has as much before it as it may, and that
	// waiting for it was not asked for or would have been waiting for oneself.
	ErrBacklog = errors.New("bus: backlog full")
	// ErrLagged ends a subscription that did not keep up.
	ErrLagged = errors.New("bus: subscription lagged")
	// ErrProposals says that as many proposals are live as may be.
	ErrProposals = errors.New("bus: too many live proposals")
	// ErrInline says that a handler asked to wait for handlers.
	ErrInline = errors.New("bus: waiting for handlers inside a handler")
)

// An OptionError names a field of [Options], [SubscribeOptions] or
// [HandleOptions], or a handler, that cannot be what it is.
type OptionError struct {
	Field   string
	Value   any
	Problem string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("bus: option %s is %v: %s", e.Field, e.Value, e.Problem)
}

// A PermissionError says what an agent's handle does not allow.
type PermissionError struct {
	Agent  string
	Kind   signals.Kind
	Thread string
	Reason string
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("bus: agent %q may not publish %q in thread %q: %s", e.Agent, e.Kind, e.Thread, e.Reason)
}

// A ProposalError says that a proposal id belongs to another proposal of the
// thread: the first source and content that used it.
type ProposalError struct {
	Thread     string
	ProposalID string
	Owner      string // the first source
}

func (e *ProposalError) Error() string {
	return fmt.Sprintf("bus: proposal id %q in thread %q belongs to another proposal, by %q", e.ProposalID, e.Thread, e.Owner)
}

// An EvictedError says that a reader wanted to start where the history no
// longer reaches: signals after After were evicted.
type EvictedError struct {
	After  uint64
	Oldest uint64 // sequence number of the oldest signal that is kept
}

func (e *EvictedError) Error() string {
	return fmt.Sprintf("bus: signals after %d were evicted, the oldest kept is %d", e.After, e.Oldest)
}

// A LimitError says that an agent published more than [Options] allow.
type LimitError struct {
	Agent   string
	Problem string
	Retry   time.Duration // when there may be room again; 0: not known
}

func (e *LimitError) Error() string { return fmt.Sprintf("bus: agent %q: %s", e.Agent, e.Problem) }

// A PanicError is what a handler's panic becomes.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("bus: handler panicked: %v", e.Value) }
