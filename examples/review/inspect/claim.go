package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Claim is a finding with what was said about it.
type Claim struct {
	Finding   Finding
	Arguments []Argument
}

// Claims pairs findings with all arguments there are about them.
func Claims(p *Package, findings []Finding) []Claim {
	claims := make([]Claim, len(findings))
	for i, f := range findings {
		claims[i] = Claim{f, Debate(p, f)}
	}
	return claims
}

// grade is what is left of the finding at one of its places: one step less for
// each argument that eases it there, one more for each that worsens it.
func (c Claim) grade(at Place) Grade {
	g := c.Finding.Grade
	for _, a := range c.Arguments {
		switch {
		case !slices.Contains(a.Covers, at):
		case a.Effect == Worsens:
			g++
		default:
			g--
		}
	}
	return g
}

// Standing returns the places where the claim asks for changes, the worst first:
// where it is still a defect after all that was said.
func (c Claim) Standing() []Place {
	var places []Place
	for _, at := range c.Finding.Places {
		if c.grade(at) >= Defect {
			places = append(places, at)
		}
	}
	slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(c.grade(b), c.grade(a)) })
	return places
}

// Stands says whether the claim asks for changes anywhere.
func (c Claim) Stands() bool { return len(c.Standing()) > 0 }

// String returns what the claim says, where it stands if it does.
func (c Claim) String() string {
	places := c.Standing()
	if places == nil {
		places = c.Finding.Places
	}
	return fmt.Sprintf("%s (%s)", c.Finding, evidence(places, 1))
}

// worsenedBy says whether the named inspector made the claim worse.
func (c Claim) worsenedBy(inspector string) bool {
	return slices.ContainsFunc(c.Arguments, func(a Argument) bool { return a.Inspector == inspector && a.Effect == Worsens })
}

// easedBy says whether the named inspector eased the claim everywhere it stands.
func (c Claim) easedBy(inspector string) bool {
	return !slices.ContainsFunc(c.Standing(), func(at Place) bool {
		return !slices.ContainsFunc(c.Arguments, func(a Argument) bool {
			return a.Inspector == inspector && a.Effect == Eases && slices.Contains(a.Covers, at)
		})
	})
}

// Wishes returns where claims stand, the first three: what a change has to mend.
func Wishes(claims []Claim) string {
	var all []string
	for _, c := range claims {
		if c.Stands() {
			all = append(all, c.String())
		}
	}
	if rest := len(all) - 3; rest > 0 {
		all = append(all[:3], fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(all, "; ")
}

// Merits returns what speaks for a package when nothing stands: how much was
// looked at, and what could not be.
func Merits(p *Package, claims []Claim) string {
	s := fmt.Sprintf("nothing in %s of %s asks for changes", count(len(p.functions()), "function"), count(len(p.syntax()), "file"))
	if n := len(claims); n > 0 {
		s += fmt.Sprintf(" after %s", count(n, "finding"))
	}
	for _, g := range p.Gaps {
		s += fmt.Sprintf("; %s: %s", g.Inspector, g.Reason)
	}
	return s
}
