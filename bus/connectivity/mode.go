package connectivity

import "github.com/swarmbus/swarmbus/signals"

// Mode is how much effort an escalation asks for. The zero value asks for none.
// The values equal those of an agent's effort, so that a swarm can use the mode
// of a thread as the effort of its turns.
type Mode uint8

// The modes.
const (
	Cheap Mode = 1 + iota
	Fast
	Deep
)

var modeNames = signals.NewEnum[Mode]("mode", "cheap", "fast", "deep")

// String returns the wire name, "" for the zero value, or the number of an
// unknown mode.
func (m Mode) String() string {
	if m == 0 {
		return ""
	}
	return modeNames.String(m)
}

// MarshalText returns the wire name; an unknown mode, or none, is an error.
func (m Mode) MarshalText() ([]byte, error) { return modeNames.Marshal(m) }

// UnmarshalText accepts the three wire names and nothing else.
func (m *Mode) UnmarshalText(text []byte) error { return modeNames.Unmarshal(text, m) }
