package solves

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// Dissent returns the votes against the decision, ordered by Seq: those of
// [consensus.Decision.Dissent], and the overruled ones.
func (r *Result) Dissent() []consensus.Vote {
	all := append(r.Decision.Dissent(), Overruled(r.Decision, r.Proposals)...)
	slices.SortFunc(all, func(a, b consensus.Vote) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}

// Overruled returns the votes for proposals that lost a settled conflict, of voters whom the
// decision counts as abstaining because of that, and who have not voted since: they did not change
// their minds. None are returned while nothing leads.
func Overruled(d consensus.Decision, proposals []agents.Standing) (all []consensus.Vote) {
	if d.Leader() == "" {
		return nil
	}
	yields := yielding(d, proposals)
	for _, p := range proposals {
		for _, v := range p.Votes {
			if p.Lost && yields[v.Source] && v.Payload.Stance == signals.Agree {
				all = append(all, consensus.Vote{
					Seq: v.Seq, Voter: v.Source, ProposalID: p.ID(), Stance: consensus.Agree,
					Weight: cmp.Or(v.Payload.Weight, v.Confidence), Reasoning: v.Payload.Reasoning, CausalLevel: consensus.CausalLevel(v.CausalLevel),
				})
			}
		}
	}
	return all
}

// yielding returns the voters that count as abstaining, and have not said so themselves.
func yielding(d consensus.Decision, proposals []agents.Standing) map[string]bool {
	said := map[uint64]bool{} // places of abstentions in the log
	for _, p := range proposals {
		for _, v := range p.Votes {
			said[v.Seq] = v.Payload.Stance == signals.Abstain
		}
	}
	yields := map[string]bool{}
	for v := range d.Ballots().Votes() {
		before, voted := yields[v.Voter]
		yields[v.Voter] = v.Stance == consensus.Abstain && !said[v.Seq] && (before || !voted)
	}
	return yields
}
