package runlog

import (
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// late reports whether a question has expired at a time.
func (q *Question) late(now time.Time) bool { return !q.Expires.IsZero() && !now.Before(q.Expires) }

// Expire returns what the system has to publish at a time about questions that have expired: for
// each its answer, and what its rule says follows.
func (q *Questions) Expire(now time.Time) (say []signals.Any) {
	for _, of := range q.Open() {
		if !of.late(now) {
			continue
		}
		h := signals.Header{Thread: of.Thread, Confidence: 1, Recipients: signals.To(bus.System)}
		say = append(say, signals.New(h, of.Call.Expired()))
		if of.Call.OnExpiry == asking.ExpiryEscalates {
			reason := fmt.Sprintf("nobody answered within %v whether %s may call %s", of.Call.Expires, of.Asks, of.Call.Tool)
			say = append(say, signals.New(signals.Header{Thread: of.Thread, Confidence: 1}, signals.Escalation{Reason: reason}))
		}
	}
	return say
}

// Next returns when the first open question expires; zero: none does.
func (q *Questions) Next() (at time.Time) {
	for _, of := range q.Open() {
		if !of.Expires.IsZero() && (at.IsZero() || of.Expires.Before(at)) {
			at = of.Expires
		}
	}
	return at
}

// Stops returns why the thread stops: a question expired whose rule says so; "": it does not.
func (q *Questions) Stops() string {
	for _, of := range q.all {
		if of.Call != nil && of.Answer != nil && of.Answer.By == asking.ByExpiry && of.Call.Stops() {
			return fmt.Sprintf("nobody answered within %v whether %s may call %s", of.Call.Expires, of.Asks, of.Call.Tool)
		}
	}
	return ""
}
