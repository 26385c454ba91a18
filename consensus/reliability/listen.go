package reliability

import "math"

// listen is the M step for what voters mean by their certainty.
func (e *em) listen() {
	if e.m.Stated != nil {
		e.calibrate()
		e.lifts()
	}
}

// lifts notes what each vote's certainty adds.
func (e *em) lifts() {
	if e.m.Stated == nil || e.b.Stated == nil {
		return
	}
	e.lift = e.lift[:0]
	for t := range e.b.size() {
		e.lift = e.m.lifts(e.b.votes(t), e.lift)
	}
}

// calibrate is the M step for slopes: a Newton step for all together, then one for each.
func (e *em) calibrate() {
	c := e.m.Stated
	g, h := make([]float64, e.m.Voters), make([]float64, e.m.Voters)
	e.slopes(g, h)
	rise, bend := (c.before(e.o.Right)-c.Mean)*precision(slopeSD), precision(slopeSD)
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

// slopes fills g and h with the gradient of the expected log-likelihood in each voter's slope, and its curvature. A
// vote that is bounded by chance says nothing of it.
func (e *em) slopes(g, h []float64) {
	clear(g)
	clear(h)
	one := [1]float64{1}
	for t, post := range e.post {
		v := e.b.votes(t)
		would := post
		if e.b.Own { // all choices have one rate
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

// wouldBe takes from the gradient how often the voter would be right at certainty x.
func (e *em) wouldBe(j int32, x float64, post, g, h []float64) {
	for c, p := range post {
		right := sigma(e.m.Rate[int(j)*e.m.cols()+c] + e.m.Stated.Slope[j]*x)
		g[j] -= x * p * right
		h[j] += x * x * p * right * (1 - right)
	}
}
