package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Swarm]. Agents are required; for all other fields the zero
// value means the default given.
type Options struct {
	Agents []*agents.Agent // the agents that take part, in commit order
	Name   string          // of the swarm, for monitoring; "": "swarm"

	// Strategy decides. Nil: the default, which is confidence-weighted until the
	// swarm has learned how reliable its agents are: see Ledger.
	Strategy consensus.Strategy
	// Ledger records the votes of every solve, and each solve decides by the
	// state of the ledger at its beginning: without a Strategy by
	// [reliability.Ledger.Strategy], with one by that strategy with
	// [consensus.Options.Reliabilities]. Swarms may share a ledger, and a
	// program may save it and load it again. Nil: an empty one of the swarm's
	// own, or, with a Strategy, none, so that nothing is learned.
	//
	// With a Journal, the ledger has to be empty and is filled from the
	// journal. What counts then are its options, which must not differ from
	// those that the journal's ledger had.
	Ledger *reliability.Ledger

	Threshold float64 // of support, inclusive; 0: consensus.DefaultThreshold
	// Quorum is the number of voters required. 0: more than half of the agents
	// that hear proposals and may vote, whether they failed, were late, passed or
	// were silent; agents that a route stopped do not count. An agent that is not
	// meant to vote should say so: list in CanEmit what it emits. Unless Quorum is
	// 1, no agent decides alone for several: its vote for its own proposal is no
	// consensus if all others abstain. A decision ends the solve in the round in which it
	// is reached, even if agents would vote in a later one: to wait for them, set
	// the number of voters.
	Quorum    int
	Conflicts ConflictPolicy // default DebateConflicts

	Rounds      int // maximum; 0: 12
	Signals     int // maximum that agents may publish in one solve; 0: 1000
	TurnSignals int // maximum in one turn; 0: 16
	// Deadline of a solve; 0: 2m. A round waits for a quarter of it and then
	// continues without the turns that are late, whose results are accepted when
	// they arrive. A turn of an agent with a TurnTimeout is awaited for that time,
	// and then abandoned. Turns that are finished at the deadline count.
	Deadline time.Duration
	// Retries is how often a turn is retried that fails with a temporary error
	// ([agents.Passing]), after about 0.5, 0.75, 1.1 s and so on, each with a
	// random jitter of a half, or after as long as the error asks for; 0: 3, <0:
	// never.
	Retries int
	History int // maximum number of earlier signals shown to an agent, of those it heard and of its own each; 0: 256

	// Effort is called at each round of a solve, with its thread, for the
	// effort of its turns ([agents.Turn].Effort). It is called by the
	// solve's goroutine and must be quick. Nil: the mode that the hook of the Layer
	// requested for an escalation; without a Layer deep while an escalation is open; else
	// the agents choose.
	Effort func(thread string) signals.Effort

	// Layer is the coordination layer on Bus, through which the swarm emits what agents
	// yield to coordinate: see "Coordination" in the documentation of the package. The
	// caller closes the threads of finished solves. Nil: one of the swarm's own.
	Layer *connectivity.Layer
	// Coordinator is the agent, or somebody outside, that gets what is for the
	// coordinator and may end every coordination signal; "": nobody.
	Coordinator string
	// Continues names the agents that continue after a handoff for the audience
	// selected. Nil: the next agent in order.
	Continues connectivity.Resolver

	// Same reports whether a new proposal is the same as an earlier one. It is
	// called if their contents differ by more than case, space and punctuation.
	// Its results are in the log, so that a log can be replayed without it. It is
	// called by the solve's goroutine, and ctx ends with the solve; if it panics,
	// the solve ends with an error. Nil: no others are the same.
	Same func(ctx context.Context, earlier, later signals.Proposal) bool

	// Seed is the seed of random numbers and ids; 0: a random one for each
	// swarm. Result.Seed returns it. A second swarm with the same seed repeats
	// them, unless it continues a journal.
	Seed uint64
	// Clock is read once for each signal, in commit order, and once for each round; a
	// stepping clock makes runs reproducible. A solve that waits for a timer, or that
	// continues a log, counts from then on as if the clock had reached that time. Nil:
	// time.Now.
	Clock func() time.Time
	// Bus carries the signals, to watch it or to share it; the caller closes
	// it. Nil: one of the swarm's own.
	Bus *bus.Bus
	// Journal stores signals and decisions: a round begins when the journal has
	// acknowledged the signals before it, and a solve returns when it has all of
	// them. A swarm with a journal that is not empty continues where the journal
	// ends, with a ledger restored from it. The swarm trusts the journal; [Replay]
	// finds a [Difference]. [Retain] bounds its size. The caller closes the journal,
	// after the swarm. Nil: none.
	Journal journal.Store
	// Hook is called for solves, rounds, turns and evaluations, and signals
	// carry its trace contexts: see [agents.Hook]. Nil: the one that the
	// context of a solve carries, if any.
	Hook agents.Hook
}

// ConflictPolicy is how conflicts between proposals are settled. A conflict that was
// settled is recorded as a [conflict.Resolution] with its winner; see package settle for
// what that means for the votes.
type ConflictPolicy uint8

