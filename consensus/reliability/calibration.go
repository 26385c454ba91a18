package reliability

import (
	"math"
	"slices"
)

// calibration is what voters mean by how sure they say they are. Each has a slope, as in the linear log-odds
// recalibration of Turner, Steyvers, Merkle, Budescu and Wallsten (2014):
//
//	log-odds that a vote is right = those of its voter + lift
//	lift = Slope[j]·(logit stated − Pool), but never so low that it makes a vote worse than chance
//	Slope[j] ~ N(Mean, Sd²), never below 0
//
// A voter who means what it says has the slope 1, one whose certainty says nothing 0. Before any vote is looked at
// the usual certainty stands for what a newcomer is worth and none for nothing, so Mean is Right/Pool, 1 at most.
type calibration struct {
	Mean  float64   `json:"mean"`
	Sd    float64   `json:"sd"`
	Pool  float64   `json:"pool"`  // mean logit of what is stated
	Slope []float64 `json:"slope"` // by voter
	Usual []float64 `json:"usual"` // mean logit of what a voter states, less Pool
	Vary  []float64 `json:"vary"`  // variance of that
}

// These were not chosen by measurement beyond that half or twice as much hardly matters on the two sets at hand.
const (
	slopeSD  = 0.25 // of voters around Mean, and of Mean around what it is before
	slopeN   = 4.0  // voters that the first is worth
	mostSure = 0.98 // who says more is taken to say this
)

func logit(stated float64) float64 {
	p := min(mostSure, max(1-mostSure, stated))
	return math.Log(p / (1 - p))
}

// newCalibration is where fitting starts, nil unless more than half of the voters have been less than entirely sure:
// one of them must not change what the weights of all others mean.
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
	c.Mean = c.before(right)
	c.Slope = fill(b.Voters, c.Mean)
	return c
}

// before is the mean slope before any vote.
func (c *calibration) before(right float64) float64 { return right / max(c.Pool, right) }

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

// certainty is what it does to log-odds of being right: they are x + lift, or over many votes (x + lift)·flat.
type certainty struct{ lift, flat float64 }

func exactly(lift float64) certainty { return certainty{lift, 1} }

// usual is that of all of a voter's votes among k candidates. What varies flattens their mean (MacKay, 1992).
func (m *parameters) usual(j, k int) certainty {
	if m.Stated == nil {
		return exactly(0)
	}
	s := m.Stated.Slope[j]
	return certainty{m.atChance(int32(j), s*m.Stated.Usual[j], k), 1 / math.Sqrt(1+math.Pi/8*s*s*m.Stated.Vary[j])}
}

// lift is that of one vote.
func (m *parameters) lift(j int32, stated float64, k int) float64 {
	return m.atChance(j, m.Stated.Slope[j]*(logit(stated)-m.Stated.Pool), k)
}

// atChance bounds a lift. However unsure, a vote does not speak against what it is for, unless its voter does.
func (m *parameters) atChance(j int32, lift float64, k int) float64 {
	return max(lift, min(0, -m.aboveChance(j, k)))
}

// lifts appends those of a decision's votes to out; none if nothing is known of what certainty means.
func (m *parameters) lifts(v votes, out []float64) []float64 {
	if m.Stated == nil || v.stated == nil {
		return out
	}
	for i, j := range v.voter {
		out = append(out, m.lift(j, v.stated[i], m.between(v)))
	}
	return out
}

// heard returns by how much a vote's evidence counts and what its certainty adds to its log-odds. As long as nothing
// is known of what voters mean by their certainty, it scales the evidence. A newcomer's may take from what its vote
// counts, not add: otherwise the loudest would decide.
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
