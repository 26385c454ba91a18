package consensus

import (
	"cmp"
	"fmt"
	"math"
)

// Vote is one voter's vote on one proposal. A voter may vote on several proposals and may change its mind:
// per voter and proposal the vote with the highest Seq counts. If two have the same Seq, the more cautious
// one counts (disagree before abstain before agree, then the lesser weight), so that the order in which
// votes are added never matters.
type Vote struct {
	Seq         uint64      `json:"seq"`                   // its place in the log
	Voter       string      `json:"voter"`                 // the voter; not empty
	ProposalID  string      `json:"proposalId"`            // the proposal; not empty
	Stance      Stance      `json:"stance"`                // agree, disagree or abstain
	CausalLevel CausalLevel `json:"causalLevel,omitempty"` // what the reason rests on; zero: unstated
	Weight      float64     `json:"weight"`                // how sure the voter is, in [0,1], to a billionth; 0 has no effect
	Reasoning   string      `json:"reasoning,omitempty"`   // for people to read
}

// Validate returns a [*FieldError] for the first invalid field, wrapped with the vote that it belongs
// to, or nil if the vote is valid.
func (v Vote) Validate() error {
	if err := v.fault(); err != nil {
		return fmt.Errorf("consensus: vote %d by %q on %q: %w", v.Seq, v.Voter, v.ProposalID, err)
	}
	return nil
}

func (v *Vote) fault() *FieldError {
	switch {
	case v.Voter == "":
		return &FieldError{"voter", v.Voter, "a name"}
	case v.ProposalID == "":
		return &FieldError{"proposalId", v.ProposalID, "a name"}
	case !stances.valid(v.Stance):
		return &FieldError{"stance", v.Stance, "agree, disagree or abstain"}
	case math.IsNaN(v.Weight) || v.Weight < 0 || v.Weight > 1:
		return &FieldError{"weight", v.Weight, "a number from 0 to 1"}
	case !causalLevels.valid(v.CausalLevel):
		return &FieldError{"causalLevel", v.CausalLevel, "a known level"}
	}
	return nil
}

// caution orders stances for votes that share a Seq.
var caution = [...]int{Agree: 0, Abstain: 1, Disagree: 2}

// compareClaim orders two votes of one voter on one proposal: the greater one counts. It is a total
// order on the content of votes, so the order of arrival does not matter.
func compareClaim(a, b *Vote) int {
	return cmp.Or(
		cmp.Compare(a.Seq, b.Seq),
		cmp.Compare(caution[a.Stance], caution[b.Stance]),
		cmp.Compare(b.Weight, a.Weight),
		cmp.Compare(a.CausalLevel, b.CausalLevel),
		cmp.Compare(a.Reasoning, b.Reasoning),
	)
}

// comparePlace orders votes for display: by position in the log, then by voter
// and proposal.
func comparePlace(a, b Vote) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Voter, b.Voter), cmp.Compare(a.ProposalID, b.ProposalID))
}

// entry is one vote as it was added. earlier counts the superseded votes that it also represents, which
// a [Round] no longer holds.
type entry struct {
	Vote
	earlier int32
	cell    int32 // where a [Round] keeps it
}