const (
	// DebateConflicts holds a debate between the two proposals when no agent has
	// anything left to hear and the votes have not decided, or have chosen one of them
	// that is less than [settle.Certain] to be right rather than the other. It takes
	// two agents that can argue ([agents.Agent.CanArgue]), one for each, and as many
	// rounds and signals as one round of a debate may take. Without a debate, or with
	// one that ends even, the votes decide alone.
	DebateConflicts ConflictPolicy = iota
	// MajorityOnConflicts settles a conflict at the end of the first round that began
	// with both proposals in the log, by the votes that there are then: one for each
	// voter, without weights. A tie is settled as soon as one side has more, or else,
	// when no agent has anything left to hear, by a debate or, if that is not possible
	// or ends even, by a question to somebody outside. There is no decision while a
	// conflict is open.
	MajorityOnConflicts
	// EscalateConflicts asks somebody outside about a conflict that the votes have not
	// decided when no agent has anything left to hear, or when the rounds are used up.
	EscalateConflicts
)

func (o *Options) withDefaults() Options {
	r := *o
	if r.Strategy == nil && r.Ledger == nil {
		r.Ledger = new(reliability.Ledger)
	}
	r.Name = cmp.Or(r.Name, "swarm")
	r.Rounds = cmp.Or(r.Rounds, 12)
	r.Signals = cmp.Or(r.Signals, 1000)
	r.TurnSignals = cmp.Or(r.TurnSignals, 16)
	r.Deadline = cmp.Or(r.Deadline, 2*time.Minute)
	r.History = cmp.Or(r.History, 256)
	r.Retries = max(0, cmp.Or(r.Retries, 3))
	return r
}

// validate reports all errors, not just the first.
func (o *Options) validate() error {
	var problems []error
	if len(o.Agents) == 0 {
		problems = append(problems, &signals.FieldError{Field: "agents", Problem: "required"})
	}
	known := map[string]bool{bus.System: true}
	for i, a := range o.Agents {
		if a == nil {
			problems = append(problems, &signals.FieldError{Field: fmt.Sprintf("agents[%d]", i), Problem: "missing"})
			continue
		}
		if known[a.ID] {
			problems = append(problems, &signals.FieldError{Field: "agent.id", Value: a.ID, Problem: "taken"})
		}
		known[a.ID] = true
		problems = append(problems, a.Validate())
	}
	for _, limit := range []struct {
		field string
		value int64
	}{
		{"rounds", int64(o.Rounds)},
		{"signals", int64(o.Signals)},
		{"turnSignals", int64(o.TurnSignals)},
		{"history", int64(o.History)},
		{"quorum", int64(o.Quorum)},
	} {
		problems = append(problems, signals.AtLeastZero(limit.field, float64(limit.value)))
	}
	if o.Deadline < 0 {
		problems = append(problems, &signals.FieldError{Field: "deadline", Value: o.Deadline.String(), Problem: "negative"})
	}
	if o.Journal != nil && o.Ledger != nil && o.Ledger.Len() > 0 {
		problems = append(problems, &signals.FieldError{
			Field: "ledger", Value: fmt.Sprintf("%d decisions", o.Ledger.Len()), Problem: "with a journal, it is filled from that and must be empty",
		})
	}
	if o.Conflicts > EscalateConflicts {
		problems = append(problems, &signals.FieldError{
			Field: "conflicts", Value: strconv.Itoa(int(o.Conflicts)), Problem: "want DebateConflicts, MajorityOnConflicts or EscalateConflicts",
		})
	}
	problems = append(problems, o.terms().Validate())
	return errors.Join(problems...)
}

// terms returns the options of a decision: the agents that may vote are the
// electorate, so that no other votes count. Ranks and groups are theirs.
func (o *Options) terms() *consensus.Options {
	t := &consensus.Options{Threshold: o.Threshold, Quorum: o.Quorum, Ranks: map[string]int{}, Groups: map[string]string{}}
	for _, a := range o.Agents {
		if a != nil && a.May(signals.KindVote) {
			t.Electorate = append(t.Electorate, a.ID)
			t.Ranks[a.ID] = a.Rank
			if a.Group != "" {
				t.Groups[a.ID] = a.Group
			}
		}
	}
	if len(t.Groups) > 0 { // then each agent without a group becomes a group of its own
		for _, id := range t.Electorate {
			t.Groups[id] = cmp.Or(t.Groups[id], id)
		}
	}
	if t.Quorum == 0 {
		t.Quorum = quorumOf(o.Agents)
	}
	return t
}

// quorumOf returns the default quorum of a team: more than half of the agents that
// are asked to vote.
func quorumOf(team []*agents.Agent) int {
	n := 0
	for _, a := range team {
		if a != nil && asked(a) {
			n++
		}
	}
	return n/2 + 1
}

// asked reports whether an agent is asked to vote: it hears proposals and may vote.
func asked(a *agents.Agent) bool { return a.Hears(signals.KindProposal) && a.May(signals.KindVote) }
