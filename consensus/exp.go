package consensus

import "math"

// one is 1 as decay counts it: probabilities are reckoned in 2^-40ths.
const one = 1 << 40

// steps divide an octave for decay's table: fine enough that a cubic does for what is left.
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

// decay returns e^x for x <= 0 in whole 2^-40ths, within one of them. math.Exp is written in assembly on
// some machines and fused on others; this is the same everywhere, so that processes that fold one log come
// to one decision. Conversions keep products from being fused into sums.
func decay(x float64) int64 {
	if x > -1e-13 {
		return one
	}
	if x < -30 {
		return 0 // below half of 2^-40
	}
	n := int(float64(x*(steps/math.Ln2)) - 0.5) // to the nearest, x being negative
	r := x - float64(float64(n)*(math.Ln2/steps))
	p := 1 + float64(r*(1+float64(r*(1.0/2+float64(r*(1.0/6))))))
	scale := math.Float64frombits(uint64(1023+40+(n>>octaveBits)) << 52)
	return int64(float64(scale*float64(octave[uint(n)%steps]*p)) + 0.5)
}
