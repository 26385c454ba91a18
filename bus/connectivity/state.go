package connectivity

import (
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Event is what happened to a signal, for observers.
type Event uint8

// The events.
const (
	WasEmitted Event = 1 + iota
	WasSuperseded
	WasExpired
	WasResolved
	Crowded // its source now has more than [Crowd] open signals in the thread; the state does not change
)

// Crowd is the number of open signals of one source in a thread, without
// handoffs, above which signals are probably not resolved when they have been
// dealt with, or the suppression rule is too loose.
const Crowd = 10

var eventNames = signals.NewEnum[Event]("event", "emitted", "superseded", "expired", "resolved", "crowded")

// String returns the event's name.
func (e Event) String() string { return eventNames.String(e) }

// eventOf returns the event of reaching a state; 0 for Active, of which
// observers are not notified because they cause it.
func eventOf(s coordination.State) Event {
	switch s {
	case coordination.Emitted:
		return WasEmitted
	case coordination.Superseded:
		return WasSuperseded
	case coordination.Expired:
		return WasExpired
	case coordination.Resolved:
		return WasResolved
	}
	return 0
}
