package coordination

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Fold is the state of all threads in the log of a layer. Records that it returns
// change with it. It is not safe for concurrent use.
type Fold struct {
	layer   string
	retain  int
	ids     *index
	threads map[string]*Thread
	order   []*Thread // in the order in which they began; closed ones are dropped from the front
	last    uint64    // position of the newest entry
}

// NewFold returns the state of a log in which a layer has no entries. It keeps up to retain
// ended signals of each thread, those that ended last; all, if retain is negative.
func NewFold(layer string, retain int) *Fold {
	return &Fold{layer: layer, retain: retain, ids: newIndex(), threads: map[string]*Thread{}}
}

// Apply folds the next entry of the layer's log, and appends what it changed to changes.
func (f *Fold) Apply(s signals.Any, changes []Change) []Change {
	h := s.Head()
	f.last = max(f.last, h.Seq)
	t := f.threads[h.Thread]
	if t == nil {
		t = f.Thread(h.Thread)
		f.threads[h.Thread] = t
		if len(f.order) > 2*len(f.threads) {
			f.order = slices.DeleteFunc(f.order, func(t *Thread) bool { return t.began == 0 })
		}
		f.order = append(f.order, t)
	}
	changes = t.apply(s, changes)
	if t.began == 0 { // closed
		delete(f.threads, h.Thread)
	}
	return changes
}

// Adopt folds the layer's entries of threads that the fold does not hold. Other signals in
// the log are skipped.
func (f *Fold) Adopt(log iter.Seq[signals.Any]) {
	held := maps.Clone(f.threads)
	for s := range log {
		if k := LinkOf(s); k != nil && k.Layer == f.layer && held[s.Head().Thread] == nil {
			f.Apply(s, nil)
		}
	}
	slices.SortStableFunc(f.order, func(a, b *Thread) int { return cmp.Compare(a.began, b.began) })
}

// Thread returns a thread, or an empty one if the fold does not hold it.
func (f *Fold) Thread(name string) *Thread {
	if t := f.threads[name]; t != nil {
		return t
	}
	return newThread(name, newLists(f.retain, f.ids))
}

// Threads returns the open threads with their names, in no particular order.
func (f *Fold) Threads() iter.Seq2[string, *Thread] { return maps.All(f.threads) }

// Get returns the record of the signal with that id, or nil.
func (f *Fold) Get(id signals.ID) *Record { return f.ids.get(id) }

// Last returns the position of the newest entry, or 0.
func (f *Fold) Last() uint64 { return f.last }

// Since returns the position at which the oldest open thread began, apart from the thread
// called without, or next if there is none.
func (f *Fold) Since(next uint64, without string) uint64 {
	for len(f.order) > 0 && f.order[0].began == 0 {
		f.order = f.order[1:]
	}
	for _, t := range f.order {
		if t.began > 0 && t.name != without {
			return t.began
		}
	}
	return next
}
