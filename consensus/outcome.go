package consensus

import "fmt"

// Outcome says how far a decision has come. It travels as text: "pending", "reached", "rejected",
// "deadlocked", "uncertified". The zero value is no outcome and no strategy returns it.
type Outcome uint8

// The outcomes, tried in the order the package documentation gives.
const (
	Pending     Outcome = 1 + iota // more votes may still settle it
	Reached                        // one proposal is chosen
	Rejected                       // every proposal is turned down
	Deadlocked                     // voting is closed and settled nothing
	Uncertified                    // the votes fit the leader no better than its opposite
)

var outcomes = [...]string{
	Pending: "pending", Reached: "reached", Rejected: "rejected",
	Deadlocked: "deadlocked", Uncertified: "uncertified",
}

// Valid reports whether o is one of the outcomes above.
func (o Outcome) Valid() bool { return o >= Pending && o <= Uncertified }

// String returns the text on the wire, or Outcome(n) for a value that has none.
func (o Outcome) String() string {
	if !o.Valid() {
		return fmt.Sprintf("Outcome(%d)", uint8(o))
	}
	return outcomes[o]
}

// MarshalText writes the text on the wire and refuses a value that has none.
func (o Outcome) MarshalText() ([]byte, error) {
	if !o.Valid() {
		return nil, &FieldError{Field: "outcome", Value: uint8(o), Want: "a known outcome"}
	}
	return []byte(outcomes[o]), nil
}

// UnmarshalText reads what MarshalText writes and leaves o alone on anything else.
func (o *Outcome) UnmarshalText(text []byte) error {
	for i := Pending; i <= Uncertified; i++ {
		if outcomes[i] == string(text) {
			*o = i
			return nil
		}
	}
	return &FieldError{Field: "outcome", Value: string(text), Want: "a known outcome"}
}
