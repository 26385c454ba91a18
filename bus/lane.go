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
	queue    queue      // readers that wait for the kind
}

// others is the id of every lane beyond the first 255.
const others = 255

// A shelf is the pages of one kind and payload type.
type shelf struct {
	lane    *lane
	filling *segment
	used    int // slots of filling
	unused  []*segment

	proposals bool // its signals are proposals
	folds     bool // the conflict detector reads them
}

// maxUnused is how many pages a shelf keeps for later.
const maxUnused = 4

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
func (b *Bus) shelfLocked(known *shelf, kind signals.Kind, s signals.Any) *shelf {
	if known != nil && known.lane.kind == kind && known.filling.Fits(s) {
		return known
	}
	if l := b.lanes[kind]; l != nil {
		for _, shelf := range l.shelves {
			if shelf.filling.Fits(s) {
				return shelf
			}
		}
	}
	return nil
}

// addShelfLocked makes the shelf of a valid signal.
func (b *Bus) addShelfLocked(kind signals.Kind, s signals.Any) *shelf {
	l := b.laneLocked(kind)
	shelf := &shelf{lane: l}
	shelf.filling = &segment{Page: signals.NewPage(s), shelf: shelf}
	switch s.(type) {
	case *signals.Signal[signals.Proposal]:
		shelf.proposals, shelf.folds = true, true
	case *signals.Signal[conflict.Resolution], *signals.Signal[signals.Consensus]:
		shelf.folds = true
	}
	shelf.folds = shelf.folds && !b.opts.NoConflicts
	l.shelves = append(l.shelves, shelf)
	return shelf
}

// slot returns where s goes.
func (sh *shelf) slot(s signals.Any) (*segment, uint8) {
	if sh.used == signals.PageSlots {
		sh.turn(s)
	}
	sh.used++
	sh.filling.live++
	return sh.filling, uint8(sh.used - 1)
}

func (sh *shelf) turn(s signals.Any) {
	sh.used = 0
	if k := len(sh.unused); k > 0 {
		sh.filling, sh.unused = sh.unused[k-1], sh.unused[:k-1]
		return
	}
	sh.filling = &segment{Page: signals.NewPage(s), shelf: sh}
}

// release frees a slot. A page all of whose signals are gone is used again
// when nobody can hold a pointer into it: alone says that nobody is about to
// get one. Without that a publish costs its share of a new page, 176 bytes.
func (sh *shelf) release(s *segment, alone bool) {
	s.live--
	if s.live == 0 && s != sh.filling && alone && !s.kept.Load() && len(sh.unused) < maxUnused {
		s.Clear()
		sh.unused = append(sh.unused, s)
	}
}
