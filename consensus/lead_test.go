package consensus_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

func drawVoices(t *rapid.T) []float64 {
	n := rapid.IntRange(2, 5).Draw(t, "alternatives")
	return rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.3, 1, 2, 3, 7, 20, 450, 100_000}), n, n).Draw(t, "voices")
}

func leadOf(voices []float64, i int) float64 {
	return consensus.Lead(voices[i], slices.Delete(slices.Clone(voices), i, i+1)...)
}

func TestSomebodyHasTheLead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		voices, sum := drawVoices(t), 0.0
		for i := range voices {
			sum += leadOf(voices, i)
		}
		if math.Abs(sum-1) > 1e-7 {
			t.Errorf("%v lead with probabilities that sum to %v", voices, sum)
		}
	})
}

func TestAVoiceForTheLeaderHelpsItAndOneForAnotherDoesNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		voices := drawVoices(t)
		i := rapid.IntRange(0, len(voices)-1).Draw(t, "whose")
		before := leadOf(voices, 0)
		voices[i]++
		after := leadOf(voices, 0)
		if i == 0 && after < before-1e-9 || i > 0 && after > before+1e-9 {
			t.Errorf("from %v to %v with one more for %d of %v", before, after, i, voices)
		}
	})
}

// The slow twin of both rules, Beta and Gamma: draw shares and count how often
// each is first.
func TestLeadAgreesWithDrawingShares(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	for _, voices := range [][]float64{{3, 1}, {5, 4, 0}, {2, 2, 2}, {10, 6, 3, 0}, {0.5, 0.2, 0}} {
		const draws = 200_000
		first := 0
		for range draws {
			shares := make([]float64, len(voices))
			for i, n := range voices {
				shares[i] = distuv.Gamma{Alpha: n + 1, Beta: 1, Src: src}.Rand()
			}
			if slices.Max(shares) == shares[0] {
				first++
			}
		}
		got, want := leadOf(voices, 0), float64(first)/draws
		if math.Abs(got-want) > 0.006 {
			t.Errorf("%v: %v, drawn %v", voices, got, want)
		}
	}
}

func TestLeadHasKnownValues(t *testing.T) {
	for _, tt := range []struct {
		want   float64
		voices []float64
	}{
		{1, []float64{0}},
		{0.5, []float64{0, 0}},
		{0.25, []float64{1e3, 1e3, 1e3, 1e3}},
		{0.75, []float64{1, 0}},         // 1 − ½²
		{0.9375, []float64{3, 0}},       // 1 − ½⁴
		{11.0 / 18, []float64{1, 0, 0}}, // the size-biased largest of three spacings
		{0.5, []float64{math.NaN(), -3}},
	} {
		if got := leadOf(tt.voices, 0); math.Abs(got-tt.want) > 1e-8 {
			t.Errorf("%v: %v, want %v", tt.voices, got, tt.want)
		}
	}
}

func TestBallotsLeadDiscountsVotersWhoErrTogether(t *testing.T) {
	votes := []string{"8* v agree a 1", "2* w agree b 1"}
	independent := cast(t, &consensus.Options{Correlation: consensus.Independent}, "a b", votes...)
	if got, want := independent.Lead(), consensus.Lead(8, 2, 0); math.Abs(got-want) > 1e-12 {
		t.Errorf("lead %v, want %v", got, want)
	}
	if got, want := cast(t, nil, "a b", votes...).Lead(), consensus.Lead(8/2.8, 2/2.8, 0); math.Abs(got-want) > 1e-12 {
		t.Errorf("lead %v, want %v", got, want)
	}
	if got := cast(t, nil, "a", "9* v disagree a 1").Lead(); got != 0 {
		t.Errorf("lead %v of what nobody wants", got)
	}
}

func ExampleLead() {
	for _, votes := range [][]float64{{3, 0}, {5, 0}, {5, 2}, {40, 30}} {
		fmt.Printf("%v to %v: %.3f\n", votes[0], votes[1], consensus.Lead(votes[0], votes[1]))
	}
	// Output:
	// 3 to 0: 0.938
	// 5 to 0: 0.984
	// 5 to 2: 0.855
	// 40 to 30: 0.882
}

func BenchmarkLead(b *testing.B) {
	for _, k := range []int{2, 5, 100} {
		others := make([]float64, k-1)
		b.Run(fmt.Sprintf("alternatives=%d", k), func(b *testing.B) {
			for b.Loop() {
				consensus.Lead(9, others...)
			}
		})
	}
}
