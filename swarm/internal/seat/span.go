package seat

import "time"

// A round waits for its turns for a part of the solve's time, or of their own. A
// canceled turn has a moment to return its signals, before it is left behind.
const (
	patience = 4 // the part is a quarter
	// Returns is the longest moment.
	Returns = 250 * time.Millisecond
)

// A Span is the time of a solve.
type Span struct{ Began, Deadline time.Time }

// Length returns the time between beginning and deadline.
func (s Span) Length() time.Duration { return s.Deadline.Sub(s.Began) }

// moment returns how long a canceled turn has to return.
func (s Span) moment() time.Duration { return min(Returns, s.Length()/20) }

// Turns returns when turns end at the latest.
func (s Span) Turns() time.Time { return s.Deadline.Add(-s.moment()) }
