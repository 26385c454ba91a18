package consensus

// Outcome is the state of a decision. Its text form is one word, such as "reached" or "settled". The zero value is
// not an outcome, and no strategy returns it.
//
// The strategies of this package return the first five. The others are of those who know more than votes:
// whom they have asked for an answer, and how conflicts between proposals were settled.
type Outcome uint8

// The outcomes. The package documentation says in which order they are tried.
const (
	Pending      Outcome = 1 + iota // more votes may still settle it
	Reached                         // one proposal is chosen
	Rejected                        // every proposal is turned down
	Deadlocked                      // voting is closed and nothing is settled
	Uncertified                     // the votes fit the leader no better than its opposite
	Contested                       // voting is closed, and what leads lacks something for a consensus ([Decision.Lacks])
	BySettlement                    // a settlement ([Decision.By]) has chosen what the votes alone have not
	Answered                        // one voter alone ([Decision.By]) has an answer, which is the choice
)

var outcomes = texts[Outcome]{"Outcome", "outcome", Pending, []string{
	Pending: "pending", Reached: "reached", Rejected: "rejected",
	Deadlocked: "deadlocked", Uncertified: "uncertified",
	Contested: "contested", BySettlement: "settled", Answered: "answered",
}}

// String returns the wire text, or Outcome(n) for a value that has none.
func (o Outcome) String() string { return outcomes.string(o) }

// MarshalText returns the wire text; a value that has none is an error.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.marshal(o) }

// UnmarshalText reads what MarshalText writes and leaves o unchanged on
// anything else.
func (o *Outcome) UnmarshalText(text []byte) error { return outcomes.unmarshal(text, o) }
