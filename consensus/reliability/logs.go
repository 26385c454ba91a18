package reliability

import "math"

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logSigma(x float64) float64 {
	if x < -30 {
		return x
	}
	return -math.Log1p(math.Exp(-x))
}

// logSum returns log Σ exp p. gonum's floats.LogSumExp does the same but is a third slower, which the fit would notice.
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

func fill(n int, x float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = x
	}
	return s
}

// round drops the low bits of a probability, which depend on the order of summation.
func round(p float64) float64 { return math.Round(p*(1<<40)) / (1 << 40) }
