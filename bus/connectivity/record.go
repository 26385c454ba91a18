package connectivity

import (
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A record is what the fold knows of one signal.
type record struct {
	id, replaces     signals.ID
	summary, details string
	to               signals.Recipients
	group            *group
	duty             *duty // it took over; nil: it has its own

	seq   uint64 // place in the log
	at    int64  // when it was emitted, in nanoseconds
	upTo  int64  // the greatest of these in the thread's list up to here
	grade Grade

	step, expires int
	components    int // registered when it was emitted to all of them

	self     ref
	priority Priority
	state    State

	links [slots]neighbours
}

func (r *record) source() *source { return r.group.source }

func (r *record) thread() *thread { return r.group.source.thread }

// A duty is to answer a critical signal: whom that was for, and its place.
type duty struct {
	to  signals.Recipients
	seq uint64
}

// owed returns the duty that a signal stands for.
func (r *record) owed() duty {
	if r.duty != nil {
		return *r.duty
	}
	return duty{r.to, r.seq}
}

// takenOver returns the duty that a critical signal takes over if a source
// replaces it: its own source cannot give that to others, so that no update is a
// way around an answer. nil: none is.
func (r *record) takenOver(source string) *duty {
	if r == nil || r.priority != Critical || r.source().name != source {
		return nil
	}
	d := r.owed()
	return &d
}

func (r *record) live() bool { return !r.state.Terminal() }

func (r *record) signal() Signal {
	return Signal{
		Seq: r.seq, ID: r.id, Thread: r.thread().name, Source: r.source().name,
		Class: r.group.class, Audience: r.group.audience, Priority: r.priority, Confidence: r.grade,
		Summary: r.summary, Details: r.details, Replaces: r.replaces, Step: r.step, ExpiresAtStep: r.expires,
		EmittedAt: time.Unix(0, r.at).UTC(), State: r.state, Recipients: names(r.to), Components: r.components,
	}
}

// grades reports whether the signal says how stable its source's output is.
func (r *record) grades() bool { return r.group.class.Message() == AboutConfidence }

// weak reports whether it says that the output is not to be relied on.
func (r *record) weak() bool {
	return r.group.class == ConfidenceLow || r.group.class == ConfidenceBlocker
}

// open is 1 for what waits for an answer, and 0 for a handoff, which waits for
// its turn.
func (r *record) open() int {
	if r.group.class.Message() == AboutHandoff {
		return 0
	}
	return 1
}

func (r *record) salience() Salience { return salience(r.group.class, r.priority, r.grade) }

func (r *record) urgency() int { return urgency(r.group.class, r.priority, r.grade) }

// inForce reports whether a grade is the newest live one of its source.
func (r *record) inForce() bool { return r.source().grades.last == r.self }

// alarms reports whether the summary tells it from others of its source.
func alarms(c Class, p Priority) bool { return c.Message() == AboutEscalation && p >= High }

// nobody is who gets a signal that is for nobody: on the bus, no recipients
// means everyone. Only the system has this id, and it reads everything.
var nobody = signals.To(system)

// recipients returns who is to get it on the bus.
func recipients(names []string) signals.Recipients {
	if len(names) == 0 {
		return nobody
	}
	return signals.To(names...)
}

func names(to signals.Recipients) []string {
	if to.Equal(nobody) {
		return nil
	}
	return to.Names()
}
