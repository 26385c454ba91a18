package routing

import "github.com/swarmbus/swarmbus/signals"

// The kinds of what reaches an agent from outside, beside those of package
// signals, where [signals.KindToolResult] is. A custom kind is any other: with a
// payload type of its own, or as [signals.Raw] with JSON.
const (
	KindUserMessage signals.Kind = "user:message"
	KindStop        signals.Kind = "stop"
	KindTimer       signals.Kind = "timer"
)

// UserMessage is what a person says to agents.
type UserMessage struct {
	Text string `json:"text"` // required
}

// Stop asks agents to stop. What it does is for their routes to say; an agent
// without one treats it as any other signal.
type Stop struct {
	Reason string `json:"reason,omitempty"`
}

// Timer says that a time has come.
type Timer struct {
	Name string `json:"name"` // required; tells timers apart
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

// Kinds returns what a [signals.Codec] needs to know of them.
func Kinds() []signals.Registration {
	return []signals.Registration{signals.For[UserMessage](), signals.For[Stop](), signals.For[Timer]()}
}
