package connectivity

// Mode is how much effort an escalation asks for. The zero value asks for
// nothing.
type Mode uint8

// The modes.
const (
	Cheap Mode = 1 + iota
	Fast
	Deep
)

var modeNames = []string{"cheap", "fast", "deep"}

// String returns the wire name, "" for the zero value, or the number of an
// unknown mode.
func (m Mode) String() string {
	if m == 0 {
		return ""
	}
	return enumString(modeNames, m)
}

// MarshalText returns the wire name; an unknown mode, or none, is an error.
func (m Mode) MarshalText() ([]byte, error) { return enumText("mode", modeNames, m) }

// UnmarshalText accepts the three wire names and nothing else.
func (m *Mode) UnmarshalText(text []byte) error { return enumParse("mode", modeNames, text, m) }
