package fit

import "math"

// Doubt says how far the votes that were learned from leave open whether what most of them say is right at all.
// Agreement alone cannot tell: swap the answers, and the rates of the voters with them, and the votes are as likely.
type Doubt struct {
	Size    float64 // probability that the votes say nothing about what is right, at most 0.35
	Against float64 // share of the votes that are by voters clearly worse than chance, the most active of them excepted
	Block   float64 // share of the decisions that rest on voters who always agree: they turn if these count as one
}

const (
	mostDoubt = 0.35 // a unanimous decision can still be reached, but is never sure
	fewKnown  = 5.0  // known outcomes that halve the doubt
	clearly   = 0.8  // multiple of chance below which a voter is clearly worse
)

// doubts returns the doubt that a fit leaves. In a small team a single voter is no evidence of a camp.
func (m *modes) doubts(b *Batch, crowd, known float64) Doubt {
	d := Doubt{Against: m.against(b), Block: m.block(b)}
	d.Size = mostDoubt * crowd * max(ramp(d.Against, 0.1, 0.3), ramp(d.Block, 0.1, 0.25)) / (1 + known/fewKnown)
	return d
}

func (m *modes) against(b *Batch) float64 {
	cast, r := b.Cast(), m.all[0]
	low, top := 0.0, 0.0
	for j, n := range cast {
		if r.mean(int32(j)) < clearly/(1+r.others) {
			low += n
			top = max(top, n)
		}
	}
	return (low - top) / max(1, sum(cast))
}

// block returns the share of decisions in which most votes are for the most probable answer, but no longer are if those
// who agree with nearly every such answer count as one.
func (m *modes) block(b *Batch) float64 {
	r, post := m.all[0], b.shares()
	lead := make([]int, len(b.Votes))
	with := make([]float64, b.Voters)
	for i := range b.Votes {
		v := &b.Votes[i]
		r.joint(v, r.factors(v, v.parts()), post[i])
		lead[i] = best(post[i])
		for h, j := range v.Voter {
			if int(v.Said[h]) == lead[i] {
				with[j]++
			}
		}
	}
	member := b.Cast()
	for j, n := range member {
		// With four votes of a prior, dissenters who always agree are known as copies before this is 1.
		member[j] = ramp((with[j]+2)/(n+4), 0.85, 0.95)
	}
	turn := 0.0
	for i := range b.Votes {
		turn += b.Votes[i].turns(lead[i], member)
	}
	return turn / math.Max(1, float64(len(b.Votes)))
}

// turns returns 1 if the leader has the most votes, but not once the members of the block count as one.
func (v *Votes) turns(lead int, member []float64) float64 {
	each, asOne, one := make([]float64, v.Field), make([]float64, v.Field), 0.0
	for h, j := range v.Voter {
		each[v.Said[h]]++
		asOne[v.Said[h]] += 1 - member[j]
		if int(v.Said[h]) == lead {
			one = max(one, member[j])
		}
	}
	asOne[lead] += one
	if each[lead] == each[best(each)] && asOne[lead] < asOne[best(asOne)] {
		return 1
	}
	return 0
}
