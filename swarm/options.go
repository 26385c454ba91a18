package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// Options of a [Swarm]. Agents are required; for all other fields the zero
// value means the default given.
type Options struct {
	Agents []*agents.Agent // the agents that take part, in commit order, and those on the bench
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
	// With a Journal, the ledger has what the journal has learned and what it knew itself,
	// which the terms of the next solve record, so that a replay knows it, too. Its
	// options must not differ from those that the journal's ledger had.
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
	Quorum int
	// Conflicts is how conflicts between proposals are settled; see package settle for
	// what that means for the votes.
	Conflicts settle.Policy // default settle.ByDebate
	Limits    Limits

	// Mode is how the agents work on a task: see package mode. What is said of rounds and
	// conflicts, of Strategy and of the defaults of Threshold and Quorum, is said of
	// deliberation: in the other modes what has more than half of the weight of all who were heard decides, or a
	// Threshold that is set, if more than half of those who were asked have an answer and two stand for it; a
	// Quorum that is set adds to that. 0: mode.Deliberate.
	Mode mode.Mode
	// Traits says of a task, in the context of its solve, whether the agents know different facts about it, and whether
	// answers can be checked, for mode.Auto. Nil: neither is known.
	Traits func(ctx context.Context, task signals.Task) mode.Traits

	// Effort is called at each round of a solve, with its thread, for the
	// effort of its turns ([agents.Turn].Effort). It is called by the
	// solve's goroutine and must be quick. Nil: the mode that the hook of the Layer
	// requested for an escalation; without a Layer deep while an escalation is open; else
	// the agents choose.
	Effort func(thread string) signals.Effort

	// Coordination says who coordinates, and how. The zero value is a layer of the swarm's
	// own, without a coordinator or an advocate.
	Coordination Coordination

	// Same reports whether a new proposal is the same as an earlier one. It is
	// called if their contents differ by more than case, space and punctuation without
	// meaning.
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
	// it. Of the swarms on a bus one may have a Journal, which has the signals of all and its own
	// decisions. Nil: one of the swarm's own.
	Bus *bus.Bus
	// Journal stores signals and decisions: a round begins when the journal has
	// acknowledged the signals before it, and a solve returns when it has all of
	// them. A swarm with a journal that is not empty continues where the journal
	// ends, with a ledger restored from it. The swarm trusts the journal; [Swarm.Replay]
	// finds a [replay.Difference]. [Swarm.Retain] bounds its size. One that another swarm writes
	// is refused. The caller closes the journal, after the swarm. Nil: none.
	Journal journal.Store
	// Kinds are the registrations of the program's own kinds ([signals.For]), with which
	// the journal is read. The payloads of others are [signals.Raw] after a restart, which
	// agents do not recognise.
	Kinds []signals.Registration
	// Memory gives each solve what earlier ones found, before its first round, as signals
	// of the system, and takes its discoveries and shared facts as they are committed. If
	// it fails, the solve ends with an error. A solve that continues, or that is replayed,
	// does not ask it: what was recalled is in the log. Nil: none.
	Memory Memory
	// Hook is called for solves, rounds, turns and evaluations, and signals
	// carry its trace contexts: see [hooks.Hook]. Nil: the one that the
	// context of a solve carries, if any.
	Hook hooks.Hook
}

// Coordination says who coordinates the agents of a [Swarm], and how.
type Coordination struct {
	// Layer is the coordination layer on the swarm's Bus, through which it emits what
	// agents yield to coordinate: see "Coordination" in the documentation of the package.
	// The caller closes the threads of finished solves. Nil: one of the swarm's own.
	Layer *connectivity.Layer
	// Coordinator is the agent, or a publisher outside the swarm, that gets signals for the
	// coordinator and may end every coordination signal; "": none.
	Coordinator string
	// Continues names the agents that continue after a handoff for the audience
	// selected. Nil: the next agent in order.
	Continues connectivity.Resolver
	// Advocate is the agent that argues against each proposal that the votes have chosen,
	// whatever it thinks of it, before that becomes the decision ([agents.Turn].Against).
	// It has a round of its own for that, and the others the next one to change their
	// votes, if so many rounds are left and the agents deliberate. The diagnostic of
	// groupthink does not count these arguments as challenges. "": none.
	Advocate string
	// Writer writes the answer of a solve that is over as a text, from what was said. The
	// text is in the log, and is that of a template if it cites the log wrongly: see package
	// synthesis. Nil: no agent writes, and [solves.Result].Synthesis is by the template.
	Writer claims.Writer
}

// Limits bound a solve, whatever the agents do. Zero values mean the defaults given.
type Limits struct {
	Rounds int // maximum of a solve that deliberates; 0: 12
	Calls  int // what turns may cost in the other modes, each with what it reads: see [mode.Plan]; 0: three turns for each agent
	// Speakers is the maximum number of agents that begin a turn in a round of a solve that
	// deliberates, of those with something new to hear; the others hear it later. The log
	// says who was selected and why: see [mode.Speakers]. 0: all of them.
	Speakers    int
	Signals     int // maximum that agents and their timers may publish in one solve; 0: 1000
	TurnSignals int // maximum in one turn; 0: 16
	// Deadline of a solve; 0: 2m. A round waits for a quarter of it and then
	// continues without the turns that are late, whose results are accepted when
	// they arrive. A turn of an agent with a TurnTimeout is awaited for that time,
	// and then abandoned. Turns that are finished at the deadline count.
	Deadline time.Duration
	History  int // maximum number of earlier signals shown to an agent, of those it heard and of its own each; 0: 256
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Rounds:      cmp.Or(l.Rounds, 12),
		Calls:       l.Calls,
		Speakers:    l.Speakers,
		Signals:     cmp.Or(l.Signals, 1000),
		TurnSignals: cmp.Or(l.TurnSignals, 16),
		Deadline:    cmp.Or(l.Deadline, 2*time.Minute),
		History:     cmp.Or(l.History, 256),
	}
}

