package agents

import "github.com/swarmbus/swarmbus/signals"

// An Ask says what an agent has to give in a turn of a solve that does not deliberate: see
// package mode. The turn shows the agent only the signals that it may use. The wire form of
// an Ask is text.
type Ask uint8

// The asks.
const (
	// AskAnswer asks for an answer of the agent's own: a proposal. Neither the answers of
	// others are shown nor earlier ones of its own.
	AskAnswer Ask = 1 + iota
	// AskFacts asks for what the agent knows and others may not, as discoveries, and for no
	// answer.
	AskFacts
	// AskVerdict asks for a vote that agrees with the proposal that is right by the argument
	// for it. If no argument holds, the agent passes.
	AskVerdict
)

var asks = signals.NewEnum[Ask]("ask", "answer", "facts", "verdict")

// Check returns a [*signals.FieldError] for a value that is no Ask.
func (a Ask) Check() error { return asks.Check(a) }

// String returns the wire name, or the number of an unknown one.
func (a Ask) String() string { return asks.String(a) }

// MarshalText returns the wire name; an unknown one is an error.
func (a Ask) MarshalText() ([]byte, error) { return asks.Marshal(a) }

// UnmarshalText reads what MarshalText writes.
func (a *Ask) UnmarshalText(text []byte) error { return asks.Unmarshal(text, a) }
