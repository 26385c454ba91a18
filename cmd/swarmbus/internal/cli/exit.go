package cli

import "fmt"

// The exit statuses, for every command.
const (
	ExitDecided     = 0
	ExitError       = 1
	ExitUsage       = 2
	ExitNoConsensus = 3 // rejected, deadlocked or uncertified
	ExitBudget      = 4
	ExitEscalated   = 5
	ExitCancelled   = 6
	ExitChanged     = 7 // of retract
	ExitContested   = 8 // settled, contested, or the answer of one agent: something leads, and is no consensus
)

// A StatusError ends the program with a status of its own.
type StatusError struct {
	Status int
	Err    error // nil: already reported
}

// Error implements error.
func (e *StatusError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

// Unwrap returns the error.
func (e *StatusError) Unwrap() error { return e.Err }

// Usage makes an error one of wrong usage.
func Usage(err error) error { return &StatusError{ExitUsage, err} }
