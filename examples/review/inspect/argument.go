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
	Covers    []Place // the finding's places that it speaks about; never empty
}

// Effect says which way an argument points.
type Effect int

// The effects. Easing a place makes a defect there a concern, worsening it makes
// a concern a defect.
const (
	Eases Effect = 1 + iota
	Worsens
)

// String returns "eases" or "worsens".
func (e Effect) String() string {
	switch e {
	case Eases:
		return "eases"
	case Worsens:
		return "worsens"
	}
	return fmt.Sprintf("Effect(%d)", int(e))
}

// String returns the argument in one line.
func (a Argument) String() string {
	return fmt.Sprintf("%s (%s) %s it: %s", a.Inspector, a.Check, a.Effect, a.Reason)
}

// Arguments returns what the named inspector knows about a finding of another,
// easing or worsening it. About its own it has nothing to say.
func Arguments(p *Package, f Finding, inspector string) []Argument {
	var all []Argument
	for _, c := range considerations() {
		if c.inspector == inspector && f.Inspector != inspector && (c.rules == nil || slices.Contains(c.rules, f.Rule)) {
			if a, ok := c.consider(p, f); ok {
				all = append(all, a)
			}
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

// consideration looks at findings of some rules from one inspector's point of
// view, place by place.
type consideration struct {
	inspector string
	name      string
	effect    Effect
	rules     []string // nil: all
	answer    func(*Package, Place) (reason string, ok bool)
}

func (c consideration) consider(p *Package, f Finding) (Argument, bool) {
	a := Argument{Inspector: c.inspector, Check: c.name, Effect: c.effect}
	for _, place := range f.Places {
		reason, ok := c.answer(p, place)
		if !ok {
			continue
		}
		if a.Covers == nil {
			a.Reason = reason
		}
		a.Covers = append(a.Covers, place)
	}
	if of := len(f.Places); of > 1 && len(a.Covers) > 0 {
		a.Reason += fmt.Sprintf("; so for %d of %d places", len(a.Covers), of)
	}
	return a, len(a.Covers) > 0
}
