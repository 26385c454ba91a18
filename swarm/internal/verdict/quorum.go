package verdict

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
)

// Quorum returns the default quorum of a team: more than half of the agents that
// are asked to vote.
func Quorum(team []*agents.Agent) int {
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

// alone says why a decision that the votes have reached for a proposal is none of several
// agents: nobody agrees with the choice but the agent that proposed it. "" means that it
// counts: also where others have positions and what was learned of the voters says that
// they weigh less.
func alone(all seat.Roster, d consensus.Decision, choice *agents.Standing) string {
	if d.Outcome != consensus.Reached || !several(all, d) {
		return ""
	}
	by := choice.Supporters()
	for v := range d.Ballots().Votes() {
		agrees := v.Stance == consensus.Agree && v.ProposalID == d.Choice
		if (agrees || d.Learned && v.Stance != consensus.Abstain) && (v.Voter != by[0] || len(by) > 1) {
			return ""
		}
	}
	return fmt.Sprintf("only %s, who proposed %q, agrees with it: if that is enough, set the quorum to 1", by[0], d.Choice)
}

// several reports whether more than one agent is asked to vote, or has voted.
func several(all seat.Roster, d consensus.Decision) bool {
	voters := votersOf(d)
	for _, s := range all {
		if asked(s.Agent) {
			voters[s.Agent.ID] = true
		}
	}
	return len(voters) > 1
}

func votersOf(d consensus.Decision) map[string]bool {
	voters := map[string]bool{}
	for v := range d.Ballots().Votes() {
		voters[v.Voter] = true
	}
	return voters
}

// Missing returns the agents that were asked to vote and did not, if they are needed
// for the quorum.
func (c *Count) Missing(d consensus.Decision) (ids []string) {
	if d.Voters >= d.Ballots().Quorum() {
		return nil
	}
	voted := votersOf(d)
	for _, s := range c.Seats {
		if asked(s.Agent) && !s.Out && !voted[s.Agent.ID] {
			ids = append(ids, s.Agent.ID)
		}
	}
	return ids
}

// A Round is the last one of a solve.
type Round struct {
	Number, Begun   int // its number, and that of its turns
	Emitted, Before int // numbers of signals that agents had said at its end, and at its beginning
}

// Down reports whether an agent that might vote failed in its last turn in an outage.
func (c *Count) Down() bool {
	return slices.ContainsFunc(c.Seats, func(s *seat.Seat) bool {
		t := s.Failed()
		return t != nil && asked(s.Agent) && !s.Out && agents.IsOutage(t.Err)
	})
}

// broken returns why turns failed because of which a solve cannot go on: so many agents
// failed in their last turn, without saying anything, that the others are fewer than the
// quorum, or that the only agent with a position is alone with its own proposal. Before
// any vote, it is also the turns of the last round if all of them failed, or any in an outage, and one
// of their agents might have proposed or voted. Where the votes neither choose nor reject, it is those of an outage
// of agents that might vote: the solve goes on when their models answer.
func broken(all seat.Roster, d consensus.Decision, alone bool, r Round) (failed []error) {
	var able, unable, last int
	needed, outage := false, false
	for _, s := range all {
		voter, t := asked(s.Agent) && !s.Out, s.Failed()
		switch {
		case t != nil:
			failed, outage = append(failed, t.Err), outage || agents.IsOutage(t.Err)
			needed = needed || s.Agent.May(signals.KindVote) || s.Agent.May(signals.KindProposal)
			if t.Round == r.Number {
				last++
			}
			if voter {
				unable++
			}
		case voter:
			able++
		}
	}
	quorum := d.Ballots().Quorum()
	switch {
	case alone && unable > 0,
		d.Voters > 0 && able < quorum && quorum <= able+unable,
		d.Choice == "" && d.Outcome != consensus.Rejected && outage && unable > 0,
		d.Voters == 0 && needed && (outage || r.Emitted == r.Before && last == r.Begun):
		return failed
	}
	return nil
}
