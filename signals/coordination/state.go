package coordination

import "github.com/swarmbus/swarmbus/signals"

// State is the state of a note in its lifecycle:
//
//	emitted ─► active ─► superseded, expired or resolved
//
// A note may end without having been active. A terminal state never changes.
type State uint8

// Forgotten is the state of a note that is delivered after it was forgotten: it had
// ended, or its thread was closed.
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

// Check returns a [*signals.FieldError] for a state without a name.
func (s State) Check() error { return stateNames.Check(s) }

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

// Terminal reports whether a note in this state has ended.
func (s State) Terminal() bool { return s == Forgotten || s >= Superseded }
