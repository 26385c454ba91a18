package swarm

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
)

// alone says why a decision that the votes have reached is none of several agents:
// nobody agrees with the choice but the agent that proposed it. "" means that it
// counts: also where others have positions and what was learned of the voters says that
// they weigh less.
func (r *solve) alone(d consensus.Decision) string {
	if d.Outcome != consensus.Reached || r.opts.Quorum == 1 || !r.several(d) {
		return ""
	}
	by := r.thread.Votes.Of(d.Choice).Supporters()
	for v := range d.Ballots().Votes() {
		agrees := v.Stance == consensus.Agree && v.ProposalID == d.Choice
		if (agrees || d.Learned && v.Stance != consensus.Abstain) && (v.Voter != by[0] || len(by) > 1) {
			return ""
		}
	}
	return fmt.Sprintf("only %s, who proposed %q, agrees with it: if that is enough, set Quorum to 1", by[0], d.Choice)
}

// several reports whether more than one agent is asked to vote, or has voted.
func (r *solve) several(d consensus.Decision) bool {
	voters := votersOf(d)
	for _, s := range r.seats {
		if asked(s.agent) {
			voters[s.agent.ID] = true
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

// missing returns the agents that were asked to vote and did not, if they are needed
// for the quorum.
func (r *solve) missing(d consensus.Decision) (names []string) {
	if d.Voters >= d.Ballots().Quorum() {
		return nil
	}
	voted := votersOf(d)
	for _, s := range r.seats {
		if asked(s.agent) && !s.stopped && !voted[s.agent.ID] {
			names = append(names, s.agent.ID)
		}
	}
	return names
}

// absent names who is missing in a vote without a quorum.
func (r *solve) absent() []string {
	voters := r.result.Decision.Voters
	if len(r.result.Missing) == 0 || voters == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"no vote of %s: if the others are enough, set Quorum to %d, or let CanEmit of agents that are not to vote list what they emit",
		strings.Join(atMost(r.result.Missing), ", "), voters,
	)}
}
