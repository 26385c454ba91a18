package view

import "github.com/swarmbus/swarmbus/signals"

// A Record counts how often a voter was right.
type Record struct {
	Solves, Votes int // in which it voted, and how often
	Told, Right   int // of these solves, those with a known outcome, and those in which it was right
}

// score adds the votes of the solve to the records of the voters. A voter is right if it
// agrees with the proposal that was right, or rejects all that it voted on if none was.
func (s *solve) score(all map[string]Record) {
	voted, right := map[string]bool{}, map[string]bool{}
	for _, v := range s.ballot.list {
		r := all[v.Voter]
		r.Votes++
		all[v.Voter] = r
		voted[v.Voter] = true
	}
	told := s.Stage.Outcome != nil
	if told {
		id := s.Stage.Outcome.Payload.ProposalID
		for _, p := range s.Votes.Show("") {
			for _, v := range p.Votes {
				agrees := v.Payload.Stance == signals.Agree
				right[v.Source] = right[v.Source] || agrees && p.Is(id) || id == "" && v.Payload.Stance == signals.Disagree
			}
		}
	}
	for voter := range voted {
		r := all[voter]
		r.Solves++
		if told {
			r.Told++
			if right[voter] {
				r.Right++
			}
		}
		all[voter] = r
	}
}
