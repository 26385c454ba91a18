package inspect

import (
	"fmt"
	"slices"
)

// An Argument is what one inspector has to say about another's finding. Its
// reason is true of the code, with the place to look at.
type Argument struct {
	Inspector string // whose knowledge it is
	Check     string
	Effect    Effect
	Reason    string
	Places    []Place // where the reason can be read, one per place answered
	Covers    int     // how many of the finding's places it speaks about
	Strength  float64 // how much of the finding's risk it takes away or adds, in [0,1]
}

// Effect says which way an argument points.
type Effect int

// The effects. An argument that eases a finding is a reason to doubt or
// challenge it, one that worsens it is a reason to support it.
const (
	Eases Effect = 1 + iota
	Worsens
)

var effectNames = []string{Eases: "eases", Worsens: "worsens"}

// String returns "eases" or "worsens".
func (e Effect) String() string { return enumName(effectNames, int(e)) }

// MarshalText writes the name of e.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// String returns the argument in one line.
func (a Argument) String() string {
	return fmt.Sprintf("%s (%s) %s it: %s", a.Inspector, a.Check, a.Effect, a.Reason)
}

// consideration looks at findings of some rules from one inspector's point of
// view, place by place.
type consideration struct {
	inspector string
	name      string
	effect    Effect
	strength  float64 // if it answers every place
	rules     []string
	answer    func(*Package, Place) (reason string, at Place, ok bool)
}

// Arguments returns what the named inspector knows about a finding of another,
// easing or worsening it. About its own it has nothing to say.
func Arguments(p *Package, f Finding, inspector string) []Argument {
	var all []Argument
	for _, c := range considerations() {
		if c.inspector != inspector || !slices.Contains(c.rules, f.Rule) {
			continue
		}
		if a, ok := c.consider(p, f); ok {
			all = append(all, a)
		}
	}
	return all
}

// Debate returns what all inspectors know about a finding.
func Debate(p *Package, f Finding) []Argument {
	var all []Argument
	for _, i := range Inspectors() {
		all = append(all, Arguments(p, f, i.Name)...)
	}
	return all
}

func (c consideration) consider(p *Package, f Finding) (Argument, bool) {
	a := Argument{Inspector: c.inspector, Check: c.name, Effect: c.effect}
	for _, place := range f.Places {
		reason, at, ok := c.answer(p, place)
		if !ok {
			continue
		}
		if a.Covers++; a.Covers == 1 {
			a.Reason = reason
		}
		a.Places = append(a.Places, at)
	}
	if a.Covers == 0 {
		return a, false
	}
	if of := len(f.Places); of > 1 {
		a.Reason += fmt.Sprintf("; so for %d of %d places", a.Covers, of)
	}
	a.Strength = round(c.strength * float64(a.Covers) / float64(len(f.Places)))
	return a, true
}
