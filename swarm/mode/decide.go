package mode

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Decide decides on the votes as far as they count by the calls, when voting is closed: the
// plan says when that is. What has no more for it than against it is not chosen, as in any strategy.
func (p *Plan) Decide(b consensus.Ballots, calls []Call) consensus.Decision {
	chosen, tallies := p.Choice(calls), b.Tallies()
	note := p.note(calls, chosen)
	support, opposed, leads := make([]float64, len(tallies)), map[string]bool{"": true}, map[string]bool{}
	for _, id := range chosen.Leaders {
		leads[id] = true
	}
	for i, t := range tallies {
		if leads[t.ProposalID] {
			support[i] = chosen.Share
		}
		opposed[t.ProposalID] = t.Disagree > 0 && cmp.Or(cmp.Compare(t.For, t.Against), cmp.Compare(t.Agree, t.Disagree)) <= 0
	}
	if left := slices.DeleteFunc(slices.Clone(chosen.Leaders), func(id string) bool { return opposed[id] }); len(chosen.Leaders) > 1 && len(left) > 0 {
		if chosen.Leaders = left; len(left) == 1 {
			chosen.Answer = left[0]
		}
	}
	d := b.Decide(p.Mode.String(), support, 0, nil)
	d.Learned = false // by what is known of the voters beside the plan
	d.Leaders, d.Support, d.Confidence, d.Note = slices.Sorted(slices.Values(chosen.Leaders)), chosen.Share, chosen.Sure, note
	switch {
	case !b.Closed():
		d.Outcome, d.Choice = consensus.Pending, ""
	case d.Outcome == consensus.Rejected:
	case !opposed[chosen.Answer] && chosen.Share >= b.Threshold() && d.Voters >= b.Quorum():
		d.Outcome, d.Choice = consensus.Reached, chosen.Answer
	default:
		d.Outcome, d.Choice = consensus.Deadlocked, ""
	}
	return d
}
