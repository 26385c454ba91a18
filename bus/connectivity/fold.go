package connectivity

import (
	"fmt"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

const system = bus.System

// A fold is the state that a log of one layer's signals amounts to. It has no
// clock and no bus. Signals that were on their way to the log at the same time
// may come in any order: what they amount to is the same.
type fold struct {
	layer   string
	retain  int // ended signals kept of each thread; <0: all
	records *table
	byID    *index
	gone    []*record // forgotten, and still in the changes of what is being applied
	threads map[string]*thread
	last    int64 // the greatest time so far
}

// A change is what a signal of the log did to one record.
type change struct {
	record *record
	event  Event
}

func newFold(layer string, retain int, m *signals.Mint) *fold {
	records := &table{}
	return &fold{layer: layer, retain: retain, records: records, byID: newIndex(records, m), threads: map[string]*thread{}}
}

// apply folds the signal at one place of the log. It passes over those that
// are not the layer's, and over books that the system did not write. A kind of
// the layer that was not decoded as one is an error.
func (f *fold) apply(s signals.Any, seq uint64, changes []change) ([]change, error) {
	h := signals.HeadOf(s)
	if n := noteOf(s); n != nil {
		if n.Layer != f.layer {
			return changes, nil
		}
		return f.note(h, seq, n, changes), nil
	}
	if raw, ok := signals.As[signals.Raw](s); ok && ours(raw.Payload.Type) {
		return changes, fmt.Errorf("connectivity: %s %s was read without Payloads", raw.Payload.Type, h.ID)
	}
	if h.Source != system {
		return changes, nil
	}
	return f.book(h, seq, s, changes), nil
}

func (f *fold) book(h *signals.Header, seq uint64, s signals.Any, changes []change) []change {
	switch s := s.(type) {
	case *signals.Signal[Transition]:
		if s.Payload.Layer == f.layer {
			return f.transition(h.Thread, seq, &s.Payload, changes)
		}
	case *signals.Signal[Step]:
		if s.Payload.Layer == f.layer {
			f.step(h.Thread, s.Payload.Step)
		}
	case *signals.Signal[Requested]:
		if s.Payload.Layer == f.layer {
			f.requested(h.Thread, &s.Payload)
		}
	case *signals.Signal[Closed]:
		if s.Payload.Layer == f.layer {
			f.closed(h.Thread)
		}
	}
	return changes
}

func (f *fold) thread(name string) *thread {
	t := f.threads[name]
	if t == nil {
		t = &thread{name: name, records: f.records, sources: map[string]*source{}, weak: map[*source]struct{}{}}
		f.threads[name] = t
	}
	return t
}

// replaced returns what a note replaces, nil for nothing.
func (f *fold) replaced(n *Note) *record {
	if n.Replaces.IsZero() {
		return nil
	}
	return f.byID.find(n.Replaces)
}

// note enters a signal, and ends the one that it replaces: both in one step,
// so no log can hold one without the other.
func (f *fold) note(h *signals.Header, seq uint64, n *Note, changes []change) []change {
	if f.byID.find(h.ID) != nil {
		return changes
	}
	t := f.thread(h.Thread)
	if target := f.replaced(n); target != nil && target.live() && target.thread() == t {
		changes = f.end(target, Superseded, seq, changes)
	}
	r := f.records.add()
	r.id, r.seq, r.at, r.to = h.ID, seq, h.Time.UnixNano(), h.Recipients
	r.group = t.source(h.Source).group(n.Class, n.Audience)
	r.priority, r.grade, r.summary, r.details = n.Priority, n.Confidence, n.Summary, n.Details
	r.replaces, r.step, r.expires, r.state = n.Replaces, n.Step, n.ExpiresAtStep, Emitted
	f.last = max(f.last, r.at)
	f.byID.add(r)
	t.insert(r)
	return append(changes, change{r, WasEmitted})
}

func (f *fold) transition(thread string, seq uint64, tr *Transition, changes []change) []change {
	for id := range tr.Signals.All() {
		r := f.byID.find(id)
		switch {
		case r == nil || !r.live() || r.thread().name != thread:
		case tr.State == Active:
			r.state = Active
		case tr.State != Superseded: // which comes with the note
			changes = f.end(r, tr.State, seq, changes)
		}
	}
	return changes
}

func (f *fold) end(r *record, s State, seq uint64, changes []change) []change {
	t := r.thread()
	t.end(r, s, seq)
	if f.retain >= 0 && t.ended.n > f.retain {
		oldest := f.records.at(t.ended.first)
		t.forget(oldest)
		f.forget(oldest)
	}
	return append(changes, change{r, eventOf(s)})
}

func (f *fold) step(thread string, step int) {
	t := f.thread(thread)
	t.step = max(t.step, step)
}

func (f *fold) requested(thread string, q *Requested) {
	t := f.threads[thread]
	if r := f.byID.find(q.For); t != nil && r != nil && r.seq >= t.modeFor {
		t.mode, t.modeFor = q.Mode, r.seq
	}
}

// closed forgets a thread, which costs what it holds.
func (f *fold) closed(name string) {
	t := f.threads[name]
	if t == nil {
		return
	}
	for r := range f.records.oldest(&t.all, inThread) {
		f.forget(r)
	}
	delete(f.threads, name)
}

// forget takes a record out of the fold. Its place is free after [fold.sweep].
func (f *fold) forget(r *record) {
	f.byID.remove(r)
	f.gone = append(f.gone, r)
}

// sweep frees what was forgotten. The changes so far must not be looked at
// afterwards.
func (f *fold) sweep() {
	for _, r := range f.gone {
		f.records.free(r)
	}
	f.gone = f.gone[:0]
}
