package swarm

import (
	"cmp"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// The kinds that a swarm itself says beside those of package signals. Agents
// may not, on a bus that carries a swarm.
const (
	KindLate signals.Kind = "turn:late"
	KindSame signals.Kind = "proposal:same"
)

// Late says that a round went on without an agent's turn. The log shows where.
type Late struct {
	Agent string `json:"agent"` // required
	Round int    `json:"round"` // of the turn, from 1
}

// Same says that [Options].Same takes a proposal for one that was made before.
// From then on both are one, with the votes on either.
type Same struct {
	ProposalID string `json:"proposalId"` // required; of the later one
	As         string `json:"as"`         // required; the id of the earlier one
}

// Kind returns KindLate.
func (Late) Kind() signals.Kind { return KindLate }

// Kind returns KindSame.
func (Same) Kind() signals.Kind { return KindSame }

// Check implements [signals.Checker].
func (p Late) Check(l signals.Limits) error {
	return cmp.Or(l.Name("agent", p.Agent), signals.AtLeastZero("round", float64(p.Round)))
}

// Check implements [signals.Checker].
func (p Same) Check(l signals.Limits) error {
	return cmp.Or(l.Name("proposalId", p.ProposalID), l.Name("as", p.As))
}

// Kinds returns what a [signals.Codec] needs to know to read the log of a
// solve.
func Kinds() []signals.Registration {
	return append(routing.Kinds(),
		signals.For[Late](), signals.For[Same](), signals.For[conflict.Resolution](),
		signals.For[Opened](), signals.For[Decided](), signals.For[Outcome](),
	)
}
