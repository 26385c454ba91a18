package connectivity

import (
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A record is the fold's state of one signal.
type record struct {
	id, replaces     signals.ID
	summary, details string
	to               signals.Recipients
	group            *group
	duty             *duty // the duty taken over; nil: its own

	seq   uint64 // position in the log
	at    int64  // when it was emitted, in nanoseconds
	upTo  int64  // the greatest at in the thread's list up to here
	grade Grade

	step, expires int
	components    int // the number registered when it was emitted, if for all

	self     ref
	priority Priority
	state    State

	links [slots]neighbours
}

func (r *record) source() *source { return r.group.source }

func (r *record) thread() *thread { return r.group.source.thread }

// A duty is the obligation to answer a critical signal: its recipients, and its
// position in the log.
type duty struct {
	to  signals.Recipients
	seq uint64
}

// owed returns the duty that a signal represents.
func (r *record) owed() duty {
	if r.duty != nil {
		return *r.duty
	}
	return duty{r.to, r.seq}
}

// takenOver returns the duty that is passed on if a source replaces a critical
// signal, or nil. A signal's own source cannot avoid an answer by an update to
// other components: the duty stays with the old recipients.
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

// weak reports whether the signal says that the output is unreliable.
func (r *record) weak() bool {
	return r.group.class == ConfidenceLow || r.group.class == ConfidenceBlocker
}

// open is 1 for a signal that waits for an answer, and 0 for a handoff, which
// waits for its turn.
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

// alarms reports whether signals of this class and priority from one source are
// distinguished by their summaries.
func alarms(c Class, p Priority) bool { return c.Message() == AboutEscalation && p >= High }

// nobody stands for no recipients, because an empty list means everyone on the
// bus. Only the system has this id, and it reads everything.
var nobody = signals.To(system)

// recipients returns the recipients on the bus.
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
