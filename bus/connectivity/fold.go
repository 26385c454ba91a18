package connectivity

import (
	"container/list"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

const system = bus.System

// A fold is the state of one layer, computed from its log. It has no clock and
// no bus.
type fold struct {
	retain  int // ended signals kept per thread; <0: all
	records *table
	byID    lookup[signals.ID, ref]
	threads lookup[string, *thread]
	open    *list.List // the threads, in the order in which they began
	last    uint64     // position of the newest entry

	gone    []*record // forgotten, but still referred to by the current changes
	changes []change  // reused buffer
}

// A change is what an entry of the log did to one record.
type change struct {
	record *record
	event  Event
}

func newFold(retain int) *fold {
	return &fold{retain: retain, records: &table{}, open: list.New()}
}

// find returns the record with that id, or nil.
func (f *fold) find(id signals.ID) *record { return f.records.at(f.byID.get(id)) }

// replaced returns the record that a note replaces, or nil.
func (f *fold) replaced(n *Note) *record {
	if n.Replaces.IsZero() {
		return nil
	}
	return f.find(n.Replaces)
}

func (f *fold) stepOf(thread string) int {
	if t := f.threads.get(thread); t != nil {
		return t.step
	}
	return 0
}

// since returns the position at which the oldest open thread other than not
// began, or 0 if there is none.
func (f *fold) since(not *thread) uint64 {
	for e := f.open.Front(); e != nil; e = e.Next() {
		if t := e.Value.(*thread); t != not {
			return t.began
		}
	}
	return 0
}

// apply folds the next entry of the layer's log.
func (f *fold) apply(s signals.Any, changes []change) []change {
	h := signals.HeadOf(s)
	switch s := s.(type) {
	case *signals.Signal[Transition]:
		changes = f.transition(h, &s.Payload, changes)
	case *signals.Signal[Step]:
		f.thread(h).step = s.Payload.Step
	case *signals.Signal[Requested]:
		f.requested(h.Thread, &s.Payload)
	case *signals.Signal[Closed]:
		f.closed(h.Thread)
	default:
		changes = f.note(h, noteOf(s), changes)
	}
	f.last = h.Seq
	return changes
}

func (f *fold) thread(h *signals.Header) *thread {
	t := f.threads.get(h.Thread)
	if t == nil {
		t = &thread{
			name: h.Thread, began: h.Seq, records: f.records, weak: map[*source]struct{}{},
		}
		t.place = f.open.PushBack(t)
		f.threads.set(h.Thread, t)
	}
	return t
}

// note adds a signal and ends the one that it replaces, both by one entry, so
// that no log can hold one without the other.
func (f *fold) note(h *signals.Header, n *Note, changes []change) []change {
	t := f.thread(h)
	src := t.source(h.Source)
	before := src.open
	var taken *duty
	if target := f.replaced(n); target != nil && target.live() && target.thread() == t {
		taken = target.takenOver(h.Source)
		changes = f.end(target, Superseded, changes)
		src = t.source(h.Source) // the end may have made the thread drop the source
	}
	r := f.records.add()
	r.id, r.seq, r.at, r.to, r.components = h.ID, h.Seq, h.Time.UnixNano(), h.Recipients, n.Components
	r.group, r.duty = src.group(n.Class, n.Audience), taken
	r.priority, r.grade, r.summary, r.details = n.Priority, n.Confidence, n.Summary, n.Details
	r.replaces, r.step, r.expires, r.state = n.Replaces, n.Step, n.ExpiresAtStep, Emitted
	f.byID.set(r.id, r.self)
	t.insert(r)
	changes = append(changes, change{r, WasEmitted})
	if before <= Crowd && src.open > Crowd {
		changes = append(changes, change{r, Crowded})
	}
	return changes
}

func (f *fold) transition(h *signals.Header, tr *Transition, changes []change) []change {
	for id := range tr.Signals.All() {
		r := f.find(id)
		switch {
		case r == nil || !r.live() || r.thread().name != h.Thread:
		case tr.State == Active:
			r.state = Active
		case tr.State != Superseded: // which is implied by the note
			changes = f.end(r, tr.State, changes)
		}
	}
	return changes
}

func (f *fold) end(r *record, s State, changes []change) []change {
	t := r.thread()
	t.end(r, s)
	if f.retain >= 0 && t.ended.n > f.retain {
		oldest := f.records.at(t.ended.first)
		t.forget(oldest)
		f.forget(oldest)
	}
	return append(changes, change{r, eventOf(s)})
}

// requested sets a mode, unless the thread was closed after the signal that it
// was requested for, or a newer signal has requested one. The signal itself may
// be forgotten.
func (f *fold) requested(thread string, q *Requested) {
	if t := f.threads.get(thread); t != nil && q.At >= t.began && q.At >= t.modeFor {
		t.mode, t.modeFor = q.Mode, q.At
	}
}

// closed forgets a thread, in time linear in its records.
func (f *fold) closed(name string) {
	t := f.threads.get(name)
	if t == nil {
		return
	}
	for r := range f.records.oldest(&t.all, inThread) {
		f.forget(r)
	}
	f.open.Remove(t.place)
	f.threads.delete(name)
}

// forget removes a record from the fold. Its slot in the table is free after
// [fold.sweep].
func (f *fold) forget(r *record) {
	f.byID.delete(r.id)
	f.gone = append(f.gone, r)
}

// sweep frees the forgotten records. The changes so far must not be used
// afterwards. A record that a slice still refers to keeps its whole chunk
// alive.
func (f *fold) sweep() {
	for _, r := range f.gone {
		f.records.free(r)
	}
	f.gone, f.changes = emptied(f.gone), emptied(f.changes)
}

// emptied returns s cleared for reuse, or nil if its capacity is large.
func emptied[T any](s []T) []T {
	if cap(s) > small {
		return nil
	}
	clear(s)
	return s[:0]
}
