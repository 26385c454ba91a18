package swarm

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A seat is an agent's place in one solve, with what the agent remembers of
// it.
type seat struct {
	agent *agents.Agent
	mouth *bus.Publisher
	ears  *bus.Subscription
	most  int // signals that each of the memories holds
	heard []signals.Any
	said  []signals.Any
}

// hear returns what is new for the agent, with what it heard and said before,
// as the beginning of a turn. Without anything new there is none.
func (s *seat) hear() *agents.Turn {
	t := &agents.Turn{Agent: s.agent.ID, Heard: s.heard, Said: s.said}
	for heard, ok := s.ears.Poll(); ok; heard, ok = s.ears.Poll() {
		t.New = append(t.New, heard)
	}
	if len(t.New) == 0 {
		return nil
	}
	s.heard = newest(append(s.heard, t.New...), s.most)
	return t
}

// spoke remembers what the log has of the agent's.
func (s *seat) spoke(said signals.Any) { s.said = newest(append(s.said, said), s.most) }

// newest returns the last signals. Turns share them: what is appended to the
// result later does not show in theirs.
func newest(all []signals.Any, most int) []signals.Any {
	return slices.Clip(all[max(0, len(all)-most):])
}
