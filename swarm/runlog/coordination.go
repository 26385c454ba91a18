package runlog

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Obstacles returns what keeps the thread from converging, oldest first.
func (t *Thread) Obstacles() []coordination.Obstacle { return t.Coordination.Converged().Obstacles }

// Withholds says why a proposal that the votes have chosen is not the decision: there are
// obstacles. "" means that it is, or that the votes have chosen none.
func (t *Thread) Withholds(d consensus.Decision) string {
	open := t.Obstacles()
	if d.Choice == "" || len(open) == 0 {
		return ""
	}
	return fmt.Sprintf("%q is withheld: %s", d.Choice, text.Join(open))
}

// Effort returns the effort that the thread calls for: deep while an escalation is open,
// else 0.
func (t *Thread) Effort() signals.Effort {
	if slices.ContainsFunc(t.Obstacles(), func(o coordination.Obstacle) bool { return o.Cause == coordination.OpenEscalation }) {
		return signals.Deep
	}
	return 0
}

// Alarms returns the open critical escalations.
func (t *Thread) Alarms() []coordination.Signal {
	return slices.DeleteFunc(t.Coordination.Unacknowledged(), func(s coordination.Signal) bool {
		return s.Class.Message() != coordination.AboutEscalation
	})
}

// Handoffs returns those of an agent's signals that are handoffs and are still open.
func (t *Thread) Handoffs(agent string, had []coordination.Signal) []coordination.Signal {
	open := t.Coordination.For(agent)
	return slices.DeleteFunc(slices.Clone(had), func(s coordination.Signal) bool {
		return !IsHandoff(s) || !slices.ContainsFunc(open, func(o coordination.Signal) bool { return o.ID == s.ID })
	})
}

// IsHandoff reports whether a signal hands the work to its audience.
func IsHandoff(s coordination.Signal) bool { return s.Class == coordination.HandoffReady }

// Stepped reports whether the thread has reached a step since the last round began.
func (t *Thread) Stepped() bool {
	for _, s := range slices.Backward(t.Log) {
		switch s.Kind() {
		case coordination.KindStep:
			return true
		case KindBegan:
			return false
		}
	}
	return false
}
