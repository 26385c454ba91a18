package coordination

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Thread is the state of coordination in one thread: the registered components, the live
// signals, and whether the thread has converged. It is a fold of the thread's entries, with
// no clock and no bus, so any reader of a log can keep one. It is not safe for concurrent
// use.
type Thread struct {
	name  string
	began uint64 // position of its first entry in the log

	step    int
	mode    signals.Effort
	modeFor uint64 // position of the signal that the mode was requested for
	lists   lists
	roster

	// The signals that the last note or step ended, oldest first, and the source of the note. The
	// transitions after it notify their recipients; a log that is cut before them has the same
	// state, but the recipients were not notified.
	ended   []*Record
	endedBy string
}

// NewThread returns the state of a thread without entries.
func NewThread() *Thread { return newThread("", newLists(1<<16, nil)) }

func newThread(name string, l lists) *Thread {
	return &Thread{name: name, roster: newRoster(), lists: l}
}

// A Change is the effect of an entry of the log on one record.
type Change struct {
	*Record
	State  State // the one that it reached; not Active
	Opened bool  // its source now has more open signals: see [Record.Open]
}

// Apply folds the next entry of the thread's log. Other signals, also those of other
// threads, must not be applied, but signals of other kinds change nothing. The log has to
// be read with [Entries].
func (t *Thread) Apply(s signals.Any) { t.apply(s, nil) }

// apply appends the changes.
func (t *Thread) apply(s signals.Any, changes []Change) []Change {
	h := s.Head()
	if k := LinkOf(s); k == nil || k.Layer == "" {
		return changes
	}
	if t.began == 0 {
		t.began, t.name = h.Seq, h.Thread
	}
	switch s := s.(type) {
	case *signals.Signal[Transition]:
		return t.transition(&s.Payload, changes)
	case *signals.Signal[Step]:
		t.step = s.Payload.Step
		return t.expire(changes)
	case *signals.Signal[Requested]:
		if q := s.Payload; q.At >= t.began && q.At >= t.modeFor { // the signal itself may be forgotten
			t.mode, t.modeFor = q.Mode, q.At
		}
	case *signals.Signal[Members]:
		t.register(&s.Payload)
	case *signals.Signal[Closed]:
		t.lists.clear()
		*t = *newThread(t.name, t.lists)
	default:
		return t.note(&h, NoteOf(s), changes)
	}
	return changes
}

// note adds a signal and ends the one that it replaces, both by one entry, so
// that no log can hold one without the other.
func (t *Thread) note(h *signals.Header, n *Note, changes []Change) []Change {
	before := t.lists.openOf(h.Source)
	t.ended = nil
	r := &Record{Signal: SignalOf(h, n), to: h.Recipients}
	r.Recipients, r.State = nil, Emitted
	if r.to.Everyone() {
		r.members = t.keep()
	}
	r.owed = duty{r.to, r.members}
	if target := t.find(n.Replaces); target != nil && target.Live() {
		if d := target.takenOver(h.Source); d != nil {
			r.owed = *d
		}
		t.lists.end(target, Superseded)
		t.ended, t.endedBy = []*Record{target}, h.Source
	}
	t.lists.insert(r)
	emitted := Change{Record: r, State: Emitted, Opened: r.Open() > before}
	if len(t.ended) == 0 {
		return append(changes, emitted)
	}
	return append(changes, Change{Record: t.ended[0], State: Superseded}, emitted)
}

func (t *Thread) transition(tr *Transition, changes []Change) []Change {
	for _, id := range tr.Signals {
		r := t.find(id)
		switch {
		case r == nil:
		case !r.Live():
			r.notified = true
		case tr.State == Active:
			r.State = Active
		case tr.State != Superseded: // which is implied by the note
			t.lists.end(r, tr.State)
			changes = append(changes, Change{Record: r, State: tr.State})
		}
	}
	return changes
}

// expire ends the records that are due at the present step.
func (t *Thread) expire(changes []Change) []Change {
	t.ended, t.endedBy = t.Due(t.step), ""
	for _, r := range t.ended {
		t.lists.end(r, Expired)
		changes = append(changes, Change{Record: r, State: Expired})
	}
	return changes
}

// find returns the thread's record with that id, or nil.
func (t *Thread) find(id signals.ID) *Record {
	if r := t.lists.find(id); r != nil && r.Thread == t.name {
		return r
	}
	return nil
}

// Began returns the position of the thread's first entry in the log since it was closed
// last, or 0.
func (t *Thread) Began() uint64 { return t.began }

// Step returns the current step, which begins at 0.
func (t *Thread) Step() int { return t.step }

// Mode returns the effort that the hook requested for the newest signal for which it
// requested one, or 0.
func (t *Thread) Mode() signals.Effort { return t.mode }

// Live returns the number of live signals.
func (t *Thread) Live() int { return t.lists.live.size() }

// Due returns the live signals that expire at a step, in log order.
func (t *Thread) Due(step int) []*Record {
	if due := t.lists.expiring[step]; due != nil {
		return slices.Collect(due.oldest())
	}
	return nil
}

// Same calls f for the live signals of a source that a note may repeat, newest first, as
// long as it returns true: for those of its class and audience, and for an urgent
// escalation with its summary. An iterator would escape to the heap.
func (t *Thread) Same(source string, n *Note, f func(*Record) bool) {
	for r := range t.lists.same(source, n).newest() {
		if !f(r) {
			return
		}
	}
}

// Unnotified returns the signals that the last note or step ended and whose recipients no
// transition has notified, and the source of the note.
func (t *Thread) Unnotified() (by string, ended []*Record) {
	return t.endedBy, slices.DeleteFunc(slices.Clone(t.ended), func(r *Record) bool { return r.notified || r.forgotten })
}
