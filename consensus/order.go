package consensus

import (
	"cmp"
	"math"
	"slices"
)

// span is how much weight one alternative may end up with.
type span struct{ least, most float64 }

// orderly reports whether the weight stays gathered enough for [Entropy], however those who are left spread
// theirs, and whether none of these stays behind a choice. That nothing else comes to lead, holds says.
func (o *outlook) orderly(d *Decision) bool {
	more := float64(o.most.weight)
	none := float64(o.total.noneWeight)
	spans, choice := []span{{none, none + more}}, o.place(d)
	for p := range o.total.counts {
		f := float64(o.total.counts[p].favour)
		spans = append(spans, span{f, f + more})
		if p == choice && none+more >= f {
			return false
		}
	}
	return leastOrder(spans) >= o.bd.terms.threshold+slack
}

// leastOrder bounds [tally.order] from below. What weighs nothing yet may stay so, which leaves fewer
// alternatives to compare with, so each number of newcomers is tried, those that may gain most first.
func leastOrder(spans []span) float64 {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(b.least, a.least), cmp.Compare(b.most, a.most))
	})
	least := 1.0
	for k := 1; k <= len(spans); k++ {
		if k == len(spans) || spans[k].least == 0 {
			least = min(least, 1-mostEntropy(spans[:k])/math.Log(float64(max(2, k))))
		}
	}
	return max(0, least)
}

// mostEntropy is the entropy, in nats, of the most even shares within the spans. They are the weights cut
// to their spans at one level t, as moving weight from what is above its share to what is below raises
// entropy; between two ends of spans the entropy rises with t up to the mean of the logarithms of what is
// cut off there, weighed by itself, and falls from then on.
func mostEntropy(spans []span) float64 {
	ends := make([]float64, 0, 2*len(spans))
	for _, s := range spans {
		ends = append(ends, s.least, s.most)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	most := 0.0
	for i, t := range ends {
		most = max(most, entropyAt(spans, t))
		if i+1 < len(ends) {
			if peak := peakBetween(spans, t, ends[i+1]); peak > t && peak < ends[i+1] {
				most = max(most, entropyAt(spans, peak))
			}
		}
	}
	return most
}

// peakBetween returns the level at which entropy peaks if nothing but the spans that hold both ends moves.
func peakBetween(spans []span, from, to float64) float64 {
	sum, logs := 0.0, 0.0
	for _, s := range spans {
		if s.least <= from && s.most >= to {
			continue
		}
		x := min(s.most, max(s.least, from))
		sum += x
		logs += xlogx(x)
	}
	if sum == 0 {
		return to
	}
	return math.Exp(logs / sum)
}

func entropyAt(spans []span, t float64) float64 {
	sum, logs := 0.0, 0.0
	for _, s := range spans {
		x := min(s.most, max(s.least, t))
		sum += x
		logs += xlogx(x)
	}
	if sum == 0 {
		return 0
	}
	return math.Log(sum) - logs/sum
}

func xlogx(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(x)
}