// validate reports all errors, not just the first.
func (l Limits) validate() error {
	var problems []error
	for _, limit := range []struct {
		field string
		value int
	}{{"rounds", l.Rounds}, {"calls", l.Calls}, {"speakers", l.Speakers}, {"signals", l.Signals}, {"turnSignals", l.TurnSignals}, {"history", l.History}} {
		problems = append(problems, signals.AtLeastZero("limits."+limit.field, float64(limit.value)))
	}
	if l.Deadline < 0 {
		problems = append(problems, &signals.FieldError{Field: "limits.deadline", Value: l.Deadline.String(), Problem: "negative"})
	}
	return errors.Join(problems...)
}

func (o *Options) withDefaults() Options {
	r := *o
	if r.Strategy == nil && r.Ledger == nil {
		r.Ledger = new(reliability.Ledger)
	}
	r.Name = cmp.Or(r.Name, "swarm")
	r.Limits = o.Limits.withDefaults()
	r.Agents = o.team(false)
	return r
}

// team returns the agents with which a solve begins, or those on the bench.
func (o *Options) team(bench bool) []*agents.Agent {
	return slices.DeleteFunc(slices.Clone(o.Agents), func(a *agents.Agent) bool { return (a != nil && a.Bench) != bench })
}

// validate reports all errors, not just the first.
func (o *Options) validate() error {
	problems := []error{checkAgents(o.Agents)}
	first := *o
	o, first.Agents = &first, o.team(false)
	if len(o.Agents) == 0 {
		problems = append(problems, &signals.FieldError{Field: "agents", Problem: "required: at least one"})
	}
	problems = append(problems, o.Limits.validate(), signals.AtLeastZero("quorum", float64(o.Quorum)))
	if o.Conflicts > settle.ByEscalation {
		problems = append(problems, &signals.FieldError{
			Field: "conflicts", Value: strconv.Itoa(int(o.Conflicts)), Problem: "want settle.ByDebate, settle.ByMajority or settle.ByEscalation",
		})
	}
	if id := o.Coordination.Advocate; id != "" && !slices.ContainsFunc(o.Agents, func(a *agents.Agent) bool { return a != nil && a.ID == id && a.May(signals.KindChallenge) }) {
		problems = append(problems, &signals.FieldError{Field: "coordination.advocate", Value: id, Problem: "not the id of an agent whose CanEmit has challenge"})
	}
	if o.Mode != 0 {
		problems = append(problems, o.Mode.Valid())
	}
	if o.Mode > mode.Deliberate && !slices.ContainsFunc(o.Agents, proposes) {
		problems = append(problems, &signals.FieldError{Field: "mode", Value: o.Mode.String(), Problem: "no agent may propose"})
	}
	problems = append(problems, o.terms().Validate())
	return errors.Join(problems...)
}

// checkAgents reports all that is wrong with agents that are to be in one team.
func checkAgents(all []*agents.Agent) error {
	var problems []error
	known := map[string]bool{bus.System: true}
	for i, a := range all {
		if a == nil {
			problems = append(problems, &signals.FieldError{Field: fmt.Sprintf("agents[%d]", i), Problem: "missing"})
			continue
		}
		if known[a.ID] {
			problems = append(problems, &signals.FieldError{Field: "agent.id", Value: a.ID, Problem: fmt.Sprintf("taken: agents[%d] needs an id of its own", i)})
		}
		known[a.ID] = true
		if err := a.Validate(); err != nil {
			problems = append(problems, fmt.Errorf("agents[%d] %q: %w", i, a.ID, err))
		}
	}
	return errors.Join(problems...)
}

// proposes reports whether an agent may answer a task.
func proposes(a *agents.Agent) bool { return a != nil && a.May(signals.KindProposal) }

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
	t.Quorum = cmp.Or(t.Quorum, verdict.Quorum(o.Agents))
	return t
}

// decideBy returns the strategy and options of a solve that begins now: what is
// learned while it runs does not affect it.
func (o *Options) decideBy() (consensus.Strategy, *consensus.Options) {
	terms := o.terms()
	switch {
	case o.Strategy == nil:
		return o.Ledger.Strategy(), terms
	case o.Ledger != nil:
		terms.Reliabilities = o.Ledger.Reliabilities()
	}
	return o.Strategy, terms
}

// A Memory knows what earlier solves found out: a memory.Pool, for instance. It is called
// by the goroutines of solves, and has to return when ctx ends.
type Memory interface {
	// Brief returns what a solve of a task begins with.
	Brief(ctx context.Context, task signals.Task) ([]signals.Any, error)
	// Keep takes the log of a solve whenever its last signal is a discovery or a shared
	// fact, with the group of that signal's source. It may be called again for a signal.
	Keep(ctx context.Context, log []signals.Any, group string) error
}
