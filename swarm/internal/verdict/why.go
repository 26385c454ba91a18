package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A Case is a solve that has stopped.
type Case struct {
	Result    *solves.Result // with the first sentence in its Detail
	Alone     string         // why its decision is none of several agents
	Unsettled []string       // conflicts, and why
	Stopped   []string       // agents
}

// Detail says why the solve stopped and how the votes stood, which votes did
// not count, and which agents failed or were late.
func (c *Case) Detail() string {
	r := c.Result
	if r.Stop == runlog.StopAsked {
		return r.Detail // nothing else matters before the answer
	}
	all := []string{r.Detail}
	switch r.Stop {
	case runlog.StopMaxRounds, runlog.StopBudget, runlog.StopDeadline, runlog.StopCancelled, runlog.StopAbandoned, runlog.StopEscalated:
		all[0] += ": " + r.Decision.Reason()
	}
	if r.Stop != runlog.StopConsensus {
		all = append(all, c.Alone, text.Join(r.Obstacles))
	}
	if r.Stop == runlog.StopDeadlock {
		all = append(all, text.AtMost(c.Unsettled)...)
	}
	all = slices.Concat(all, unpaid(r), absent(r), uncounted(r), refusals(r), troubles(r), passes(r))
	if len(c.Stopped) > 0 {
		all = append(all, "stopped: "+strings.Join(c.Stopped, ", "))
	}
	return once(all)
}

// once joins facts, but for those that an earlier one says.
func once(all []string) (said string) {
	for i, fact := range all {
		switch {
		case i == 0:
			said = fact
		case !strings.Contains(said, fact):
			said += "; " + fact
		}
	}
	return said
}

// unpaid lists the rounds of debates that were not held.
func unpaid(r *solves.Result) (all []string) {
	for _, u := range r.Unpaid {
		all = append(all, u.String())
	}
	return text.AtMost(all)
}

// absent names who is missing in a vote without a quorum.
func absent(r *solves.Result) []string {
	if len(r.Missing) == 0 || r.Decision.Voters == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"no vote of %s: if the others are enough, set the quorum to %d, or let only those agents vote that have to",
		strings.Join(text.AtMost(r.Missing), ", "), r.Decision.Voters,
	)}
}

// troubles lists the agents that failed or were late, when and why.
func troubles(r *solves.Result) []string {
	var failed, late []string
	for _, t := range r.Failed {
		failed = append(failed, runlog.FailedBy(t.Agent, t.Round, t.Err).String())
	}
	for _, l := range r.Late {
		late = append(late, l.String())
	}
	return append(text.AtMost(failed), text.AtMost(late)...)
}

// passes lists the turns in which agents had nothing to add, if votes are missing or a plan has
// the answer of one agent alone.
func passes(r *solves.Result) (all []string) {
	alone := r.Planned != nil && r.Planned.Mode != mode.Deliberate && r.Decision.Voters == 1
	if len(r.Missing) == 0 && !alone {
		return nil
	}
	for _, p := range r.Passed {
		all = append(all, p.String())
	}
	return text.AtMost(all)
}

// uncounted lists the votes that do not count, and which proposals they may
// have meant.
func uncounted(r *solves.Result) (all []string) {
	for _, u := range r.Decision.Uncounted() {
		switch u.Cause {
		case consensus.UnknownProposal:
			all = append(all, fmt.Sprintf("%s voted on %q, which no agent proposed%s", u.Voter, u.ProposalID, text.Suggest(u.ProposalID, proposed(r))))
		case consensus.NotEligible:
			all = append(all, fmt.Sprintf("%s voted on %q and may not vote", u.Voter, u.ProposalID))
		case consensus.Superseded: // the voter's own doing
		}
	}
	return text.AtMost(all)
}

// proposed returns the ids of the proposals.
func proposed(r *solves.Result) (ids []string) {
	for _, p := range r.Proposals {
		ids = append(ids, p.ID())
		for _, same := range p.Same {
			ids = append(ids, same.Payload.ProposalID)
		}
	}
	return ids
}

// refusals lists the votes and proposals that were not published.
func refusals(r *solves.Result) (all []string) {
	for _, refused := range r.Refused {
		if k := refused.Kind; k == signals.KindVote || k == signals.KindProposal {
			all = append(all, fmt.Sprintf("%s of %s was refused: %v", k, refused.Agent, refused.Err))
		}
	}
	return text.AtMost(all)
}
