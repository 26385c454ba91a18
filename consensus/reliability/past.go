package reliability

import "github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"

// past is what is plainly on record about the voters, without any model.
type past struct {
	known []fit.Votes // with a known outcome
	all   []fit.Votes // of a team of at most worthMost voters
	right []record    // by voter, in how many known outcomes it was right
	sided []record    // by voter, in how many decisions it was with most of the others
}

// record is in how many of so many decisions something was true of a voter.
type record struct{ of, true int }

func newPast(b *fit.Batch) past {
	p := past{right: make([]record, b.Voters), sided: make([]record, b.Voters)}
	for _, v := range b.Votes {
		if b.Voters <= worthMost {
			p.all = append(p.all, v)
		}
		if v.Known >= 0 {
			p.known = append(p.known, v)
		}
		count := make([]int, v.Field)
		for _, said := range v.Said {
			count[said]++
		}
		for i, j := range v.Voter {
			p.right[j].add(v.Said[i], v.Known)
			count[v.Said[i]]--
			p.sided[j].add(v.Said[i], fit.Plurality(count))
			count[v.Said[i]]++
		}
	}
	return p
}

// add counts a vote and what it is compared with, if that is one thing.
func (r *record) add(said, with int32) {
	if with >= 0 {
		r.of++
	}
	if said == with {
		r.true++
	}
}
