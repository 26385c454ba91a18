package consensus

import (
	"cmp"
	"fmt"
)

// Cause says why a vote does not count. It travels as text: "unknown-proposal", "not-eligible",
// "superseded".
type Cause uint8

// The causes.
const (
	UnknownProposal Cause = 1 + iota // nobody has made this proposal
	NotEligible                      // the voter is not in the electorate
	Superseded                       // the voter has since voted on this proposal again
)

var causes = [...]string{
	UnknownProposal: "unknown-proposal", NotEligible: "not-eligible", Superseded: "superseded",
}

// Valid reports whether c is one of the causes above.
func (c Cause) Valid() bool { return c >= UnknownProposal && c <= Superseded }

// String returns the text on the wire, or Cause(n) for a value that has none.
func (c Cause) String() string {
	if !c.Valid() {
		return fmt.Sprintf("Cause(%d)", uint8(c))
	}
	return causes[c]
}

// MarshalText writes the text on the wire and refuses a value that has none.
func (c Cause) MarshalText() ([]byte, error) {
	if !c.Valid() {
		return nil, &FieldError{Field: "cause", Value: uint8(c), Want: "a known cause"}
	}
	return []byte(causes[c]), nil
}

// UnmarshalText reads what MarshalText writes and leaves c alone on anything else.
func (c *Cause) UnmarshalText(text []byte) error {
	for i := UnknownProposal; i <= Superseded; i++ {
		if causes[i] == string(text) {
			*c = i
			return nil
		}
	}
	return &FieldError{Field: "cause", Value: string(text), Want: "a known cause"}
}

// Uncounted is one or more votes by a voter on a proposal that do not count.
type Uncounted struct {
	Voter    string `json:"voter"`
	Proposal string `json:"proposal"`
	Cause    Cause  `json:"cause"`
	Votes    int    `json:"votes"` // how many
}

func compareUncounted(a, b Uncounted) int {
	return cmp.Or(cmp.Compare(a.Voter, b.Voter), cmp.Compare(a.Proposal, b.Proposal), cmp.Compare(a.Cause, b.Cause))
}
