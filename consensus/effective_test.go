package consensus_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

func drawWeights(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.1, 0.5, 1, 1, 3}), 0, 8).Draw(t, "weights")
}

func near9(t testing.TB, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 1e-9*max(1, want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestEffectiveSizeOfEqualVoters(t *testing.T) {
	for _, n := range []int{1, 2, 10, 100} {
		for _, rho := range []float64{0, 0.2, 0.5, 1} {
			want := float64(n) / (1 + float64(n-1)*rho)
			same := func(int, int) float64 { return rho }
			near9(t, "size", consensus.EffectiveSize(ones(n), same), want)
			near9(t, "size of one group", consensus.GroupedSize(ones(n), func(int) string { return "g" }, rho, 0), want)
			near9(t, "size of groups of one", consensus.GroupedSize(ones(n), func(i int) string { return fmt.Sprint(i) }, 0, rho), want)
		}
	}
}

func TestEffectiveSizeOfGroupsIsThatOfTheirPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := drawWeights(t)
		group := func(i int) string { return fmt.Sprint(i * i % 3) }
		within := rapid.Float64Range(0, 1).Draw(t, "within")
		across := rapid.Float64Range(0, within).Draw(t, "across")
		pairs := func(i, j int) float64 {
			if group(i) == group(j) {
				return within
			}
			return across
		}
		near(t, "size", consensus.GroupedSize(weights, group, within, across), consensus.EffectiveSize(weights, pairs))
	})
}

// As a quadratic form, with matrices of correlations that a sample can have.
func TestEffectiveSizeAgreesWithTheVarianceOfTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := drawWeights(t)
		n := len(weights)
		if n == 0 {
			return
		}
		loads := mat.NewDense(n, 2, nil)
		for i := range n {
			loads.Set(i, 0, rapid.Float64Range(-0.7, 0.7).Draw(t, "load"))
			loads.Set(i, 1, rapid.Float64Range(-0.7, 0.7).Draw(t, "load"))
		}
		var c mat.Dense
		c.Mul(loads, loads.T())
		for i := range n {
			c.Set(i, i, 1)
		}
		w := mat.NewVecDense(n, weights)
		count := 0.0
		for _, x := range weights {
			if x > 0 {
				count++
			}
		}
		want := 0.0
		if sum := mat.Sum(w); sum > 0 {
			want = min(count, sum*sum/mat.Inner(w, &c, w))
		}
		got := consensus.EffectiveSize(weights, c.At)
		near(t, "size", got, want)
		if got > count || got < 0 {
			t.Errorf("size %v of %v voters", got, count)
		}
	})
}

func TestMoreCorrelationMeansFewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := drawWeights(t)
		rho := rapid.Float64Range(0, 1).Draw(t, "rho")
		i := rapid.IntRange(0, 7).Draw(t, "whose")
		raised := func(j, k int) float64 {
			if j == i || k == i {
				return min(1, rho+0.3)
			}
			return rho
		}
		before := consensus.EffectiveSize(weights, func(int, int) float64 { return rho })
		if after := consensus.EffectiveSize(weights, raised); after > before+1e-9 {
			t.Errorf("from %v to %v", before, after)
		}
	})
}

func TestEffectiveSizeReadsNonsenseCautiously(t *testing.T) {
	for _, tt := range []struct {
		weights []float64
		rho     float64
		want    float64
	}{
		{nil, 0, 0},
		{[]float64{0, math.NaN(), -1}, 0, 0},
		{ones(4), math.NaN(), 1},
		{ones(4), 7, 1},
		{ones(4), -1, 4},
	} {
		if got := consensus.EffectiveSize(tt.weights, func(int, int) float64 { return tt.rho }); got != tt.want {
			t.Errorf("%v at %v: %v, want %v", tt.weights, tt.rho, got, tt.want)
		}
	}
	if got := consensus.GroupedSize(nil, nil, 0.5, 0.2); got != 0 {
		t.Errorf("%v of nobody", got)
	}
}

func ExampleEffectiveSize() {
	weights := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	fmt.Printf("%.2f\n", consensus.EffectiveSize(weights, func(i, j int) float64 { return 0.2 }))
	model := func(i int) string { return []string{"gpt", "claude"}[i%2] }
	fmt.Printf("%.2f\n", consensus.GroupedSize(weights, model, 0.5, 0.1))
	// Output:
	// 3.57
	// 2.86
}

func BenchmarkEffectiveSize(b *testing.B) {
	weights := ones(100)
	for b.Loop() {
		consensus.EffectiveSize(weights, func(int, int) float64 { return 0.2 })
	}
}
