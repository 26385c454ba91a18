package reliability

import "math"

// descent minimises the penalised log-loss on the outcomes that are not in fold skip: accelerated gradient
// (Nesterov, 1983), each coordinate scaled by a bound of its curvature; the lapse by expectation
// maximisation.
type descent struct {
	refit
	known    []outcome
	skip     int
	log, was float64   // log Scale, now and a step before
	old      []float64 // Bonus a step before
	g, h     []float64 // gradient and curvature per voter
	gs, hs   float64   // of log Scale
	lapsed   float64
	total    float64
	p        []float64
}

func newDescent(known []outcome, ridge float64, skip, voters int) *descent {
	return &descent{
		refit: refit{Scale: 1, Ridge: ridge, Lapse: lapse, Bonus: make([]float64, voters)},
		known: known, skip: skip,
		old: make([]float64, voters), g: make([]float64, voters), h: make([]float64, voters),
	}
}

func (d *descent) run() *refit {
	steps := 60
	if d.Ridge >= never {
		steps = 25
	}
	for i := range steps {
		d.lookAhead(float64(i) / float64(i+3))
		d.gradient()
		d.step()
	}
	if d.Ridge >= never {
		d.Bonus = nil
	}
	return &d.refit
}

func (d *descent) lookAhead(momentum float64) {
	here := d.log
	d.log += momentum * (d.log - d.was)
	d.was = here
	d.Scale = math.Exp(d.log)
	for j, x := range d.Bonus {
		d.Bonus[j] += momentum * (x - d.old[j])
		d.old[j] = x
	}
}

func (d *descent) gradient() {
	clear(d.g)
	clear(d.h)
	d.gs, d.hs = -d.log/(scaleSD*scaleSD), 1/(scaleSD*scaleSD)
	d.lapsed, d.total = lapse*lapseN, lapseN
	for _, x := range d.known {
		if x.fold != d.skip {
			d.add(x)
		}
	}
}

func (d *descent) add(x outcome) {
	d.p = append(d.p[:0], x.ev...)
	d.linear(x.v, d.p)
	softmax(d.p)
	q := (1 - d.Lapse) * d.p[x.right]
	not := q / (q + d.Lapse/float64(len(d.p))) // probability that it is no lapse
	d.lapsed += 1 - not
	d.total++
	mean, square := 0.0, 0.0
	for c, q := range d.p {
		mean += q * x.ev[c]
		square += q * x.ev[c] * x.ev[c]
	}
	d.gs += not * d.Scale * (x.ev[x.right] - mean)
	d.hs += not * d.Scale * d.Scale * (square - mean*mean)
	if d.Ridge >= never {
		return
	}
	n := float64(len(x.v.voter))
	for i, j := range x.v.voter {
		c := int(x.v.said[i])
		if c == x.right {
			d.g[j] += not
		}
		d.g[j] -= not * d.p[c]
		d.h[j] += d.p[c] * (1 - d.p[c]) * n / 2
	}
}

func (d *descent) step() {
	d.log += max(-0.3, min(0.3, d.gs/(d.hs*2)))
	d.Scale = math.Exp(d.log)
	d.Lapse = d.lapsed / d.total
	if d.Ridge >= never {
		return
	}
	for j := range d.g {
		d.Bonus[j] += (d.g[j] - d.Ridge*d.Bonus[j]) / (d.h[j] + d.Ridge)
	}
}
