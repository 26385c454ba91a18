package retract

import (
	"reflect"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Fold is what is taken back in a thread. The zero Fold is that of the empty log.
type Fold struct {
	Said []*signals.Signal[Retraction] // that took something back, in log order; shared
	gone []gone
}

// A gone signal is taken back by its author, or not.
type gone struct {
	signals.Any
	own bool
}

// FoldOf returns what is taken back in a log of one thread.
func FoldOf(log []signals.Any) *Fold {
	f := new(Fold)
	for i, s := range log {
		f.Apply(log[:i], s)
	}
	return f
}

// Apply takes the next signal of a thread after its log, and reports whether it changes
// what is taken back.
func (f *Fold) Apply(log []signals.Any, s signals.Any) bool {
	if r, ok := signals.As[Retraction](s); ok {
		if Check(log, s) != nil {
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

// Any reports whether anything is taken back.
func (f *Fold) Any() bool { return len(f.gone) > 0 }

// Has reports whether a signal is taken back.
func (f *Fold) Has(id signals.ID) bool {
	for _, g := range f.gone {
		if g.Head().ID == id {
			return true
		}
	}
	return false
}

// same reports whether a signal says what an earlier one of the same author said.
func same(a, b signals.Any) bool {
	if a.Kind() != b.Kind() || author(a) != author(b) {
		return false
	}
	x, y := content(a), content(b)
	return reflect.ValueOf(x).Comparable() && x == y
}

// content returns what a signal says. A proposal that is made again has another id.
func content(s signals.Any) any {
	if p, ok := s.Body().(signals.Proposal); ok {
		p.ProposalID = ""
		return p
	}
	return s.Body()
}
