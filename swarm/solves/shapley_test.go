package solves_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/swarm/solves"
)

// The glove game: player 0 has a left glove, the others have right ones.
func gloves(in []bool) float64 {
	for _, right := range in[1:] {
		if in[0] && right {
			return 1
		}
	}
	return 0
}

func ExampleShapley() {
	value, _ := solves.Shapley(3, gloves, 0, 0)
	fmt.Printf("%.3f\n", value)
	// Output: [0.667 0.167 0.167]
}

// weighted is a vote by weights with a quota of half.
func weighted(weights []int) func(in []bool) float64 {
	return func(in []bool) float64 {
		all, sum := 0, 0
		for i, w := range weights {
			all += w
			if in[i] {
				sum += w
			}
		}
		if 2*sum > all {
			return 1
		}
		return 0
	}
}

func TestValuesAddUpAndEqualPlayersAreEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 14).Draw(t, "weights")
		worth := weighted(weights)
		value, deviation := solves.Shapley(len(weights), worth, 20, 1)
		sum, in := 0.0, make([]bool, len(weights))
		for i, v := range value {
			sum, in[i] = sum+v, true
			if weights[i] == 0 && v != 0 {
				t.Errorf("player %d has no weight and %v", i, v)
			}
			for j := range value {
				if len(weights) <= 10 && weights[i] == weights[j] && math.Abs(v-value[j]) > 1e-9 {
					t.Errorf("players %d and %d of weight %d have %v and %v", i, j, weights[i], v, value[j])
				}
			}
			if len(weights) <= 10 && deviation[i] != 0 {
				t.Errorf("an exact value has error %v", deviation[i])
			}
		}
		if want := worth(in); math.Abs(sum-want) > 1e-9 {
			t.Errorf("values %v add up to %v, want %v", value, sum, want)
		}
	})
}

func TestSampledValuesAreWithinTheirErrors(t *testing.T) {
	t.Parallel()
	const n = 12 // the left glove is decisive unless it is first: 11/12
	value, deviation := solves.Shapley(n, gloves, 4000, 7)
	if want := 11.0 / 12; deviation[0] <= 0 || math.Abs(value[0]-want) > 4*deviation[0] {
		t.Errorf("%v ± %v, want %v", value[0], deviation[0], want)
	}
	if want := math.Sqrt(11.0/12/12) / math.Sqrt(4000); deviation[0] < 0.8*want || deviation[0] > 1.2*want {
		t.Errorf("error %v, want about %v: that of a mean over 4000", deviation[0], want)
	}
	if other, _ := solves.Shapley(n, gloves, 4000, 8); fmt.Sprint(value) == fmt.Sprint(other) {
		t.Error("another seed gives the same values")
	}
	again, _ := solves.Shapley(n, gloves, 4000, 7)
	if fmt.Sprint(value) != fmt.Sprint(again) {
		t.Error("the same seed gives other values")
	}
}
