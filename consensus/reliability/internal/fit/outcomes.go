package fit

import "math"

// correction corrects the logarithm of the probabilities by known outcomes (log-linear pooling: Genest and Zidek,
// 1986): it is scaled, and each voter adds a bonus to what it is for, with a ridge chosen by cross-validation. The
// evidence in a decision is that of a fit that did not know its outcome. A nil *correction corrects nothing.
type correction struct {
	scale float64
	bonus []float64 // by voter; nil: none
}

const (
	folds      = 4
	warmRounds = 4
	leastKnown = 10   // outcomes without which nothing is corrected
	lapse      = 0.01 // share of decisions about which votes say nothing
	noBonus    = 1e6  // a ridge so strong that there is no bonus
	scaleSD    = 0.5  // prior standard deviation of log scale
	residual   = 0.2
)

// apply turns evidence into probabilities.
func (c *correction) apply(v *Votes, ev []float64) {
	if c == nil {
		softmax(ev)
		return
	}
	c.linear(v, ev)
	softmax(ev)
	for l := range ev {
		ev[l] = (1-lapse)*ev[l] + lapse/float64(len(ev))
	}
}

func (c *correction) linear(v *Votes, ev []float64) {
	for l := range ev {
		ev[l] *= c.scale
	}
	for i, j := range v.Voter {
		if int(j) < len(c.bonus) {
			ev[v.Said[i]] += c.bonus[j] * v.times(i)
		}
	}
}

// outcome is a decision whose outcome is known, and its evidence.
type outcome struct {
	v    *Votes
	ev   []float64
	fold int
}

// correct fits a correction to the known outcomes of a batch.
func (m *Model) correct(b *Batch) *correction {
	if b.outcomes() < leastKnown {
		return nil
	}
	all := m.crossFit(b)
	top, chosen := math.Inf(1), noBonus
	for _, ridge := range []float64{noBonus, 300, 30, 3} {
		loss := 0.0
		if ridge < noBonus {
			loss = 1
		}
		for fold := range folds {
			loss += fitted(all, m.voters, ridge, fold).loss(all, fold)
		}
		if loss < top-1e-9 {
			top, chosen = loss, ridge
		}
	}
	return fitted(all, m.voters, chosen, -1)
}

// crossFit returns the known outcomes with the evidence of a fit that did not know those of their fold.
func (m *Model) crossFit(b *Batch) []outcome {
	var all []outcome
	for fold := range folds {
		blind, hidden := *m, b.hiding(fold)
		blind.modes = m.modes.again(hidden)
		for i := range b.Votes {
			if v := &b.Votes[i]; v.Known != hidden.Votes[i].Known {
				all = append(all, outcome{v, logs(blind.mixed(v, residual)), fold})
			}
		}
	}
	return all
}

// logs replaces probabilities by their logarithms.
func logs(p []float64) []float64 {
	for c, x := range p {
		p[c] = math.Log(max(x, 1e-22))
	}
	return p
}

// hiding returns the batch without the outcomes of a fold.
func (b *Batch) hiding(fold int) *Batch {
	h, n := *b, 0
	h.Votes = append([]Votes(nil), b.Votes...)
	for i := range h.Votes {
		if h.Votes[i].Known < 0 {
			continue
		}
		if n%folds == fold {
			h.Votes[i].Known = -1
		}
		n++
	}
	return &h
}

// loss returns the log loss on the outcomes of a fold.
func (c *correction) loss(all []outcome, fold int) (loss float64) {
	for _, x := range all {
		if x.fold == fold {
			p := append([]float64(nil), x.ev...)
			c.apply(x.v, p)
			loss -= math.Log(p[x.v.Known])
		}
	}
	return loss
}

// fitted fits a correction to the outcomes of all folds but one, by damped Newton steps on the penalised likelihood.
func fitted(all []outcome, voters int, ridge float64, without int) *correction {
	c, logScale := &correction{scale: 1, bonus: make([]float64, voters)}, 0.0
	slope, bend := make([]float64, voters), make([]float64, voters)
	for range 40 {
		rise, curve := logScale/(scaleSD*scaleSD), 1/(scaleSD*scaleSD)
		for j := range slope {
			slope[j], bend[j] = ridge*c.bonus[j], ridge+1
		}
		for _, x := range all {
			if x.fold == without {
				continue
			}
			p := append([]float64(nil), x.ev...)
			c.linear(x.v, p)
			softmax(p)
			r, s := x.scaling(p, c.scale)
			rise += r
			curve += s
			x.bonuses(p, slope, bend)
		}
		logScale -= 0.5 * rise / curve
		c.scale = math.Exp(logScale)
		for j := range c.bonus {
			if ridge < noBonus {
				c.bonus[j] -= slope[j] / bend[j]
			}
		}
	}
	return c
}

// scaling returns the gradient and the curvature of the log loss in the logarithm of the scale.
func (x *outcome) scaling(p []float64, scale float64) (slope, bend float64) {
	mean, square := 0.0, 0.0
	for l, q := range p {
		z := x.ev[l] * scale
		mean += q * z
		square += q * z * z
	}
	return mean - x.ev[x.v.Known]*scale, square - mean*mean
}

// bonuses adds the gradient of the log loss in the bonuses, and a bound on its curvature.
func (x *outcome) bonuses(p, slope, bend []float64) {
	n := float64(len(x.v.Voter))
	for i, j := range x.v.Voter {
		l := x.v.Said[i]
		off := p[l]
		if l == x.v.Known {
			off--
		}
		slope[j] += off
		bend[j] += n * p[l] * (1 - p[l]) / 2
	}
}
