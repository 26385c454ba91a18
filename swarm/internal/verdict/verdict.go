// Package verdict says what follows from the votes of a solve: what they decide and whether
// that ends it ([Count]), what is to be done about its open conflicts ([Table]), and in
// words why it stopped ([Case]). It is pure.
package verdict

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Count is the votes of a solve, with what their decision depends on.
type Count struct {
	Thread  *runlog.Thread
	Seats   seat.Roster
	Weights map[string]float64 // factors on agents' votes
	Quorum  int                // that the program states; 0: the default

	resized bool
}

// By makes the votes count by a strategy with options.
func (c *Count) By(strategy consensus.Strategy, o *consensus.Options) error {
	c.Resized()
	return c.Thread.Votes.CountBy(strategy, o, c.Weights)
}

// Resized says that the default quorum may have changed.
func (c *Count) Resized() { c.resized = true }

// Votes returns the votes so far.
func (c *Count) Votes() *consensus.Round { return c.Thread.Votes.Round() }

// Options returns what the votes count by, beside the strategy.
func (c *Count) Options() *consensus.Options {
	_, o := c.Thread.Votes.Terms()
	return o
}

// Decide returns the decision on the votes so far. The default quorum is that of the agents
// that no route has stopped.
func (c *Count) Decide() consensus.Decision {
	if c.Quorum == 0 && c.resized && c.Thread.Calls.Plan() == nil {
		c.resized = false
		c.Thread.Votes.SetQuorum(Quorum(c.Seats.Team()))
	}
	return c.Votes().Decision()
}

// Closed returns the decision if no votes are to come, which may still do.
func (c *Count) Closed() consensus.Decision {
	by, _ := c.Thread.Votes.Terms()
	return by.Decide(c.Votes().Ballots().Close())
}

// Alone says why a decision is none of several agents; "" means that it counts.
func (c *Count) Alone(d consensus.Decision) string {
	if c.Quorum == 1 || c.Thread.Calls.Plan() != nil {
		return ""
	}
	return alone(c.Seats, d, c.Thread.Votes.Of(d.Choice))
}

// Withholds says why a proposal that the votes have chosen is not the decision: it is
// one of a single agent, or there are obstacles. "" means that it is.
func (c *Count) Withholds(d consensus.Decision) string {
	if why := c.Alone(d); why != "" {
		return why
	}
	return c.Thread.Withholds(d)
}

// Chooses reports whether a decision has chosen a proposal, and nothing withholds it.
func (c *Count) Chooses(d consensus.Decision) bool {
	return d.Choice != "" && c.Withholds(d) == ""
}

// Stands reports whether a final decision survives any votes and proposals, up to most in
// a turn, that the agents with turns left may still publish.
func (c *Count) Stands(left []*seat.Turn, most int) bool {
	rest := consensus.Left{Voters: []string{}, Weights: c.Weights}
	for _, t := range left {
		if t.Seat.Agent.May(signals.KindVote) {
			rest.Voters = append(rest.Voters, t.Agent)
		}
		if t.Seat.Agent.May(signals.KindProposal) {
			rest.Proposals += most
		}
	}
	by, _ := c.Thread.Votes.Terms()
	return consensus.Settled(by, c.Votes().Ballots(), rest)
}

// An End is why a solve ends.
type End struct {
	Stop   runlog.StopReason
	Detail string
	Err    error

	Unheard bool // agents have not said what they may have to say
}

// End returns why a solve ends with a decision on its votes, which are closed, after a round
// in which no agent had anything left to say.
func (c *Count) End(d consensus.Decision, after Round) End {
	held, failed := c.Withholds(d), broken(c.Seats, d, c.Alone(d) != "", after)
	switch {
	case c.Chooses(d):
		return End{Stop: runlog.StopFor(d.Outcome), Detail: d.Reason()}
	case failed != nil:
		return brokenOff(d, failed)
	case held != "":
		return End{Stop: runlog.StopDeadlock, Detail: held}
	case d.Voters > 0:
		return End{Stop: runlog.StopFor(d.Outcome), Detail: d.Reason()}
	}
	return End{Stop: runlog.StopNoProgress, Detail: c.silence(after), Unheard: true}
}

// brokenOff returns why a solve ends that cannot go on because its agents fail.
func brokenOff(d consensus.Decision, failed []error) End {
	err := errors.Join(failed...)
	switch budget := errors.Is(err, agents.ErrBudget); {
	case budget && d.Voters == 0:
		return End{Stop: runlog.StopBudget, Detail: "the budget of every agent is used up", Unheard: true}
	case budget:
		return End{Stop: runlog.StopBudget, Detail: "the budget is used up", Unheard: true}
	case d.Voters == 0:
		return End{Stop: runlog.StopError, Detail: "no agent could take its turn", Err: err, Unheard: true}
	}
	return End{Stop: runlog.StopError, Detail: "too few agents can take their turns: " + d.Reason(), Err: err, Unheard: true}
}

// silence says what is missing if no one voted.
func (c *Count) silence(after Round) string {
	made := c.Thread.Votes.Len()
	if made == 0 && after.Emitted == 0 {
		return fmt.Sprintf("none of %s said anything", text.Plural(len(c.Seats), "agent"))
	}
	proposals := "no proposals"
	if made > 0 {
		proposals = text.Plural(made, "proposal")
	}
	return fmt.Sprintf("%s and no votes that count (%s may vote)", proposals, text.Plural(len(c.Options().Electorate), "agent"))
}
