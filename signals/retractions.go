package signals

import (
	"reflect"
	"slices"
)

// Retractions has the retracted signals of a thread, as a fold of its log. It is pure, and
// costs nothing as long as there are none. The zero Retractions are those of the empty log.
type Retractions struct {
	Said []*Signal[Retraction] // the retractions that changed the set, in log order; shared
	gone []gone
}

// A gone signal was retracted by its author, or by the operator.
type gone struct {
	Any
	own bool
}

// RetractionsOf returns the retracted signals of a log of one thread.
func RetractionsOf(log []Any) *Retractions {
	f := new(Retractions)
	for i, s := range log {
		f.Apply(log[:i], s)
	}
	return f
}

// Apply takes the next signal of a thread after its log, and reports whether the set of
// retracted signals changes.
func (f *Retractions) Apply(log []Any, s Any) bool {
	if r, ok := As[Retraction](s); ok {
		if CheckRetraction(log, s) != nil {
			return false
		}
		target := find(log, r.Payload.TargetSignalID)
		own := r.Source == author(target)
		if i := slices.IndexFunc(f.gone, func(g gone) bool { return g.Head().ID == target.Head().ID }); i >= 0 {
			f.gone[i].own = f.gone[i].own && own
			return false
		}
		f.Said = append(f.Said, r)
		f.gone = append(f.gone, gone{target, own})
		return true
	}
	if len(f.gone) == 0 || !retractable(s) {
		return false
	}
	var left []gone
	for _, g := range f.gone {
		if !g.own || !same(g.Any, s) {
			left = append(left, g)
		}
	}
	again := len(left) < len(f.gone)
	f.gone = left
	return again
}

// Any reports whether any signal is retracted.
func (f *Retractions) Any() bool { return len(f.gone) > 0 }

// Has reports whether a signal is retracted.
func (f *Retractions) Has(id ID) bool {
	for _, g := range f.gone {
		if g.Head().ID == id {
			return true
		}
	}
	return false
}

// same reports whether a signal has the content of an earlier one of the same author.
func same(a, b Any) bool {
	if a.Kind() != b.Kind() || author(a) != author(b) {
		return false
	}
	x, y := content(a), content(b)
	return reflect.ValueOf(x).Comparable() && x == y
}

// content returns the content of a signal. A proposal that is made again has another id.
func content(s Any) any {
	if p, ok := s.Body().(Proposal); ok {
		p.ProposalID = ""
		return p
	}
	return s.Body()
}
