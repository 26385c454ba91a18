package connectivity

import "github.com/swarmbus/swarmbus/signals"

// State is the state of a signal in its lifecycle:
//
//	emitted ─► active ─► superseded, expired or resolved
//
// A signal may end without having been active. A terminal state never changes.
type State uint8

// Forgotten is the state of a signal that an [Inbox] delivers after the layer
// has forgotten it: it had ended, or its thread was closed.
const Forgotten State = 0

// The states.
const (
	Emitted    State = 1 + iota // not delivered yet
	Active                      // delivered to an observer or a recipient
	Superseded                  // an update replaced it
	Expired                     // the thread reached its expiry step
	Resolved                    // it was dealt with
)

var stateNames = signals.NewEnum[State]("state", "emitted", "active", "superseded", "expired", "resolved")

// String returns the wire name, "forgotten", or the number of an unknown state.
func (s State) String() string {
	if s == Forgotten {
		return "forgotten"
	}
	return stateNames.String(s)
}

// MarshalText returns the wire name; an unknown state is an error.
func (s State) MarshalText() ([]byte, error) { return stateNames.Marshal(s) }

// UnmarshalText accepts the five wire names and nothing else.
func (s *State) UnmarshalText(text []byte) error { return stateNames.Unmarshal(text, s) }

// Terminal reports whether a signal in this state has ended.
func (s State) Terminal() bool { return s == Forgotten || s >= Superseded }

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
func eventOf(s State) Event {
	switch s {
	case Emitted:
		return WasEmitted
	case Superseded:
		return WasSuperseded
	case Expired:
		return WasExpired
	case Resolved:
		return WasResolved
	}
	return 0
}
