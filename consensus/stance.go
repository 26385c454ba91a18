package consensus

// Stance is a voter's position on one proposal. It travels as text: "agree", "disagree", "abstain".
// The zero value is no stance and is refused in a [Vote].
type Stance uint8

// The stances.
const (
	Agree    Stance = 1 + iota // for the proposal
	Disagree                   // against the proposal
	Abstain                    // present, and neither: counts for the quorum, never as a "no"
)

var stances = texts[Stance]{"Stance", "stance", Agree, []string{
	Agree: "agree", Disagree: "disagree", Abstain: "abstain",
}}

// Valid reports whether s is one of the stances above.
func (s Stance) Valid() bool { return stances.valid(s) }

// String returns the text on the wire, or Stance(n) for a value that has none.
func (s Stance) String() string { return stances.string(s) }

// MarshalText writes the text on the wire and refuses a value that has none.
func (s Stance) MarshalText() ([]byte, error) { return stances.marshal(s) }

// UnmarshalText reads what MarshalText writes and leaves s alone on anything else.
func (s *Stance) UnmarshalText(text []byte) error { return stances.unmarshal(text, s) }
