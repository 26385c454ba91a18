package reliability

import (
	"math"

	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// past is what is plainly on record about the voters, without any model.
type past struct {
	columns  int
	outcomes int
	of       []record // [voter*columns+said]
	sided    []tendency
}

// record is how many of a voter's votes for a choice have a known outcome, and how many were right.
type record struct{ known, right int }

// tendency is in how many decisions a voter has voted, and in how many it was with most of the others.
type tendency struct{ votes, with int }

func newPast(k kind, b *fit.Batch) past {
	p := past{columns: k.columns(), of: make([]record, b.Voters*k.columns()), sided: make([]tendency, b.Voters)}
	for _, v := range b.Votes {
		if v.Known >= 0 {
			p.outcomes++
		}
		count := make([]int, v.Field)
		for _, said := range v.Said {
			count[said]++
		}
		for i, j := range v.Voter {
			p.add(j, v.Said[i], v.Known)
			count[v.Said[i]]--
			p.side(j, v.Said[i], count)
			count[v.Said[i]]++
		}
	}
	return p
}

func (p *past) add(j, said, known int32) {
	if known < 0 {
		return
	}
	r := &p.of[p.at(j, said)]
	r.known++
	if said == known {
		r.right++
	}
}

// side counts a vote with those of the others, if more of these are for one candidate than for any other.
func (p *past) side(j, said int32, others []int) {
	lead, most := int32(-1), 0
	for c, n := range others {
		switch {
		case n > most:
			lead, most = int32(c), n
		case n == most:
			lead = -1
		}
	}
	if lead < 0 {
		return
	}
	p.sided[j].votes++
	if lead == said {
		p.sided[j].with++
	}
}

func (p *past) at(j, said int32) int {
	if p.columns == 1 {
		said = 0
	}
	return int(j)*p.columns + int(said)
}

// total returns a voter's record over all choices.
func (p *past) total(j int32) (t record) {
	for c := range p.columns {
		r := p.of[int(j)*p.columns+c]
		t.known, t.right = t.known+r.known, t.right+r.right
	}
	return t
}

// evidence returns the log-odds that a voter is right when it says this, by its record alone. A voter without one is
// right in three of four cases.
func (p *past) evidence(j, said int32) float64 {
	var r record
	if at := p.at(j, said); at < len(p.of) {
		r = p.of[at]
	}
	x := (float64(r.right) + 1.5) / (float64(r.known) + 2)
	return math.Log(x / (1 - x))
}
