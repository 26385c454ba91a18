package routing

import "github.com/swarmbus/swarmbus/signals"

// The kinds of signals that reach an agent from outside, in addition to those of
// package signals such as [signals.KindToolResult]. Any other kind is a custom
// one, with a payload type of its own or as [signals.Raw] JSON.
const (
	KindUserMessage signals.Kind = "user:message"
	KindStop        signals.Kind = "stop"
	KindTimer       signals.Kind = "timer"
)

// UserMessage is a message of a person to agents.
type UserMessage struct {
	Text string `json:"text"` // required
}

// Stop asks agents to stop. Their routes define its effect; an agent without
// routes treats it like any other signal.
type Stop struct {
	Reason string `json:"reason,omitempty"`
}

// Timer says that a timer has fired.
type Timer struct {
	Name string `json:"name"` // required; identifies the timer
}

// Kind returns KindUserMessage.
func (UserMessage) Kind() signals.Kind { return KindUserMessage }

// Kind returns KindStop.
func (Stop) Kind() signals.Kind { return KindStop }

// Kind returns KindTimer.
func (Timer) Kind() signals.Kind { return KindTimer }

// Check implements [signals.Checker].
func (p UserMessage) Check(l signals.Limits) error { return l.Required("text", p.Text) }

// Check implements [signals.Checker].
func (p Stop) Check(l signals.Limits) error { return l.Text("reason", p.Reason) }

// Check implements [signals.Checker].
func (p Timer) Check(l signals.Limits) error { return l.Name("name", p.Name) }

// Kinds returns the registrations of these kinds for a [signals.Codec].
func Kinds() []signals.Registration {
	return []signals.Registration{signals.For[UserMessage](), signals.For[Stop](), signals.For[Timer]()}
}
