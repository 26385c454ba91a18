package consensus

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// orderOf is the value that leastOrder bounds, in floating point.
func orderOf(weights []float64) float64 {
	sum, places, h := 0.0, 0, 0.0
	for _, x := range weights {
		sum += x
	}
	for _, x := range weights {
		if x > 0 {
			places++
			h -= x / sum * math.Log(x/sum)
		}
	}
	return 1 - h/math.Log(float64(max(2, places)))
}

// leastOrderBruteForce searches a grid over the spans.
func leastOrderBruteForce(spans []span, weights []float64, least float64) float64 {
	if len(spans) == 0 {
		return min(least, orderOf(weights))
	}
	const steps = 12
	for i := range steps + 1 {
		x := spans[0].least + (spans[0].most-spans[0].least)*float64(i)/steps
		least = leastOrderBruteForce(spans[1:], append(weights[:len(weights):len(weights)], x), least)
	}
	return least
}

func TestLeastOrderIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := []span{{4, 4 + rapid.Float64Range(0, 3).Draw(t, "more")}}
		for range rapid.IntRange(0, 3).Draw(t, "others") {
			least := float64(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "least"))
			more := float64(rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "span"))
			spans = append(spans, span{least, least + more})
		}
		want := leastOrderBruteForce(spans, nil, 1)
		if got := leastOrder(spans); got > want+1e-12 || got < want-0.03 {
			t.Fatalf("%v: %v, a grid finds %v", spans, got, want)
		}
	})
}
