package mode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
)

// Decide decides on the votes as far as they count by the calls, when voting is closed: the
// plan says when that is. What has no more for it than against it is not chosen, as in any strategy.
//
// What leads is a consensus if more than half of those who were asked for an answer have one, two
// stand for it, and it has more than half of the weight of all who were heard, or the threshold that
// the ballots state; one who passed was heard, one whose turn failed was not. A quorum that is stated
// adds to that. Else it is [consensus.Contested], or, if only one has an answer, [consensus.Answered].
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
	case opposed[chosen.Answer]:
		d.Outcome, d.Choice = consensus.Deadlocked, ""
	case p.Rule < ruleOfSeats:
		d.Outcome, d.Choice = consensus.Deadlocked, ""
		if chosen.Share >= b.Threshold() && d.Voters >= b.Quorum() {
			d.Outcome, d.Choice = consensus.Reached, chosen.Answer
		}
	default:
		s := seatsOf(calls, chosen.Answer)
		if p.Mode == Check && p.Rule >= ruleOfSupporters {
			s.standing = seatsOf(sitting(calls), chosen.Answer).standing
		}
		status(&d, b, chosen, s)
	}
	return d
}

// seats are those that were asked for an answer, with those of people who voted unasked.
type seats struct {
	asked, heard int      // heard: they have answered, or passed
	answered     []string // who has an answer
	standing     []string // who stands for the choice: it gave that answer, or judged for it
}

func seatsOf(calls []Call, choice string) (s seats) {
	asked, failed := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		_, voted := slices.BinarySearch(s.answered, c.Agent)
		switch {
		case c.Part == Facts:
			continue
		case c.Part != Verdict:
			asked[c.Agent], failed[c.Agent] = true, c.Failed
			if c.Answer == "" {
				continue
			}
			s.answered = add(s.answered, c.Agent)
		}
		if c.Answer == choice && (c.Part == Verdict || !voted) {
			s.standing = add(s.standing, c.Agent)
		}
	}
	s.asked = len(asked)
	for agent := range asked {
		if _, voted := slices.BinarySearch(s.answered, agent); voted || !failed[agent] {
			s.heard++
		}
	}
	return s
}

// add adds a name to a sorted set.
func add(set []string, name string) []string {
	if at, has := slices.BinarySearch(set, name); !has {
		set = slices.Insert(set, at, name)
	}
	return set
}

// status decides what the choice of a plan is: a consensus, contested, or the answer of one.
func status(d *consensus.Decision, b consensus.Ballots, chosen Choice, s seats) {
	if !chosen.Judged {
		d.Support = chosen.Share * float64(len(s.answered)) / float64(max(1, s.heard))
	}
	needed, enough := "more than half", d.Support > 0.5*(1+even)
	if b.Threshold() > consensus.Plurality {
		needed, enough = fmt.Sprintf("%.4g %%", 100*b.Threshold()), d.Support >= b.Threshold()
	}
	d.Outcome, d.Choice = consensus.Contested, ""
	switch {
	case d.Voters < b.Quorum():
		d.Lacks = fmt.Sprintf("%d voted, and the quorum is %d", d.Voters, b.Quorum())
	case len(s.answered) == 1:
		d.Outcome, d.Choice, d.By = consensus.Answered, chosen.Answer, s.answered[0]
	case 2*len(s.answered) <= s.asked:
		d.Lacks = fmt.Sprintf("only %d of the %d that were asked have an answer, and more than half must", len(s.answered), s.asked)
	case len(s.standing) < 2:
		d.Lacks = fmt.Sprintf("only %s stands for it, and two must", strings.Join(s.standing, ""))
	case !enough:
		d.Lacks = fmt.Sprintf("it has %.4g %% of the weight of the %d that were heard, and %s is needed", 100*d.Support, s.heard, needed)
	default:
		d.Outcome, d.Choice = consensus.Reached, chosen.Answer
	}
}
