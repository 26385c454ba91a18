package reliability

import (
	"math"
	"slices"
)

// calibration maps the confidence that voters state to log-odds of being right. Each voter has a slope, as in the
// linear log-odds recalibration of Turner, Steyvers, Merkle, Budescu and Wallsten (2014):
//
//	log-odds that a vote is right = those of its voter + lift
//	lift = Slope[j]·(logit stated − Pool), bounded so that it makes no vote worse than chance
//	Slope[j] ~ N(Mean, Sd²), at least 0
//
// A voter whose stated confidence is to be taken literally has a slope of 1; one whose stated confidence carries no
// information has a slope of 0. The prior mean of the slopes is Right/Pool, at most 1: a newcomer that states the usual
// confidence has log-odds Right, and one that states 0.5 has log-odds 0.
type calibration struct {
	Mean  float64   `json:"mean"`
	Sd    float64   `json:"sd"`
	Pool  float64   `json:"pool"`  // mean logit of stated confidence
	Slope []float64 `json:"slope"` // by voter
	Usual []float64 `json:"usual"` // by voter, mean logit of what it states, less Pool
	Vary  []float64 `json:"vary"`  // by voter, variance of that logit
}

// These are not tuned: halving or doubling them makes hardly any difference on the two data sets available.
const (
	slopeSD  = 0.25 // prior of Sd, and standard deviation of Mean around its prior mean
	slopeN   = 4.0  // weight of the prior of Sd, in voters
	mostSure = 0.98 // stated confidence is clamped to [1-mostSure, mostSure]
)

func logit(stated float64) float64 {
	p := min(mostSure, max(1-mostSure, stated))
	return math.Log(p / (1 - p))
}

// newCalibration returns the calibration that fitting starts from. It is nil unless more than half of the voters have
// stated less than 1: a single voter must not change what everybody else's weights mean.
func newCalibration(b *batch, right float64) *calibration {
	if b.Stated == nil {
		return nil
	}
	c := &calibration{Sd: slopeSD, Usual: make([]float64, b.Voters), Vary: make([]float64, b.Voters)}
	n, unsure := make([]float64, b.Voters), make([]bool, b.Voters)
	for i, j := range b.Voter {
		x := logit(b.Stated[i])
		c.Pool += x / float64(len(b.Voter))
		n[j]++
		off := x - c.Usual[j]
		c.Usual[j] += off / n[j] // Welford, 1962
		c.Vary[j] += off * (x - c.Usual[j])
		unsure[j] = unsure[j] || b.Stated[i] < 1
	}
	voters, those := 0, 0
	for j := range n {
		if n[j] > 0 {
			voters++
			c.Usual[j] -= c.Pool
			c.Vary[j] /= n[j]
		}
		if unsure[j] {
			those++
		}
	}
	if 2*those <= voters {
		return nil
	}
	c.Mean = c.priorMean(right)
	c.Slope = fill(b.Voters, c.Mean)
	return c
}

// priorMean returns the prior mean of the slopes.
func (c *calibration) priorMean(right float64) float64 { return right / max(c.Pool, right) }

// grow returns a copy with room for more voters, about whom nothing is known.
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

// certainty is the effect of stated confidence on log-odds x of being right: they become x + lift for one vote, and
// (x + lift)·flat on average over many.
type certainty struct{ lift, flat float64 }

func exactly(lift float64) certainty { return certainty{lift, 1} }

// usual returns the average certainty of voter j's votes among k candidates. Where stated confidence varies, the mean
// probability is flatter (MacKay, 1992).
func (m *parameters) usual(j, k int) certainty {
	if m.Stated == nil {
		return exactly(0)
	}
	s := m.Stated.Slope[j]
	return certainty{m.atChance(int32(j), s*m.Stated.Usual[j], k), 1 / math.Sqrt(1+math.Pi/8*s*s*m.Stated.Vary[j])}
}

// lift returns the lift of one vote.
func (m *parameters) lift(j int32, stated float64, k int) float64 {
	return m.atChance(j, m.Stated.Slope[j]*(logit(stated)-m.Stated.Pool), k)
}

// atChance bounds a lift from below: however low its stated confidence, a vote does not count against what it is for,
// unless its voter is worse than chance anyway.
func (m *parameters) atChance(j int32, lift float64, k int) float64 {
	return max(lift, min(0, -m.aboveChance(j, k)))
}

// lifts appends the lifts of a decision's votes to out, and none if there is no calibration.
func (m *parameters) lifts(v votes, out []float64) []float64 {
	if m.Stated == nil || v.stated == nil {
		return out
	}
	for i, j := range v.voter {
		out = append(out, m.lift(j, v.stated[i], m.between(v)))
	}
	return out
}

// heard returns the factor by which a vote's evidence counts and the lift of its log-odds. As long as there is no
// calibration, stated confidence is that factor. The lift of a newcomer is never positive: otherwise the loudest voter
// would decide.
func (m *parameters) heard(j int32, stated float64, k int) (part, lift float64) {
	if m.Stated == nil || stated == 0 {
		return stated, 0
	}
	lift = m.lift(j, stated, k)
	if int(j) == m.Voters-1 {
		lift = min(0, lift)
	}
	return 1, lift
}
