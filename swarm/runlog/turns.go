package runlog

import (
	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// Turns are the rounds of a thread, and the turns that are on record. Its slices are
// in log order, and shared.
type Turns struct {
	Rounds  int
	Last    map[string]int         // by agent: the round of its last turn
	Begun   int                    // turns
	Began   *signals.Signal[Began] // the last one; nil: none
	Late    []Late
	Failed  []Failed
	Refused []Refused
	Passed  []TurnPassed
	// Fallbacks are the turns in which another model than the agent's own answered.
	Fallbacks []*signals.Signal[agents.Fallback]

	by map[turn]string // the models of Fallbacks
}

// A turn is one of an agent.
type turn struct {
	agent string
	round int
}

// Model returns the model that answered in a turn in place of the agent's own; "": none did.
func (t *Turns) Model(agent string, round int) string { return t.by[turn{agent, round}] }

func (t *Turns) apply(s signals.Any) {
	switch s := s.(type) {
	case *signals.Signal[Began]:
		turns, _ := s.Payload.All() // checked when it was published
		if t.Last == nil {
			t.Last = map[string]int{}
		}
		for _, b := range turns {
			t.Last[b.Agent] = int(s.Round)
		}
		t.Began, t.Rounds, t.Begun = s, int(s.Round), t.Begun+len(turns)
	case *signals.Signal[Late]:
		t.Late = append(t.Late, s.Payload)
	case *signals.Signal[Failed]:
		if !s.Payload.Asks {
			t.Failed = append(t.Failed, s.Payload)
		}
	case *signals.Signal[Refused]:
		t.Refused = append(t.Refused, s.Payload)
	case *signals.Signal[agents.Fallback]:
		if t.by == nil {
			t.by = map[turn]string{}
		}
		t.Fallbacks, t.by[turn{s.Source, int(s.Round)}] = append(t.Fallbacks, s), s.Payload.Model
	case *signals.Signal[agents.Passed]:
		t.Passed = append(t.Passed, passed(s))
	}
}
