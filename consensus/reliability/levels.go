package reliability

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// levels is how many points stand for the normal distribution of difficulty.
const levels = 7

// normal is the standard normal on seven points from -2.4 to 2.4, scaled to variance 1, with weights.
var normal, normalWeight = func() (z, w [levels]float64) {
	for d := range z {
		z[d] = -2.4 + 4.8*float64(d)/(levels-1)
		w[d] = math.Exp(-z[d] * z[d] / 2)
	}
	floats.Scale(1/floats.Sum(w[:]), w[:])
	v := 0.0
	for d := range z {
		v += w[d] * z[d] * z[d]
	}
	floats.Scale(1/math.Sqrt(v), z[:])
	return z, w
}()

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logSigma(x float64) float64 {
	if x < -30 {
		return x
	}
	return -math.Log1p(math.Exp(-x))
}

// logSum is log Σ exp p. gonum's floats.LogSumExp does the same a third slower, which the fit would feel.
func logSum(p []float64) float64 {
	hi := math.Inf(-1)
	for _, x := range p {
		hi = max(hi, x)
	}
	if math.IsInf(hi, -1) {
		return hi
	}
	s := 0.0
	for _, x := range p {
		s += math.Exp(x - hi)
	}
	return hi + math.Log(s)
}

func softmax(p []float64) {
	z := logSum(p)
	for i, x := range p {
		p[i] = math.Exp(x - z)
	}
}

// marginal sums difficulty out: ev[c] = log Σ_d exp lp[c,d].
func marginal(lp, ev []float64) {
	for c := range ev {
		ev[c] = logSum(lp[c*levels : (c+1)*levels])
	}
}

func fill(n int, x float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = x
	}
	return s
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// round drops what depends on the order of sums.
func round(p float64) float64 { return math.Round(p*(1<<40)) / (1 << 40) }
