package office

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/deciding"
)

// seed is that from which those of decisions are derived: a solve that continues has the same
// ids again, so that what a model has answered in it is found after a crash.
const seed = 1

// chair returns the agent that has the members of any room decide.
func (o *Office) chair(all map[string]models.Model) rooms.Standing {
	solvers := map[string]*agents.Agent{}
	in := slices.Clone(o.Rooms)
	for _, a := range o.Agents {
		in = append(in, a.Rooms...)
		switch {
		case a.Model != "":
			solvers[a.Name] = thinker.Thinker{ID: a.Name, Role: a.Role, Model: all[a.Model]}.Agent()
		case a.Position != "":
			solvers[a.Name] = &agents.Agent{ID: a.Name, Role: a.Role, Reactor: agents.Func(position(a.Position).react)}
		}
	}
	slices.Sort(in)
	chair := deciding.Chair{Name: o.Chair, Solver: func(member string) *agents.Agent { return solvers[member] }, Options: swarm.Options{Seed: seed}}
	return rooms.Standing{Agent: chair.Agent(), Rooms: slices.Compact(in)}
}

// A position is the proposal of an agent without a model, for which it votes.
type position string

func (p position) react(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	if t.Round == 1 {
		return agents.Emit(agents.Propose(t.Agent, string(p), 0.9, "it is my position"))
	}
	var said []signals.Any
	for _, s := range t.Proposals {
		switch {
		case s.VoteOf(t.Agent) != nil:
		case strings.EqualFold(s.Proposal.Payload.Content, string(p)):
			said = append(said, agents.Agree(s.ID(), 0.9, "it is my position"))
		default:
			said = append(said, agents.Disagree(s.ID(), 0.9, "my position is another one"))
		}
	}
	return agents.Emit(said...)
}
