package runlog

import (
	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// Turns are the rounds of a thread, and the turns that are on record. Its slices are
// in log order, and shared.
type Turns struct {
	Rounds int
	Began  *signals.Signal[Began] // the last one; nil: none
	Late   []Late
	Failed []Failed
	Passed []TurnPassed
}

func (t *Turns) apply(s signals.Any) {
	t.Rounds = max(t.Rounds, int(signals.HeadOf(s).Round))
	switch s := s.(type) {
	case *signals.Signal[Began]:
		t.Began = s
	case *signals.Signal[Late]:
		t.Late = append(t.Late, s.Payload)
	case *signals.Signal[Failed]:
		t.Failed = append(t.Failed, s.Payload)
	case *signals.Signal[agents.Passed]:
		t.Passed = append(t.Passed, passed(s))
	}
}
