package consensus

// Stance is a voter's position on one proposal. Its text form is "agree", "disagree" or "abstain".
// The zero value is not a stance and is refused in a [Vote].
type Stance uint8

// The stances.
const (
	Agree    Stance = 1 + iota // for the proposal
	Disagree                   // against the proposal
	Abstain                    // neither: counts for the quorum, never as a "no"
)

var stances = texts[Stance]{"Stance", "stance", Agree, []string{
	Agree: "agree", Disagree: "disagree", Abstain: "abstain",
}}

// String returns the wire text, or Stance(n) for a value that has none.
func (s Stance) String() string { return stances.string(s) }

// MarshalText returns the wire text; a value that has none is an error.
func (s Stance) MarshalText() ([]byte, error) { return stances.marshal(s) }

// UnmarshalText reads what MarshalText writes and leaves s unchanged on
// anything else.
func (s *Stance) UnmarshalText(text []byte) error { return stances.unmarshal(text, s) }
