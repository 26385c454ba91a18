package coordination

import (
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Record is the state of one signal in a fold. The fold changes it: read it before the next
// entry is applied, and never modify it.
type Record struct {
	Signal // in its current state, without its recipients

	to        signals.Recipients
	members   *members // the components registered when it was emitted, for a signal for all
	owed      duty     // its own, or the one taken over
	source    *source
	group     *list     // the signals that suppression treats as the same
	alarm     *list     // those of them with the same summary, if it is an alarm
	upTo      time.Time // the greatest time in the thread up to here
	forgotten bool
	notified  bool // a transition has notified its recipients of the end
}

// A source holds the signals of one source in a thread.
type source struct {
	all, live, grades list // grades: live ones
	open              int  // number of live ones, without handoffs
}

// SignalOf returns the signal of a note with its header, without a state.
func SignalOf(h *signals.Header, n *Note) Signal {
	return Signal{
		Seq: h.Seq, ID: h.ID, Thread: h.Thread, Source: h.Source, Class: n.Class, Audience: n.Audience,
		Priority: n.Priority, Confidence: n.Confidence, Summary: n.Summary, Details: n.Details, Replaces: n.Replaces,
		Step: n.Step, ExpiresAtStep: n.ExpiresAtStep, EmittedAt: h.Time,
		Recipients: names(h.Recipients), Components: n.Components,
	}
}

// Snapshot returns a copy of the signal.
func (r *Record) Snapshot() Signal {
	s := r.Signal
	s.Recipients = names(r.to)
	return s
}

// To returns the recipients of the signal in the log: see [To].
func (r *Record) To() signals.Recipients { return r.to }

// Live reports whether the signal has not ended.
func (r *Record) Live() bool { return !r.State.Terminal() }

// Open returns the number of live signals of the same source in the thread, without
// handoffs.
func (r *Record) Open() int { return r.source.open }

// InForce reports whether the signal is no grade or the newest live grade of its source.
func (r *Record) InForce() bool { return !r.grades() || r.source.grades.last() == r }

// OwedBy reports whether a component has to answer the signal: it is one of its
// recipients, or of those of the critical signal that it took the place of.
func (r *Record) OwedBy(component string) bool { return r.owed.has(component) }

// Widen adds the components that have to answer r to the recipients of the critical signal
// that replaces r. So a source cannot avoid an answer by an update to other components: if it
// replaces its own critical signal, the duty to answer stays with the old recipients. r may
// be nil.
func (r *Record) Widen(to signals.Recipients, source string) signals.Recipients {
	d := r.takenOver(source)
	switch {
	case d == nil:
		return to
	case to.Everyone() || d.to.Everyone():
		return signals.Recipients{}
	}
	return To(slices.Concat(names(to), names(d.to))...)
}

// takenOver returns the duty that is passed on if a source replaces a critical signal, or
// nil.
func (r *Record) takenOver(source string) *duty {
	if r == nil || r.Priority != Critical || r.Source != source {
		return nil
	}
	return &r.owed
}

// A duty is the obligation of a critical signal's recipients to answer it.
type duty struct {
	to      signals.Recipients
	members *members // the components registered then, if it was for all
}

// has reports whether a component has the duty.
func (d duty) has(id string) bool {
	if d.to.Everyone() {
		return d.members.has(id)
	}
	return d.to.Include(id)
}

// grades reports whether the signal says how stable its source's output is.
func (r *Record) grades() bool { return r.Class.Message() == AboutConfidence }

// weak reports whether the signal says that the output is unreliable.
func (r *Record) weak() bool {
	return r.Class == ConfidenceLow || r.Class == ConfidenceBlocker
}

// obstructs reports whether a live signal keeps its thread from converging, whatever
// the grades are.
func (r *Record) obstructs() bool {
	return r.Class == ConflictActive || r.Class.Message() == AboutEscalation || r.Priority == Critical
}

// awaits reports whether the signal is counted as open while it is live: a handoff waits
// for its turn, and not for an answer.
func (r *Record) awaits() bool { return r.Class.Message() != AboutHandoff }
