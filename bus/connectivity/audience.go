package connectivity

import "github.com/swarmbus/swarmbus/signals"

// Audience is whom a signal is for. The layer turns it into recipients once,
// when the signal is emitted. The zero value is refused.
type Audience uint8

// The audiences.
const (
	Self        Audience = 1 + iota // the source alone
	Coordinator                     // the thread's coordinator, see [Layer.SetCoordinator]
	Selected                        // whom a [Resolver] names
	All                             // every component of the thread, see [Layer.Register]
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
