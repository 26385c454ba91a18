package reliability

import (
	"math"
	"slices"
)

// calibration is what voters mean by how sure they say they are. Each has a slope, as in the linear log-odds
// recalibration of Turner, Steyvers, Merkle, Budescu and Wallsten (2014):
//
//	log-odds that a vote is right = those of its voter + Slope[j]·(logit stated − Pool)
//	Slope[j] ~ N(Mean, Sd²), never below 0
//
// A voter who means what it says has the slope 1, one whose certainty says nothing 0.
type calibration struct {
	Mean  float64   `json:"mean"`
	Sd    float64   `json:"sd"`
	Pool  float64   `json:"pool"`  // mean logit of what is stated
	Slope []float64 `json:"slope"` // by voter
	Usual []float64 `json:"usual"` // the same of what a voter states, less Pool
	Vary  []float64 `json:"vary"`  // the variance of that
}

const (
	slopeMean = 1.0  // before any vote: what is said is meant
	slopeSD   = 0.25 // of voters around it
	slopeN    = 4.0  // voters that this guess is worth
	mostSure  = 0.98 // and who says more is taken to say this
)

func logit(stated float64) float64 {
	p := min(mostSure, max(1-mostSure, stated))
	return math.Log(p / (1 - p))
}

// newCalibration is where fitting starts, nil if all voters are sure of all they say.
func newCalibration(b *batch) *calibration {
	if b.Stated == nil {
		return nil
	}
	c := &calibration{Mean: slopeMean, Sd: slopeSD, Slope: fill(b.Voters, slopeMean)}
	c.Usual, c.Vary = make([]float64, b.Voters), make([]float64, b.Voters)
	n := make([]float64, b.Voters)
	for i, j := range b.Voter {
		x := logit(b.Stated[i])
		c.Pool += x / float64(len(b.Voter))
		n[j]++
		off := x - c.Usual[j]
		c.Usual[j] += off / n[j] // Welford, 1962
		c.Vary[j] += off * (x - c.Usual[j])
	}
	for j := range n {
		if n[j] > 0 {
			c.Usual[j] -= c.Pool
			c.Vary[j] /= n[j]
		}
	}
	return c
}

// grow is a copy for more voters, of whom nothing is known.
func (c *calibration) grow(voters int) *calibration {
	if c == nil {
		return nil
	}
	g := *c
	more := max(0, voters-len(c.Slope))
	g.Slope = append(slices.Clone(c.Slope), fill(more, c.Mean)...)
	g.Usual = append(slices.Clone(c.Usual), make([]float64, more)...)
	g.Vary = append(slices.Clone(c.Vary), make([]float64, more)...)
	return &g
}

// certainty is what it does to log-odds of being right: they are x + shift, or over many votes (x + shift)·flat.
type certainty struct{ shift, flat float64 }

func exactly(shift float64) certainty { return certainty{shift, 1} }

// usual is that of all of a voter's votes. What varies flattens their mean (MacKay, 1992).
func (c *calibration) usual(j int) certainty {
	if c == nil {
		return exactly(0)
	}
	s := c.Slope[j]
	return certainty{s * c.Usual[j], 1 / math.Sqrt(1+math.Pi/8*s*s*c.Vary[j])}
}

// shift is what a vote's certainty adds to its voter's log-odds of being right, among k candidates. However unsure,
// a vote does not speak against what it is for, unless its voter does.
func (m *parameters) shift(j int32, stated float64, k int) float64 {
	x := m.Stated.Slope[j] * (logit(stated) - m.Stated.Pool)
	return max(x, min(0, -m.aboveChance(j, k)))
}

// shifts appends those of a decision's votes to out; none if nothing is known of what certainty means.
func (m *parameters) shifts(v votes, out []float64) []float64 {
	if m.Stated == nil || v.stated == nil {
		return out
	}
	for i, j := range v.voter {
		out = append(out, m.shift(j, v.stated[i], m.between(v)))
	}
	return out
}

// heard returns by how much a vote's evidence counts and what its certainty adds to its log-odds. As long as nothing
// is known of what voters mean by their certainty, it scales the evidence. A newcomer's may take from what its vote
// counts, not add: else who is loudest would decide.
func (m *parameters) heard(j int32, stated float64, k int) (part, shift float64) {
	if m.Stated == nil || stated == 0 {
		return stated, 0
	}
	shift = m.shift(j, stated, k)
	if int(j) == m.Voters-1 {
		shift = min(0, shift)
	}
	return 1, shift
}

// shifted is room for a voter's probabilities at a certainty of its own.
type shifted struct{ right, miss [levels]float64 }

// at returns the log-probabilities of being right and wrong of one rate by level, in s where they are not at hand.
func (m *parameters) at(rate int, shift float64, s *shifted) (right, miss []float64) {
	if shift == 0 {
		return m.right[rate*levels:][:levels], m.miss[rate*levels:][:levels]
	}
	z := m.Rate[rate] + shift
	odds := math.Exp(-z)
	for d, x := range m.x {
		s.right[d] = -math.Log1p(odds * m.odds[d])
		s.miss[d] = s.right[d] - z - x
	}
	return s.right[:], s.miss[:]
}

// listen is the M step for what voters mean by their certainty.
func (e *em) listen() {
	if e.m.Stated != nil {
		e.calibrate()
		e.shifts()
	}
}

// shifts notes what each vote's certainty adds.
func (e *em) shifts() {
	if e.m.Stated == nil || e.b.Stated == nil {
		return
	}
	e.shift = e.shift[:0]
	for t := range e.b.size() {
		e.shift = e.m.shifts(e.b.votes(t), e.shift)
	}
}

// calibrate is the M step for slopes: a Newton step for all together, then one for each.
func (e *em) calibrate() {
	c := e.m.Stated
	g, h := make([]float64, e.m.Voters), make([]float64, e.m.Voters)
	e.slopes(g, h)
	rise, bend := (slopeMean-c.Mean)*precision(slopeSD), precision(slopeSD)
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

// slopes fills g and h with the gradient of the expected log-likelihood in each voter's slope, and its curvature.
func (e *em) slopes(g, h []float64) {
	clear(g)
	clear(h)
	k := e.b.Choices
	for t := range e.b.size() {
		v, resp := e.b.votes(t), e.resp[t*k*levels:][:k*levels]
		for i, j := range v.voter {
			x := logit(v.stated[i]) - e.m.Stated.Pool
			right := resp[int(v.said[i])*levels:][:levels]
			for _, p := range right {
				g[j] += x * p
			}
			e.wouldBe(j, x, resp, g, h)
		}
	}
}

// wouldBe takes from the gradient how often the voter would be right at certainty x.
func (e *em) wouldBe(j int32, x float64, resp, g, h []float64) {
	cols := e.m.cols()
	for c := range len(resp) / levels {
		odds := math.Exp(-e.m.Rate[int(j)*cols+c%cols] - e.m.Stated.Slope[j]*x)
		for d, p := range resp[c*levels:][:levels] {
			right := 1 / (1 + odds*e.m.odds[d])
			g[j] -= x * p * right
			h[j] += x * x * p * right * (1 - right)
		}
	}
}
