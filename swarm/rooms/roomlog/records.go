package roomlog

import (
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// Began records that an agent's turn begins. Its source is the agent, its thread the
// room.
type Began struct {
	Turn    int             `json:"turn"`             // of all turns of the agent, from 1
	Message uint64          `json:"message,omitzero"` // position of the message that the turn is for; 0: for mail
	Why     schedule.Reason `json:"why,omitzero"`     // why this message
	// Level is the queue that the message was in by now: more urgent than its event says if
	// it was promoted for waiting. Waited are the agent's turns since it entered that queue.
	Level   schedule.Priority `json:"level,omitzero"`
	Waited  uint64            `json:"waited,omitzero"`
	Longest bool              `json:"longest,omitzero"` // the agent has waited longest, and was not chosen by urgency
}

// Kind implements [signals.Payload].
func (Began) Kind() signals.Kind { return "room.began" }

// Check implements [signals.Checker].
func (b Began) Check(signals.Limits) error { return signals.AtLeastZero("turn", float64(b.Turn)) }

// Outcome is the end of a turn.
type Outcome uint8

// The outcomes.
const (
	Spoke    Outcome = 1 + iota // the agent said something
	Passed                      // it chose silence
	Failed                      // the message waits again
	Moot                        // the agent has left the room of the message; the mail waits again
	SetAside                    // the turn failed, as others for it had: neither the message nor the mail waits again
)

var outcomes = signals.NewEnum[Outcome]("outcome", "spoke", "passed", "failed", "moot", "set aside")

// String returns the outcome in one word.
func (o Outcome) String() string { return outcomes.String(o) }

// MarshalText writes the word.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.Marshal(o) }

// UnmarshalText reads the word.
func (o *Outcome) UnmarshalText(text []byte) error { return outcomes.Unmarshal(text, o) }

// Ended records that an agent's turn has ended. Its source is the agent, its thread the
// room.
type Ended struct {
	Turn    int           `json:"turn"`
	Outcome Outcome       `json:"outcome"`
	Pause   time.Duration `json:"pause,omitzero"` // nanoseconds before the agent's next turn
	State   string        `json:"state,omitzero"` // of the agent's strategy after the turn; "": as it was
	Out     bool          `json:"out,omitzero"`   // a route has stopped the agent, until it is restarted
}

// Kind implements [signals.Payload].
func (Ended) Kind() signals.Kind { return "room.ended" }

// Check implements [signals.Checker].
func (e Ended) Check(signals.Limits) error { return outcomes.Check(e.Outcome) }

// Read records that the user has read a room, its thread, up to a position.
type Read struct {
	Through uint64 `json:"through"`
}

// Kind implements [signals.Payload].
func (Read) Kind() signals.Kind { return "room.read" }

// Check implements [signals.Checker].
func (Read) Check(signals.Limits) error { return nil }

// Kinds returns the kinds of all events and records.
func Kinds() []signals.Kind {
	return append(events.Kinds(), Began{}.Kind(), Ended{}.Kind(), Read{}.Kind())
}

// Payloads returns the registrations of all events and records for a [signals.Codec].
func Payloads() []signals.Registration {
	return append(events.Payloads(), signals.For[Began](), signals.For[Ended](), signals.For[Read]())
}
