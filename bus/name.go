package bus

import "math/bits"

// A name is a source or thread with signals in the history, or somebody who
// waits for one.
type name struct {
	text  string
	id    uint32
	held  int    // its signals in chunks of the history
	last  uint64 // position of its newest signal, counted from 1
	bytes int    // of its signals' texts, when bounded
	queue queue  // readers that wait for it
	pins  int    // readers that may
	gone  bool
}

// names gives out small numbers for texts, and forgets texts nobody uses.
type names struct {
	byText map[string]*name
	byID   []*name
	unused []uint32
}

// is reports whether n, perhaps known from before, is still the name of text.
func (n *name) is(text string) bool { return n != nil && !n.gone && n.text == text }

func (ns *names) add(text string) *name {
	n := &name{text: text}
	if k := len(ns.unused); k > 0 {
		n.id, ns.unused = ns.unused[k-1], ns.unused[:k-1]
		ns.byID[n.id] = n
	} else {
		n.id = uint32(len(ns.byID))
		ns.byID = append(ns.byID, n)
	}
	ns.byText[text] = n
	return n
}

func (ns *names) findOrAdd(known *name, text string) *name {
	if known.is(text) {
		return known
	}
	if n := ns.byText[text]; n != nil {
		return n
	}
	return ns.add(text)
}

// chain puts position pos into the name's chain and returns how far back the
// one before is; 0: there is none in reach.
func (n *name) chain(pos uint64) uint32 {
	back := distance(n.last, pos)
	n.last = pos + 1
	n.held++
	return back
}

// distance is how far position pos is behind last, which counts from 1.
func distance(last, pos uint64) uint32 {
	if d := pos + 1 - last; last > 0 && d < 1<<32 {
		return uint32(d)
	}
	return 0
}

// pin keeps the name for a reader that may wait for it.
func (ns *names) pin(text string) *name {
	n := ns.findOrAdd(nil, text)
	n.pins++
	return n
}

func (ns *names) unpin(text string) {
	n := ns.byText[text]
	n.pins--
	ns.dropUnused(n)
}

// release gives up the names of some entries of a chunk.
func (ns *names) release(ids *[slots]uint32, entries uint64) {
	for entries != 0 {
		id := ids[bits.TrailingZeros64(entries)]
		n := ns.byID[id]
		for ; entries != 0 && ids[bits.TrailingZeros64(entries)] == id; entries &= entries - 1 {
			n.held--
		}
		ns.dropUnused(n)
	}
}

func (ns *names) dropUnused(n *name) {
	if n.held > 0 || n.pins > 0 || n.gone {
		return
	}
	n.gone = true
	delete(ns.byText, n.text)
	ns.byID[n.id] = nil
	ns.unused = append(ns.unused, n.id)
}
