package coordination

import "github.com/swarmbus/swarmbus/signals"

// Audience says which components a note is for. Its recipients are determined once, when
// it is emitted. The zero value is refused on the wire.
type Audience uint8

// The audiences.
const (
	Self        Audience = 1 + iota // only the source
	Coordinator                     // the thread's coordinator
	Selected                        // the components that a resolver names: in a swarm, who continues
	All                             // every component registered in the thread at that moment
)

var audienceNames = signals.NewEnum[Audience]("audience", "self", "coordinator", "selected", "all")

// String returns the wire name, or the number of an unknown audience.
func (a Audience) String() string { return audienceNames.String(a) }

// MarshalText returns the wire name; an unknown audience is an error.
func (a Audience) MarshalText() ([]byte, error) { return audienceNames.Marshal(a) }

// UnmarshalText accepts the four wire names and nothing else.
func (a *Audience) UnmarshalText(text []byte) error {
	return audienceNames.Unmarshal(text, a)
}
