package bus

import (
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A lane is the signals of one kind, their handlers and waiting readers.
type lane struct {
	id      uint8
	kind    signals.Kind
	shelves []*shelf // one for each payload type; almost always one

	handlers []*Handler // never changed in place
	done     uint64     // entries that the handlers are done with
	byAgents bool       // agents published the kind
	queue    queue      // readers that wait for the kind
}

// others is the id of every lane beyond the first 255.
const others = 255

// A shelf is the pages of one kind and payload type.
type shelf struct {
	lane    *lane
	form    signals.Form
	mixed   bool // other kinds have the same form
	filling *segment
	used    int // slots of filling
	unused  []*segment

	proposals bool // its signals are proposals
	folds     bool // the conflict detector reads them
}

// maxUnused is how many pages a shelf keeps for later: those that can become
// free with one chunk. They keep their texts until they are written again.
const maxUnused = 2

// laneLocked returns the lane of a kind that is valid.
func (b *Bus) laneLocked(kind signals.Kind) *lane {
	l := b.lanes[kind]
	if l == nil {
		l = &lane{id: uint8(min(len(b.lanes), others)), kind: kind}
		b.lanes[kind] = l
	}
	return l
}

// shelfLocked returns the shelf that s goes to, nil if there is none yet.
func (b *Bus) shelfLocked(s signals.Any) *shelf {
	if l := b.lanes[s.Kind()]; l != nil {
		for _, shelf := range l.shelves {
			if shelf.form.Fits(s) {
				return shelf
			}
		}
	}
	return nil
}

// addShelfLocked makes the shelf of a valid signal.
func (b *Bus) addShelfLocked(s signals.Any) *shelf {
	l := b.laneLocked(s.Kind())
	shelf := &shelf{lane: l, form: signals.FormOf(s)}
	shelf.turn()
	switch s.(type) {
	case *signals.Signal[signals.Raw]:
		shelf.mixed = true
	case *signals.Signal[signals.Proposal]:
		shelf.proposals, shelf.folds = true, true
	case *signals.Signal[conflict.Resolution], *signals.Signal[signals.Consensus]:
		shelf.folds = true
	}
	shelf.folds = shelf.folds && !b.opts.NoConflicts
	l.shelves = append(l.shelves, shelf)
	return shelf
}

// turn begins a page.
func (sh *shelf) turn() {
	sh.used = 0
	if k := len(sh.unused); k > 0 {
		sh.filling, sh.unused = sh.unused[k-1], sh.unused[:k-1]
		return
	}
	sh.filling = &segment{Page: sh.form.NewPage(), shelf: sh}
}

// release frees n slots of a page. A page all of whose signals are gone is used again
// when nobody can hold a pointer into it: alone says that nobody is about to
// get one. Without that a publish costs its share of a new page, 176 bytes.
func (sh *shelf) release(s *segment, n int, alone bool) {
	s.live -= n
	if s.live == 0 && s != sh.filling && alone && !s.kept.Load() && len(sh.unused) < maxUnused {
		sh.unused = append(sh.unused, s)
	}
}
