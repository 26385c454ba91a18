package inspect

// Stance is the side that an inspector takes.
type Stance int

// The stances. Abstaining is for those who have nothing to go by.
const (
	Abstain Stance = iota
	Approve
	RequestChanges
)

// A Verdict is what an inspector makes of all that it knows, by its own
// evidence: nobody votes on what somebody else saw.
type Verdict struct {
	Stance Stance
	Weight float64 // in [0,1]; 0 for an abstention
	Reason string
}

// Track is how an inspector did where the answer is known, see the corpus.
type Track struct {
	Right float64 // share of its defects that are defects
	Found float64 // share of the defects it looks for that it finds
}

// Judge makes a verdict of claims, for the named inspector:
//   - Where a claim stands, it asks for changes if the claim is its own or it made
//     it worse, approves if it eased it, and abstains otherwise.
//   - Where none does, it keeps to a defect of its own with half its weight, and
//     approves by as much as it looked at and usually finds.
func Judge(p *Package, inspector string, track Track, claims []Claim) Verdict {
	var eased, refuted *Claim
	stands := false
	for _, c := range claims {
		own := c.Finding.Inspector == inspector
		switch {
		case c.Stands() && (own || c.worsenedBy(inspector)):
			return Verdict{RequestChanges, track.Right, c.String()}
		case c.Stands() && c.easedBy(inspector):
			refuted = &c
		case own && c.Finding.Grade == Defect && eased == nil:
			eased = &c
		}
		stands = stands || c.Stands()
	}
	looked, why := p.Looked(inspector)
	switch {
	case refuted != nil:
		return Verdict{Approve, track.Right / 2, "has its reasons against " + refuted.String()}
	case eased != nil:
		return Verdict{RequestChanges, track.Right / 2, "not convinced otherwise of " + eased.String()}
	case stands:
		return Verdict{Reason: "nothing of its own speaks for or against it"}
	case looked == 0:
		return Verdict{Reason: "could not look: " + why}
	case why != "":
		return Verdict{Approve, track.Found * looked, p.Scope(inspector) + ": nothing that asks for changes; but " + why}
	default:
		return Verdict{Approve, track.Found, p.Scope(inspector) + ": nothing that asks for changes"}
	}
}
