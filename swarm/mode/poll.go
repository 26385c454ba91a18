package mode

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Poll is what the votes of a log say in the calls of a plan, and which of them count: of
// an agent those for its first answer that stands, all of its verdicts, and all votes from
// outside. The zero Poll has none.
type Poll struct {
	said    map[int]*Call  // by the place of the call
	first   map[string]int // by agent: the call whose answer is its vote
	outside []Call
}

// Take takes the next vote, in the call at a place, on an answer by the id under which that
// counts. It reports whether the vote counts. One for an answer that has lost to another one
// is shown, and is no answer.
func (p *Poll) Take(at int, asked Call, vote signals.Vote, lost bool) bool {
	if p.said == nil {
		p.said, p.first = map[int]*Call{}, map[string]int{}
	}
	if p.said[at] == nil {
		p.said[at] = new(Call)
	}
	call, agrees := p.said[at], vote.Stance == signals.Agree
	if agrees && call.Answer == "" && !lost && asked.Part != Facts {
		call.Answer = vote.ProposalID
	}
	switch asked.Part {
	case Verdict:
		if vote.Stance == signals.Disagree {
			call.Rejects = append(call.Rejects, vote.ProposalID)
		}
		return true
	case Answer:
		if _, voted := p.first[asked.Agent]; !voted && call.Answer != "" {
			p.first[asked.Agent] = at
		}
		return agrees && (lost || call.Answer == vote.ProposalID && p.first[asked.Agent] == at)
	}
	return false
}

// TakeOutside takes the next vote of somebody outside the team.
func (p *Poll) TakeOutside(voter string, vote signals.Vote) {
	p.outside = slices.DeleteFunc(p.outside, func(c Call) bool { return c.Agent == voter && c.Answer == vote.ProposalID })
	if vote.Stance == signals.Agree {
		p.outside = append(p.outside, Call{Agent: voter, Answer: vote.ProposalID})
	}
}

// Calls returns the calls with what was said in them, and the votes from outside.
func (p *Poll) Calls(asked []Call) []Call {
	all := slices.Clone(asked)
	for i, said := range p.said {
		all[i].Answer, all[i].Rejects = said.Answer, said.Rejects
	}
	return append(all, p.outside...)
}
