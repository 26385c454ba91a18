package consensus

import "cmp"

// Cause is the reason why a vote does not count. Its text form is "unknown-proposal", "not-eligible"
// or "superseded".
type Cause uint8

// The causes.
const (
	UnknownProposal Cause = 1 + iota // the proposal has not been made
	NotEligible                      // the voter is not in the electorate
	Superseded                       // the voter has since voted on this proposal again
)

var causes = texts[Cause]{"Cause", "cause", UnknownProposal, []string{
	UnknownProposal: "unknown-proposal", NotEligible: "not-eligible", Superseded: "superseded",
}}

// String returns the wire text, or Cause(n) for a value that has none.
func (c Cause) String() string { return causes.string(c) }

// MarshalText returns the wire text; a value that has none is an error.
func (c Cause) MarshalText() ([]byte, error) { return causes.marshal(c) }

// UnmarshalText reads what MarshalText writes and leaves c unchanged on
// anything else.
func (c *Cause) UnmarshalText(text []byte) error { return causes.unmarshal(text, c) }

// Uncounted is one or more votes of a voter on a proposal that do not count.
type Uncounted struct {
	Voter      string `json:"voter"`
	ProposalID string `json:"proposalId"`
	Cause      Cause  `json:"cause"`
	Votes      int    `json:"votes"` // how many
}

func compareUncounted(a, b Uncounted) int {
	return cmp.Or(cmp.Compare(a.Voter, b.Voter), cmp.Compare(a.ProposalID, b.ProposalID), cmp.Compare(a.Cause, b.Cause))
}
