package events

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// An Event is an event in a room.
type Event struct {
	Seq     uint64 // position in the log; 0: not in the log
	ID      string
	Room    string // "" for keys
	From    string // an agent, [FromUser] or [FromRouter]
	Time    time.Time
	ReplyTo string // id of the event that this one answers; "": none
	Body    Body
	// Trace is the trace context in which the event was made; nil: not traced. It is in the log,
	// and neither in the id nor in the JSON form.
	Trace *signals.Trace
}

// Common returns the fields that the body of every event has.
func (e Event) Common() Common { return e.Body.common() }

// Live reports whether the event is only shown, and not in the log.
func (e Event) Live() bool {
	switch b := e.Body.(type) {
	case Pass:
		return true
	case Dialogue:
		return !b.Done
	case Tool, Signal, Mailbox, System, User, Key:
	}
	return false
}

// Kinds returns the kinds of all events.
func Kinds() []signals.Kind {
	return []signals.Kind{
		Dialogue{}.Kind(), Tool{}.Kind(), Signal{}.Kind(), Mailbox{}.Kind(), Pass{}.Kind(), System{}.Kind(), User{}.Kind(), Key{}.Kind(),
	}
}

// Payloads returns the registrations of all bodies for a [signals.Codec].
func Payloads() []signals.Registration {
	return []signals.Registration{
		signals.For[Dialogue](), signals.For[Tool](), signals.For[Signal](), signals.For[Mailbox](), signals.For[Pass](), signals.For[System](),
		signals.For[User](), signals.For[Key](),
	}
}

// Of returns the event of a signal, and whether it is one.
func Of(s signals.Any) (Event, bool) {
	body, ok := s.Body().(Body)
	if !ok {
		return Event{}, false
	}
	h := s.Head()
	return Event{h.Seq, h.ID.String(), h.Thread, h.Source, h.Time, h.ReplyTo.String(), body, h.Trace}, true
}

// Signal returns the event as a signal, without a position. It is an error if one
// of the ids is none.
func (e Event) Signal() (signals.Any, error) {
	h := signals.Header{Source: e.From, Thread: e.Room, Time: e.Time, TTL: -1, Confidence: 1, Trace: e.Trace}
	if err := first(h.ID.UnmarshalText([]byte(e.ID)), h.ReplyTo.UnmarshalText([]byte(e.ReplyTo))); err != nil {
		return nil, err
	}
	switch b := e.Body.(type) {
	case Dialogue:
		return signals.New(h, b), nil
	case Tool:
		return signals.New(h, b), nil
	case Signal:
		return signals.New(h, b), nil
	case Mailbox:
		return signals.New(h, b), nil
	case Pass:
		return signals.New(h, b), nil
	case System:
		return signals.New(h, b), nil
	case User:
		return signals.New(h, b), nil
	case Key:
		return signals.New(h, b), nil
	}
	return nil, fmt.Errorf("events: no body: %T", e.Body)
}

// head is the JSON form of the fields of Event.
type head struct {
	Seq     uint64    `json:"seq,omitzero"`
	ID      string    `json:"id,omitzero"`
	Type    string    `json:"type"`
	Room    string    `json:"room"`
	From    string    `json:"from"`
	TS      time.Time `json:"ts"`
	ReplyTo string    `json:"reply_to,omitzero"`
}

// MarshalJSON writes the event as one JSON object.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("events: event %q has no body", e.ID)
	}
	start, err := json.Marshal(head{e.Seq, e.ID, e.Body.Type(), e.Room, e.From, e.Time.UTC(), e.ReplyTo})
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(e.Body)
	if err != nil {
		return nil, err
	}
	return append(append(start[:len(start)-1], ','), rest[1:]...), nil
}

// UnmarshalJSON reads an event, and refuses what a log would refuse.
func (e *Event) UnmarshalJSON(data []byte) error {
	var h head
	if err := json.Unmarshal(data, &h); err != nil {
		return err
	}
	read, ok := readers[h.Type]
	if !ok {
		return &signals.FieldError{Field: "type", Value: h.Type, Problem: "not a type of event"}
	}
	body, err := read(data)
	if err != nil {
		return err
	}
	*e = Event{h.Seq, h.ID, h.Room, h.From, h.TS.UTC(), h.ReplyTo, body, nil}
	return nil
}

var readers = map[string]func([]byte) (Body, error){
	Dialogue{}.Type(): read[Dialogue], Tool{}.Type(): read[Tool], Signal{}.Type(): read[Signal], Mailbox{}.Type(): read[Mailbox], Pass{}.Type(): read[Pass],
	System{}.Type(): read[System], User{}.Type(): read[User], Key{}.Type(): read[Key],
}

func read[B interface {
	Body
	signals.Checker
}](data []byte) (Body, error) {
	var b B
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	return b, b.Check(signals.Limits{TextBytes: -1})
}
