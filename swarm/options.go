package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Swarm]. Agents are required; the zero value of everything
// else means the default beside it.
type Options struct {
	Agents []*agents.Agent // who takes part, in commit order
	Name   string          // of the swarm, for those who watch many; "": "swarm"

	// Strategy decides. Nil: the default configuration, which is
	// confidence-weighted until the swarm has learned what its agents are worth;
	// see Ledger.
	Strategy consensus.Strategy
	// Ledger takes in how every solve was voted on, and each solve decides by
	// what the ledger knew when it began: with no Strategy as
	// [reliability.Ledger.Strategy] does, with a named one as that does with
	// [consensus.Options.Reliabilities]. Swarms may share one, and a program may
	// save it and hand it in again. Nil: one of the swarm's own, empty; with a
	// Strategy none, and nothing is learned.
	Ledger *reliability.Ledger

	Threshold float64 // of support, inclusive; 0: consensus.DefaultThreshold
	// Quorum is how many voters it takes. 0: more than half of those who vote or
	// were asked to, at least 2 where there are 2. Whose CanEmit names votes was
	// asked to; an agent that may say anything counts until it had a turn with
	// something to vote on and did not.
	Quorum    int
	Conflicts ConflictPolicy // default VoteOnConflicts

	Rounds      int // at most; 0: 12
	Signals     int // that agents may publish in one solve; 0: 1000
	TurnSignals int // in one turn; 0: 16
	// Deadline of a solve; 0: 2m. A round waits for a quarter of it, and then goes
	// on without the turns that are late; what they come to is taken when they
	// come. A turn of an agent with a TurnTimeout is waited for as long as that,
	// and then given up. What is finished when time is over counts.
	Deadline time.Duration
	// Retries is how often a turn is taken again that fails for a reason that
	// passes ([agents.Passing]), after about 0.5, 0.75, 1.1 s and so on, each half
	// more or less by chance, or as long as the error asks for; 0: 3, <0: never.
	Retries int
	History int // signals that an agent is shown again of what it heard, and of what it said; 0: 256

	// Effort is asked at each round of a solve for the effort that its turns
	// carry ([agents.Turn].Effort), by the solve's thread: a coordination layer
	// answers with the mode that an escalation asked for. It is called by the
	// solve's goroutine and must be quick. Nil: the agents choose.
	Effort func(thread string) agents.Effort

	// Same reports whether a new proposal is the same as an earlier one, where
	// their contents are not up to case, space and punctuation. The log says what
	// it found, so a log is read again without it. It is called by the solve's
	// goroutine, and ctx ends with the solve. Nil: nothing else is the same.
	Same func(ctx context.Context, earlier, later signals.Proposal) bool

	// Seed is where random numbers and ids come from; 0: another one for each
	// swarm. Result.Seed tells.
	Seed uint64
	// Clock is asked once for each signal, in commit order, and once for each
	// round; a clock that steps makes runs repeat. Nil: time.Now.
	Clock func() time.Time
	// Bus carries the signals, for those who want to watch or share one; the
	// caller closes it. Nil: one of the swarm's own.
	Bus *bus.Bus
	// Journal keeps what is said and decided: a solve ends when the journal has
	// acknowledged all of it. A swarm that is given a journal which has something
	// already goes on where that ends, with what was learned: its ledger is
	// folded from it. [Retain] bounds it. The caller closes the journal, after the swarm. Nil: none.
	Journal journal.Store
	// Hook is told of solves, rounds, turns and evaluations, and what is said
	// carries its traces; see [agents.Hook]. Nil: the one that the context of a
	// solve carries, if any.
	Hook agents.Hook
}

// ConflictPolicy is what a conflict between proposals leads to.
type ConflictPolicy uint8

const (
	// VoteOnConflicts lets the votes decide between rivals.
	VoteOnConflicts ConflictPolicy = iota
	// EscalateConflicts stops the solve at the end of the round in which a
	// conflict opened, and asks somebody outside.
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

// validate reports everything that is wrong, not just the first.
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
	if o.Journal != nil && o.Ledger != nil {
		problems = append(problems, &signals.FieldError{Field: "ledger", Problem: "is folded from the journal"})
	}
	problems = append(problems, o.terms().Validate())
	return errors.Join(problems...)
}

// terms returns the terms of a decision: the agents that may vote are the
// electorate, so that nobody else's votes count. Ranks and groups are theirs.
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
	if t.Quorum == 0 {
		t.Quorum = quorumOf(len(t.Electorate))
	}
	return t
}

// quorumOf is the default among so many who are asked to vote.
func quorumOf(voters int) int { return max(1, min(voters, max(consensus.DefaultQuorum, voters/2+1))) }
