package reliability

import "github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"

// past is what is plainly on record about the voters, without any model.
type past struct {
	known []fit.Votes // with a known outcome
	right []record    // by voter
	sided []tendency  // by voter
}

// record is how many of a voter's votes have a known outcome, and how many of these were right.
type record struct{ known, right int }

// tendency is in how many decisions a voter has voted, and in how many it was with most of the others.
type tendency struct{ votes, with int }

func newPast(b *fit.Batch) past {
	p := past{right: make([]record, b.Voters), sided: make([]tendency, b.Voters)}
	for _, v := range b.Votes {
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
			p.sided[j].add(v.Said[i], lead(count))
			count[v.Said[i]]++
		}
	}
	return p
}

func (r *record) add(said, known int32) {
	if known < 0 {
		return
	}
	r.known++
	if said == known {
		r.right++
	}
}

// add counts a vote and what most of the others said, if that is one thing.
func (t *tendency) add(said, others int32) {
	if others < 0 {
		return
	}
	t.votes++
	if said == others {
		t.with++
	}
}

// lead returns the candidate with the most votes, or -1 if there is none or several have as many.
func lead(count []int) int32 {
	lead, most := int32(-1), 0
	for c, n := range count {
		switch {
		case n > most:
			lead, most = int32(c), n
		case n == most:
			lead = -1
		}
	}
	return lead
}
