package consensus

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

var outcomes = texts[Outcome]{"Outcome", "outcome", Pending, []string{
	Pending: "pending", Reached: "reached", Rejected: "rejected",
	Deadlocked: "deadlocked", Uncertified: "uncertified",
}}

// Valid reports whether o is one of the outcomes above.
func (o Outcome) Valid() bool { return outcomes.valid(o) }

// String returns the text on the wire, or Outcome(n) for a value that has none.
func (o Outcome) String() string { return outcomes.string(o) }

// MarshalText writes the text on the wire and refuses a value that has none.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.marshal(o) }

// UnmarshalText reads what MarshalText writes and leaves o alone on anything else.
func (o *Outcome) UnmarshalText(text []byte) error { return outcomes.unmarshal(text, o) }
