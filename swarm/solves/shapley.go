package solves

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// maxExact is the number of players up to which values are exact.
const maxExact = 10

// Shapley returns the Shapley value of each of n players, and its standard error: 0 if it is
// exact, which it is for at most ten players. For more it is the mean over that many
// random orders, at least 2, drawn by the seed.
//
// worth returns the worth of the coalition of the players that are in; it must
// not keep the slice.
func Shapley(n int, worth func(in []bool) float64, orders int, seed uint64) (value, deviation []float64) {
	if n <= maxExact {
		return exact(n, worth), make([]float64, n)
	}
	return sampled(n, worth, max(orders, 2), rand.New(rand.NewPCG(seed, 0)))
}

func exact(n int, worth func(in []bool) float64) []float64 {
	value, in, v := make([]float64, n), make([]bool, n), make([]float64, 1<<n)
	for s := range v {
		for i := range in {
			in[i] = s>>i&1 == 1
		}
		v[s] = worth(in)
	}
	share := make([]float64, n) // by |S|: |S|! (n-|S|-1)! / n!
	for k := range share {
		all, _ := math.Lgamma(float64(n + 1))
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k))
		share[k] = math.Exp(a + b - all)
	}
	for s := range v {
		for i := range value {
			if s>>i&1 == 0 {
				value[i] += share[bits.OnesCount(uint(s))] * (v[s|1<<i] - v[s])
			}
		}
	}
	return value
}

func sampled(n int, worth func(in []bool) float64, orders int, random *rand.Rand) (value, deviation []float64) {
	value, deviation = make([]float64, n), make([]float64, n)
	squares, in := make([]float64, n), make([]bool, n)
	none := worth(in)
	for m := 1; m <= orders; m++ {
		clear(in)
		before := none
		for _, i := range random.Perm(n) {
			in[i] = true
			now := worth(in)
			// Welford's running mean and sum of squares.
			step := now - before - value[i]
			value[i] += step / float64(m)
			squares[i] += step * (now - before - value[i])
			before = now
		}
	}
	for i, s := range squares {
		deviation[i] = math.Sqrt(s / float64(orders-1) / float64(orders))
	}
	return value, deviation
}
