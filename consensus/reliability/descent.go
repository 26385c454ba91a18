package reliability

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// descent minimises the penalised log-loss on the outcomes that are not in fold skip: accelerated gradient
// (Nesterov, 1983), with half a Newton step for what all votes share and each δ scaled by a bound of its
// curvature; the lapse by expectation maximisation.
type descent struct {
	shape
	lapse  float64
	common common
	delta  []float64
	known  []outcome
	skip   int

	commonWas common    // a step before
	deltaWas  []float64 // the same
	slopes    common    // gradient of common
	bends     [3]common // curvature
	g, h      []float64 // gradient and curvature of delta
	lapsed    float64
	total     float64
	p         []float64
	features  [3][]float64 // what common counts, by choice
}

// common is what all votes share: log Scale, level and slope.
type common [3]float64

func newDescent(known []outcome, s shape, skip, voters int) *descent {
	slab := make([]float64, 4*voters)
	return &descent{
		shape: s, lapse: lapse, known: known, skip: skip,
		delta: slab[:voters:voters], deltaWas: slab[voters:][:voters], g: slab[2*voters:][:voters], h: slab[3*voters:],
	}
}

func (d *descent) run() *descent {
	steps := 60
	if d.ridge >= never {
		steps = 25
	}
	for i := range steps {
		d.lookAhead(float64(i) / float64(i+3))
		d.gradient()
		d.step()
	}
	return d
}

// refit is what was found, for voters with these rates.
func (d *descent) refit(rate []float64) *refit {
	r := &refit{Scale: math.Exp(d.common[0]), Lapse: d.lapse, Ridge: d.ridge}
	if d.ridge >= never && d.lean >= never {
		return r
	}
	r.Bonus = make([]float64, len(d.delta))
	for j := range r.Bonus {
		r.Bonus[j] = d.bonus(j, rate)
	}
	return r
}

func (d *descent) bonus(j int, rate []float64) float64 {
	return d.delta[j] + d.common[1] + d.common[2]*rate[j]
}

// loss is the log-loss on one fold.
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
	here := d.common
	for i, x := range here {
		d.common[i] += momentum * (x - d.commonWas[i])
	}
	d.commonWas = here
	for j, x := range d.delta {
		d.delta[j] += momentum * (x - d.deltaWas[j])
		d.deltaWas[j] = x
	}
}

func (d *descent) gradient() {
	clear(d.g)
	clear(d.h)
	d.bends = [3]common{}
	for i, ridge := range d.ridges() {
		d.slopes[i], d.bends[i][i] = -ridge*d.common[i], ridge
	}
	d.lapsed, d.total = lapse*lapseN, lapseN
	for _, x := range d.known {
		if x.fold != d.skip {
			d.add(x)
		}
	}
}

func (d *descent) ridges() common { return common{1 / (scaleSD * scaleSD), d.lean, d.lean} }

// answer fills p with the probabilities when it is no lapse, and features.
func (d *descent) answer(x outcome) {
	for i := range d.features {
		d.features[i] = append(d.features[i][:0], x.ev...)
		scale := 0.0
		if i == 0 {
			scale = math.Exp(d.common[0])
		}
		for c := range x.ev {
			d.features[i][c] *= scale
		}
	}
	d.p = append(d.p[:0], d.features[0]...)
	for i, j := range x.v.voter {
		c := x.v.said[i]
		d.features[1][c]++
		d.features[2][c] += x.rate[j]
		d.p[c] += d.bonus(int(j), x.rate)
	}
	softmax(d.p)
}

func (d *descent) add(x outcome) {
	d.answer(x)
	q := (1 - d.lapse) * d.p[x.right]
	not := q / (q + d.lapse/float64(len(d.p))) // probability that it is no lapse
	d.lapsed += 1 - not
	d.total++
	d.addCommon(x, not)
	if d.ridge < never {
		d.addDelta(x, not)
	}
}

func (d *descent) addCommon(x outcome, not float64) {
	var mean common
	for i, f := range d.features {
		for c, q := range d.p {
			mean[i] += q * f[c]
		}
		d.slopes[i] += not * (f[x.right] - mean[i])
	}
	for i, f := range d.features {
		for h, g := range d.features[:i+1] {
			for c, q := range d.p {
				d.bends[i][h] += not * q * (f[c] - mean[i]) * (g[c] - mean[h])
			}
		}
	}
}

func (d *descent) addDelta(x outcome, not float64) {
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
	d.stepCommon()
	d.lapse = d.lapsed / d.total
	if d.ridge >= never {
		return
	}
	for j := range d.g {
		d.delta[j] += (d.g[j] - d.ridge*d.delta[j]) / (d.h[j] + d.ridge)
	}
}

func (d *descent) stepCommon() {
	bends := mat.NewSymDense(3, nil)
	for i, row := range d.bends {
		for h, x := range row[:i+1] {
			bends.SetSym(i, h, 2*x)
		}
	}
	var solver mat.Cholesky
	var step mat.VecDense
	if !solver.Factorize(bends) || solver.SolveVecTo(&step, mat.NewVecDense(3, d.slopes[:])) != nil {
		return
	}
	for i := range d.common {
		d.common[i] += max(-0.3, min(0.3, step.AtVec(i)))
	}
}
