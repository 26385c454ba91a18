package swarm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// detail says why the solve stopped and how the votes stood, which votes did
// not count, and which agents failed or were late.
func (r *solve) detail() string {
	all := []string{r.result.Detail}
	switch r.result.Stop {
	case StopMaxRounds, StopBudget, StopDeadline, StopCancelled, StopEscalated:
		all[0] += ": " + r.result.Decision.Reason()
	}
	for _, why := range []string{r.alone(r.result.Decision), r.obstacles()} {
		if r.result.Stop != StopConsensus && why != "" && !strings.Contains(all[0], why) {
			all = append(all, why)
		}
	}
	all = append(all, r.unsettled()...)
	all = append(all, r.absent()...)
	all = append(all, r.uncounted()...)
	all = append(all, r.refusals()...)
	all = append(all, r.troubles()...)
	all = append(all, r.passes()...)
	all = append(all, r.stopped()...)
	return strings.Join(all, "; ")
}

// troubles lists the agents that failed or were late, when and why.
func (r *solve) troubles() []string {
	var failed, late []string
	for _, t := range r.result.Failed {
		failed = append(failed, runlog.FailedBy(t.Agent, t.Round, t.Err).String())
	}
	for _, l := range r.result.Late {
		late = append(late, l.String())
	}
	return append(atMost(failed), atMost(late)...)
}

// passes lists the turns in which agents had nothing to add, if votes are missing.
func (r *solve) passes() (all []string) {
	if len(r.result.Missing) == 0 {
		return nil
	}
	for _, p := range r.result.Passed {
		all = append(all, p.String())
	}
	return atMost(all)
}

// uncounted lists the votes that do not count, and which proposals they may
// have meant.
func (r *solve) uncounted() []string {
	var all []string
	for _, u := range r.result.Decision.Uncounted() {
		switch u.Cause {
		case consensus.UnknownProposal:
			all = append(all, fmt.Sprintf("%s voted on %q, which nobody proposed%s", u.Voter, u.ProposalID, r.nearest(u.ProposalID)))
		case consensus.NotEligible:
			all = append(all, fmt.Sprintf("%s voted on %q and may not vote", u.Voter, u.ProposalID))
		case consensus.Superseded: // the voter's own doing
		}
	}
	return atMost(all)
}

// refusals lists the votes and proposals that were not published.
func (r *solve) refusals() []string {
	var all []string
	for _, refused := range r.refused {
		if k := refused.Signal.Kind(); k != signals.KindVote && k != signals.KindProposal {
			continue
		}
		all = append(all, fmt.Sprintf("%s of %s was refused: %v", refused.Signal.Kind(), refused.Agent, refused.Err))
	}
	return atMost(all)
}

func atMost(all []string) []string {
	const most = 3
	if len(all) > most {
		return append(all[:most:most], fmt.Sprintf("and %d more", len(all)-most))
	}
	return all
}

// nearest returns a hint at the proposal that a misspelled id may have meant.
func (r *solve) nearest(id string) string {
	best, least := "", 0
	for _, p := range r.thread.Votes.Made() {
		known := p.Payload.ProposalID
		if d := distance([]rune(id), []rune(known)); best == "" || d < least {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (the nearest is %q)", best)
}

// distance is the edit distance of a and b in runes (Levenshtein, 1966). Names
// are short, so only the first 64 runes count.
func distance(a, b []rune) int {
	const most = 64
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// silence says what is missing if no one voted.
func (r *solve) silence() string {
	voters := len(r.options().Electorate)
	if r.thread.Votes.Len() == 0 && r.said == 0 {
		return fmt.Sprintf("none of %s said anything", plural(len(r.seats), "agent"))
	}
	return fmt.Sprintf("%s and no vote that counts, of %d who may vote", plural(r.thread.Votes.Len(), "proposal"), voters)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// broken returns the failed turns because of which the solve cannot go on: so many
// agents failed in their last turn, without saying anything, that the others are fewer
// than the quorum, or that the only agent with a position is alone with its own proposal.
// Before any vote, it is also the turns of the last round if all of them failed, and one
// of their agents might have proposed or voted.
func (r *solve) broken(d consensus.Decision) (failed []TurnFailed) {
	var able, unable, last int
	needed := false
	for _, s := range r.seats {
		voter, t := asked(s.agent) && !s.stopped, s.failed()
		switch {
		case t != nil:
			failed = append(failed, TurnFailed{s.agent.ID, t.Round, t.err})
			needed = needed || s.agent.May(signals.KindVote) || s.agent.May(signals.KindProposal)
			if t.Round == r.result.Rounds {
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
	case r.alone(d) != "" && unable > 0,
		d.Voters > 0 && able < quorum && quorum <= able+unable,
		d.Voters == 0 && needed && last == r.round.begun && r.said == r.round.saidBefore:
		return failed
	}
	return nil
}

func errorsOf(turns []TurnFailed) error {
	var all []error
	for _, t := range turns {
		all = append(all, t.Err)
	}
	return errors.Join(all...)
}
