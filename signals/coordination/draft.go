package coordination

import (
	"cmp"

	"github.com/swarmbus/swarmbus/signals"
)

// Draft returns a note as a signal that an agent may yield in its turn, with the defaults
// for its audience and priority. The driver of the turn emits it in the agent's name.
func Draft(n Note) signals.Any { return New(signals.Header{}, n.Defaulted()) }

// Defaulted returns the note with the defaults for its audience and priority.
func (n Note) Defaulted() Note {
	message := n.Class.Message()
	of, _ := n.Class.rule()
	n.Audience, n.Priority = cmp.Or(n.Audience, of.Audience), cmp.Or(n.Priority, of.Priority)
	if n.Audience == 0 {
		n.Audience = Coordinator
		if message == AboutHandoff {
			n.Audience = Selected
		}
	}
	if n.Priority == 0 {
		n.Priority = Normal
		if message == AboutEscalation {
			n.Priority = High
		}
	}
	return n
}

// New returns a note as a signal of its kind. The header's confidence and priority follow
// from the note; the others are h's.
func New(h signals.Header, n Note) signals.Any {
	h.Confidence, h.Priority = 1, int16(n.Priority)-int16(Normal)
	if x, given := n.Confidence.Get(); given {
		h.Confidence = x
	}
	switch n.Class.Message() {
	case AboutAttention:
		return signals.New(h, Attention{n})
	case AboutConfidence:
		return signals.New(h, Confidence{n})
	case AboutConflict:
		return signals.New(h, ConflictNotice{n})
	case AboutHandoff:
		return signals.New(h, Handoff{n})
	default:
		return signals.New(h, Escalation{n})
	}
}
