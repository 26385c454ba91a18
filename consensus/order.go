package consensus

import (
	"cmp"
	"math"
	"slices"
)

// span bounds the final weight of one alternative.
type span struct{ least, most float64 }

// orderly reports whether the weight stays concentrated enough for [Entropy] under any votes of the remaining
// voters, and whether "none of these" stays behind a choice. That nothing else comes to lead is
// checked by holds.
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

// leastOrder bounds [tally.order] from below. An alternative without weight may stay without, which
// leaves fewer alternatives to normalize by, so each number of such alternatives is tried, those that
// may gain most first.
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

// mostEntropy returns the entropy, in nats, of the most even shares within the spans. These are one level
// t clamped to each span, because moving weight from a larger share to a smaller one raises entropy.
// Between two ends of spans the entropy rises with t up to the mean of the logarithms of the weights
// clamped there, weighted by themselves, and falls from then on.
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

// peakBetween returns the level at which entropy peaks if only the spans that
// contain both ends move.
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
