package signals

// Effort is how much thinking a turn is given, and how much an escalation asks for: an
// agent may select a model by it. The zero value asks for nothing in particular.
type Effort uint8

// The efforts, least first.
const (
	Cheap Effort = 1 + iota
	Fast
	Deep
)

var efforts = NewEnum[Effort]("effort", "cheap", "fast", "deep")

// Check returns a [*FieldError] for an effort without a name.
func (e Effort) Check() error { return efforts.Check(e) }

// String returns the wire name, and "unset" for the zero value.
func (e Effort) String() string { return efforts.String(e) }

// MarshalText returns the wire name; an effort without a name is an error.
func (e Effort) MarshalText() ([]byte, error) { return efforts.Marshal(e) }

// UnmarshalText accepts the three names and nothing else.
func (e *Effort) UnmarshalText(text []byte) error { return efforts.Unmarshal(text, e) }
