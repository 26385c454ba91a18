package reliability

import "math"

// listen is the M step for the calibration of stated confidence.
func (e *em) listen() {
	if e.m.Stated != nil {
		e.calibrate()
		e.lifts()
	}
}

// lifts updates the lift of each vote.
func (e *em) lifts() {
	if e.m.Stated == nil || e.b.Stated == nil {
		return
	}
	e.lift = e.lift[:0]
	for t := range e.b.size() {
		e.lift = e.m.lifts(e.b.votes(t), e.lift)
	}
}

// calibrate is the M step for the slopes: a Newton step for all together, then one for each.
func (e *em) calibrate() {
	c := e.m.Stated
	g, h := make([]float64, e.m.Voters), make([]float64, e.m.Voters)
	e.slopes(g, h)
	rise, bend := (c.priorMean(e.o.Right)-c.Mean)*precision(slopeSD), precision(slopeSD)
	for j := range g {
		rise += g[j]
		bend += h[j]
	}
	step := max(-c.Mean, min(0.5, max(-0.5, rise/bend)))
	c.Mean += step
	for j := range c.Slope {
		c.Slope[j] = max(0, c.Slope[j]+step)
	}
	e.slopes(g, h)
	prec, spread := precision(c.Sd), slopeN*slopeSD*slopeSD
	for j, x := range c.Slope {
		x += min(0.5, max(-0.5, (g[j]-(x-c.Mean)*prec)/(h[j]+prec)))
		c.Slope[j] = max(0, x)
		r := c.Slope[j] - c.Mean
		spread += r*r + 1/(h[j]+prec)
	}
	c.Sd = math.Sqrt(spread / (slopeN + float64(len(c.Slope))))
}

// slopes fills g and h with the gradient and the curvature of the expected log-likelihood in each voter's slope. A vote
// whose lift is bounded at chance does not depend on the slope, and is skipped.
func (e *em) slopes(g, h []float64) {
	clear(g)
	clear(h)
	one := [1]float64{1}
	for t, post := range e.post {
		v := e.b.votes(t)
		would := post
		if e.b.Own { // one rate for all choices
			would = one[:]
		}
		for i, j := range v.voter {
			x := logit(v.stated[i]) - e.m.Stated.Pool
			if lift := e.m.Stated.Slope[j] * x; lift < e.m.atChance(j, lift, e.m.between(v)) {
				continue
			}
			g[j] += x * post[v.said[i]]
			e.wouldBe(j, x, would, g, h)
		}
	}
}

// wouldBe subtracts from the gradient the expected probability that the voter is right if it states logit Pool + x, and
// adds its variance to the curvature.
func (e *em) wouldBe(j int32, x float64, post, g, h []float64) {
	for c, p := range post {
		right := sigma(e.m.Rate[int(j)*e.m.cols()+c] + e.m.Stated.Slope[j]*x)
		g[j] -= x * p * right
		h[j] += x * x * p * right * (1 - right)
	}
}
