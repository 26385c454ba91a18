package connectivity

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// maxIdle is how many flights and sheets of paper are kept to be used again:
// as many as are under way at once, where it matters.
const maxIdle = 16

// flightLocked returns a flight in a thread, an old one if it can.
func (l *Layer) flightLocked(thread string) *flight {
	last := len(l.idle) - 1
	if last < 0 {
		return &flight{thread: thread}
	}
	f := l.idle[last]
	l.idle = l.idle[:last]
	f.thread = thread
	return f
}

// retireLocked keeps a flight that is over, and what its first signals were
// written on: the bus has copies. What that said is let go of when it is used.
func (l *Layer) retireLocked(f *flight) {
	if !f.flown || f.done != nil || len(l.idle) >= maxIdle {
		return // the bus or somebody who waited for it may still look at it
	}
	for _, s := range f.entries[:min(len(f.entries), 2)] {
		if len(l.paper) == maxIdle { // of kinds that do not come again, perhaps
			l.paper = slices.Delete(l.paper, 0, 1)
		}
		l.paper = append(l.paper, s)
	}
	clear(f.entries)
	clear(f.ends)
	*f = flight{entries: f.entries[:0], ends: f.ends[:0]}
	if cap(f.ends) > maxIdle {
		f.entries, f.ends = nil, nil
	}
	l.idle = append(l.idle, f)
}

// writeLocked adds a signal to a flight, on the paper of an earlier one of its kind
// if there is any.
func writeLocked[P signals.Payload](l *Layer, f *flight, h *signals.Header, p P) {
	for i := len(l.paper) - 1; i >= 0; i-- {
		if s, ok := l.paper[i].(*signals.Signal[P]); ok {
			last := len(l.paper) - 1
			l.paper[i], l.paper[last] = l.paper[last], nil
			l.paper = l.paper[:last]
			s.Header, s.Payload = *h, p
			f.entries = append(f.entries, s)
			return
		}
	}
	f.entries = append(f.entries, signals.New(*h, p))
}

// writeNoteLocked adds a note to a flight, as a signal of its kind.
func (l *Layer) writeNoteLocked(f *flight, h *signals.Header, n *Note) {
	switch n.Class.Message() {
	case AboutAttention:
		writeLocked(l, f, h, Attention{*n})
	case AboutConfidence:
		writeLocked(l, f, h, Confidence{*n})
	case AboutConflict:
		writeLocked(l, f, h, ConflictNotice{*n})
	case AboutHandoff:
		writeLocked(l, f, h, Handoff{*n})
	default:
		writeLocked(l, f, h, Escalation{*n})
	}
}
