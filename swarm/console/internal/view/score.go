package view

import (
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
)

// A Record counts how often a voter was right.
type Record struct {
	Solves, Votes int // in which it voted, and how often
	Told, Right   int // of these solves, those with a known outcome, and those in which it was right
}

// Interval returns the 95 % interval of the share of solves in which the voter was right.
func (r Record) Interval() (low, high float64) { return reliability.Interval(r.Right, r.Told) }

// score adds the votes of the solve to the records of the voters. A voter is right if it
// agrees with the proposal that was right, or rejects all that it voted on if none was. One
// whose votes that count neither agree with anything nor reject what was right, such as one whose
// vote was taken back, has taken no stand that an outcome could tell about.
func (s *solve) score(all map[string]Record) {
	voted, stands, right := map[string]bool{}, map[string]bool{}, map[string]bool{}
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
				agrees, rejects := v.Payload.Stance == signals.Agree, v.Payload.Stance == signals.Disagree
				right[v.Source] = right[v.Source] || agrees && p.Is(id) || id == "" && rejects
				stands[v.Source] = stands[v.Source] || agrees || rejects && (id == "" || p.Is(id))
			}
		}
	}
	for voter := range voted {
		r := all[voter]
		r.Solves++
		if told && stands[voter] {
			r.Told++
			if right[voter] {
				r.Right++
			}
		}
		all[voter] = r
	}
}
