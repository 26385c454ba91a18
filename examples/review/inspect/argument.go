package inspect

import (
	"cmp"
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
	if e == Eases {
		return "eases"
	}
	return "worsens"
}

// String returns the argument in one line.
func (a Argument) String() string {
	return fmt.Sprintf("%s (%s) %s it: %s", a.Inspector, a.Check, a.Effect, a.Reason)
}

// Debate returns what inspectors know about a finding of another, easing or
// worsening it.
func Debate(p *Package, f Finding) []Argument {
	var all []Argument
	for _, c := range considerations() {
		if c.inspector != f.Inspector && (c.rules == nil || slices.Contains(c.rules, f.Rule)) {
			all = append(all, c.consider(p, f)...)
		}
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

// consider returns one argument about all places that it covers, none if it covers
// none.
func (c consideration) consider(p *Package, f Finding) []Argument {
	a := Argument{Inspector: c.inspector, Check: c.name, Effect: c.effect}
	for _, place := range f.Places {
		if reason, ok := c.answer(p, place); ok {
			a.Reason = cmp.Or(a.Reason, reason)
			a.Covers = append(a.Covers, place)
		}
	}
	if len(a.Covers) == 0 {
		return nil
	}
	if of := len(f.Places); of > 1 {
		a.Reason += fmt.Sprintf("; so for %d of %d places", len(a.Covers), of)
	}
	return []Argument{a}
}
