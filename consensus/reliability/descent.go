package reliability

import "math"

// descent minimises the penalised log-loss on the outcomes outside fold skip by accelerated gradient descent
// (Nesterov, 1983). The step of log Scale is half a Newton step, that of each bonus is scaled by a bound of its
// curvature. The lapse is fitted by expectation maximisation.
type descent struct {
	ridge float64
	lapse float64
	scale float64 // log Scale
	bonus []float64
	known []outcome
	skip  int

	scaleWas, slope, bend float64   // of scale: the value one step before, gradient and curvature
	bonusWas, g, h        []float64 // the same of each bonus
	lapsed, total         float64
	p                     []float64
}

func newDescent(known []outcome, ridge float64, skip, voters int) *descent {
	slab := make([]float64, 4*voters)
	return &descent{
		ridge: ridge, lapse: lapse, known: known, skip: skip,
		bonus: slab[:voters:voters], bonusWas: slab[voters:][:voters], g: slab[2*voters:][:voters], h: slab[3*voters:],
	}
}

func (d *descent) run() *descent {
	steps := 40
	if d.ridge >= noBonus {
		steps = 20
	}
	for i := range steps {
		d.lookAhead(float64(i) / float64(i+3))
		d.gradient()
		d.step()
	}
	return d
}

func (d *descent) refit() *refit {
	r := &refit{Scale: math.Exp(d.scale), Lapse: d.lapse, Ridge: d.ridge}
	if d.ridge < noBonus {
		r.Bonus = d.bonus
	}
	return r
}

// loss returns the log-loss on one fold.
func (d *descent) loss(fold int) float64 {
	loss := 0.0
	for _, x := range d.known {
		if x.fold == fold {
			d.answer(x)
			loss -= math.Log((1-d.lapse)*d.p[x.right] + d.lapse/float64(len(d.p)))
		}
	}
	return loss
}

func (d *descent) lookAhead(momentum float64) {
	here := d.scale
	d.scale += momentum * (here - d.scaleWas)
	d.scaleWas = here
	if d.ridge >= noBonus {
		return
	}
	for j, x := range d.bonus {
		d.bonus[j] += momentum * (x - d.bonusWas[j])
		d.bonusWas[j] = x
	}
}

func (d *descent) gradient() {
	clear(d.g)
	clear(d.h)
	d.slope, d.bend = -d.scale/(scaleSD*scaleSD), 1/(scaleSD*scaleSD)
	d.lapsed, d.total = lapse*lapseN, lapseN
	for _, x := range d.known {
		if x.fold != d.skip {
			d.add(x)
		}
	}
}

// answer fills p with the probability of each choice, given that the decision is not a lapse.
func (d *descent) answer(x outcome) {
	scale := math.Exp(d.scale)
	d.p = append(d.p[:0], x.ev...)
	for c := range d.p {
		d.p[c] *= scale
	}
	for i, j := range x.v.voter {
		d.p[x.v.said[i]] += d.bonus[j]
	}
	softmax(d.p)
}

func (d *descent) add(x outcome) {
	d.answer(x)
	q := (1 - d.lapse) * d.p[x.right]
	not := q / (q + d.lapse/float64(len(d.p))) // probability that it is not a lapse
	d.lapsed += 1 - not
	d.total++
	d.addScale(x, not)
	if d.ridge < noBonus {
		d.addBonus(x, not)
	}
}

func (d *descent) addScale(x outcome, not float64) {
	scale, mean, squares := math.Exp(d.scale), 0.0, 0.0
	for c, q := range d.p {
		f := scale * x.ev[c]
		mean += q * f
		squares += q * f * f
	}
	d.slope += not * (scale*x.ev[x.right] - mean)
	d.bend += not * (squares - mean*mean)
}

func (d *descent) addBonus(x outcome, not float64) {
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
	d.scale += max(-0.3, min(0.3, d.slope/(2*d.bend)))
	d.lapse = d.lapsed / d.total
	if d.ridge >= noBonus {
		return
	}
	for j := range d.g {
		d.bonus[j] += (d.g[j] - d.ridge*d.bonus[j]) / (d.h[j] + d.ridge)
	}
}
