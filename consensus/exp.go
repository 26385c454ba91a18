package consensus

import "math"

// one is 1 in the fixed-point format of decay: probabilities are computed in
// units of 2^-40.
const one = 1 << 40

// steps is the number of table entries per octave: fine enough that a cubic
// approximates the rest.
const (
	octaveBits = 8
	steps      = 1 << octaveBits
)

// octave holds 2^(i/steps).
var octave = func() (t [steps]float64) {
	for i := range t {
		t[i] = math.Exp2(float64(i) / steps)
	}
	return t
}()

// decay returns e^x for x <= 0 in units of 2^-40, accurate to one unit. The result of math.Exp depends on
// the machine (assembly on some, fused operations on others); this one does not, so that processes that
// fold the same log make the same decision. The conversions prevent fused multiply-adds.
func decay(x float64) int64 {
	if x > -1e-13 {
		return one
	}
	if x < -30 {
		return 0 // below half of 2^-40
	}
	n := int(float64(x*(steps/math.Ln2)) - 0.5) // rounds to nearest, as x is negative
	r := x - float64(float64(n)*(math.Ln2/steps))
	p := 1 + float64(r*(1+float64(r*(1.0/2+float64(r*(1.0/6))))))
	scale := math.Float64frombits(uint64(1023+40+(n>>octaveBits)) << 52)
	return int64(float64(scale*float64(octave[uint(n)%steps]*p)) + 0.5)
}
