package connectivity

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

const system = bus.System

// A Thread is what the log says about the coordination in one thread: who is registered,
// which signals are live, and whether it has converged. It is a fold of the thread's
// entries, with no clock and no bus, so that any reader of a log can keep one. It is not
// safe for concurrent use.
type Thread struct {
	name  string
	began uint64 // position of its first entry in the log

	step        int
	mode        signals.Effort
	modeFor     uint64 // position of the signal that the mode was requested for
	coordinator signals.Recipients
	members     *members

	lists
	ending ending
}

// NewThread returns the state of a thread of which nothing was said.
func NewThread() *Thread { return newThread("", 1<<16, newIndex()) }

func newThread(name string, retain int, ids *index) *Thread {
	return &Thread{
		name: name, coordinator: noRecipients,
		lists: lists{
			retain: retain, ids: ids, all: list{ended: true}, sources: map[string]*source{}, groups: map[group]*list{}, expiring: map[int]*list{},
		},
	}
}

// Apply folds the next entry of the thread's log. Other signals, also those of other
// threads, must not be applied, but signals of other kinds change nothing. The log has to
// be read with [Payloads].
func (t *Thread) Apply(s signals.Any) { t.apply(s, nil) }

// A change is what an entry of the log did to one record.
type change struct {
	record *record
	event  Event
}

// apply appends the changes.
func (t *Thread) apply(s signals.Any, changes []change) []change {
	h := s.Head()
	if k := linkOf(s); k == nil || k.Layer == "" {
		return changes
	}
	if t.began == 0 {
		t.began, t.name = h.Seq, h.Thread
	}
	switch s := s.(type) {
	case *signals.Signal[coordination.Transition]:
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
		for _, r := range t.all.all {
			t.ids.delete(r.ID)
		}
		*t = *newThread(t.name, t.retain, t.ids)
	default:
		return t.note(&h, coordination.NoteOf(s), changes)
	}
	return changes
}

// note adds a signal and ends the one that it replaces, both by one entry, so
// that no log can hold one without the other.
func (t *Thread) note(h *signals.Header, n *coordination.Note, changes []change) []change {
	before := t.openOf(h.Source)
	t.ending = ending{}
	r := &record{
		Signal: signalOf(h, n), to: h.Recipients,
	}
	r.Recipients, r.State = nil, coordination.Emitted
	if r.to.Everyone() && t.members != nil {
		r.members, t.members.kept = t.members, true
	}
	r.owed = duty{r.to, r.members}
	if target := t.find(n.Replaces); target != nil && target.live() {
		if d := target.takenOver(h.Source); d != nil {
			r.owed = *d
		}
		t.end(target, coordination.Superseded)
		changes = append(changes, change{target, WasSuperseded})
		t.ending = ending{h.Source, []*record{target}}
	}
	t.insert(r)
	changes = append(changes, change{r, WasEmitted})
	if before <= Crowd && r.source.open > Crowd {
		changes = append(changes, change{r, Crowded})
	}
	return changes
}

func (t *Thread) transition(tr *coordination.Transition, changes []change) []change {
	for _, id := range tr.Signals {
		r := t.find(id)
		switch {
		case r == nil:
		case !r.live():
			r.notified = true
		case tr.State == coordination.Active:
			r.State = coordination.Active
		case tr.State != coordination.Superseded: // which is implied by the note
			t.end(r, tr.State)
			changes = append(changes, change{r, eventOf(tr.State)})
		}
	}
	return changes
}

// expire ends the records that are due at the present step.
func (t *Thread) expire(changes []change) []change {
	t.ending = ending{}
	l := t.expiring[t.step]
	if l == nil {
		return changes
	}
	t.ending = ending{system, slices.Collect(l.oldest())}
	for _, r := range t.ending.records {
		t.end(r, coordination.Expired)
		changes = append(changes, change{r, WasExpired})
	}
	return changes
}

// register changes the set of registered components, or a copy of it if a signal refers
// to it.
func (t *Thread) register(p *Members) {
	if t.members == nil || t.members.kept {
		m := &members{ids: map[string]bool{}}
		if t.members != nil {
			for id := range t.members.ids {
				m.ids[id] = true
			}
		}
		t.members = m
	}
	for _, id := range p.Joined {
		t.members.ids[id] = true
	}
	for _, id := range p.Left {
		delete(t.members.ids, id)
	}
	if p.Coordinator != nil {
		if t.coordinator = noRecipients; *p.Coordinator != "" {
			t.coordinator = signals.To(*p.Coordinator)
		}
	}
}

// find returns the thread's record with that id, or nil.
func (t *Thread) find(id signals.ID) *record {
	if r := t.ids.get(id); r != nil && r.Thread == t.name {
		return r
	}
	return nil
}

// full reports whether the thread has that many live signals; 0 is no limit.
func (t *Thread) full(most int) bool { return most > 0 && t.live.size() >= most }

// Step returns the current step, which begins at 0.
func (t *Thread) Step() int { return t.step }

// Mode returns the effort that the hook requested for the newest signal for which it
// requested one, or 0.
func (t *Thread) Mode() signals.Effort { return t.mode }

// Registered reports whether a component is registered.
func (t *Thread) Registered(id string) bool { return t.members.has(id) }

// Coordinator returns the coordinator, or "" if there is none.
func (t *Thread) Coordinator() string {
	if t.coordinator.Equal(noRecipients) {
		return ""
	}
	return t.coordinator.String()
}

// coordinates reports whether a component is the coordinator.
func (t *Thread) coordinates(id string) bool { return t.coordinator.Include(id) }

// Unacknowledged returns the unanswered critical signals, oldest first. A signal leaves
// the list when it is resolved or when a critical signal, which then is on the list,
// replaces it.
func (t *Thread) Unacknowledged() (all []coordination.Signal) {
	for r := range t.open.oldest() {
		if r.Priority == coordination.Critical {
			all = append(all, r.snapshot())
		}
	}
	return all
}

// Begun reports whether the log has an entry of the thread since it was closed last.
func (t *Thread) Begun() bool { return t.began > 0 }

// For returns the live signals addressed to a component, oldest first.
func (t *Thread) For(id string) (all []coordination.Signal) {
	for r := range t.live.oldest() {
		if t.isFor(id, r) {
			all = append(all, r.snapshot())
		}
	}
	return all
}

// isFor reports whether a signal is addressed to a component.
func (t *Thread) isFor(id string, r *record) bool {
	return (duty{r.to, r.members}).has(id) || r.owed.has(id) ||
		r.Priority == coordination.Critical && r.to.Everyone() && t.coordinates(id)
}

// mayEnd reports whether a component may resolve a signal.
func (t *Thread) mayEnd(id string, r *record) bool {
	switch {
	case t.coordinates(id):
		return true
	case r.Source == id:
		return r.Priority != coordination.Critical
	}
	return r.owed.has(id)
}
