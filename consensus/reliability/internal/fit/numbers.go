package fit

import "math"

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// bounded keeps a probability away from 0 and 1.
func bounded(p float64) float64 { return min(0.999, max(0.001, p)) }

// ramp rises linearly from 0 at from to 1 at to.
func ramp(x, from, to float64) float64 { return min(1, max(0, (x-from)/(to-from))) }

func sum(x []float64) (s float64) {
	for _, y := range x {
		s += y
	}
	return s
}

// best returns the index of the greatest number.
func best(p []float64) (b int) {
	for i, x := range p {
		if x > p[b] {
			b = i
		}
	}
	return b
}

// logSum returns log Σ exp x.
func logSum(x []float64) float64 {
	top, s := x[best(x)], 0.0
	for _, y := range x {
		s += math.Exp(y - top)
	}
	return top + math.Log(s)
}

// softmax turns logarithms of weights into probabilities.
func softmax(p []float64) {
	z := logSum(p)
	for i, x := range p {
		p[i] = math.Exp(x - z)
	}
}
