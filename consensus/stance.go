package consensus

import "fmt"

// Stance is a voter's position on one proposal. It travels as text: "agree", "disagree", "abstain".
// The zero value is no stance and is refused in a [Vote].
type Stance uint8

// The stances.
const (
	Agree    Stance = 1 + iota // for the proposal
	Disagree                   // against the proposal
	Abstain                    // present, and neither: counts for the quorum, never as a "no"
)

var stances = [...]string{Agree: "agree", Disagree: "disagree", Abstain: "abstain"}

// Valid reports whether s is one of the stances above.
func (s Stance) Valid() bool { return s >= Agree && s <= Abstain }

// String returns the text on the wire, or Stance(n) for a value that has none.
func (s Stance) String() string {
	if !s.Valid() {
		return fmt.Sprintf("Stance(%d)", uint8(s))
	}
	return stances[s]
}

// MarshalText writes the text on the wire and refuses a value that has none.
func (s Stance) MarshalText() ([]byte, error) {
	if !s.Valid() {
		return nil, &FieldError{Field: "stance", Value: uint8(s), Want: "agree, disagree or abstain"}
	}
	return []byte(stances[s]), nil
}

// UnmarshalText reads what MarshalText writes and leaves s alone on anything else.
func (s *Stance) UnmarshalText(text []byte) error {
	for i := Agree; i <= Abstain; i++ {
		if stances[i] == string(text) {
			*s = i
			return nil
		}
	}
	return &FieldError{Field: "stance", Value: string(text), Want: "agree, disagree or abstain"}
}
