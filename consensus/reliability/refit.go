package reliability

import "math"

// refit corrects the pooled evidence by known outcomes: log-linear pooling (Genest and Zidek, 1986) with the model's
// own evidence as the prior mean,
//
//	P(c) = (1−Lapse)·softmax(Scale·ev(c) + Σ_j Bonus[j]·[j said c]) + Lapse/k
//
// with a ridge penalty on Bonus and a normal prior on log Scale. Cross-validation chooses whether there is a bonus and
// the strength of the ridge. The evidence in a decision always comes from a fit that did not know its outcome.
type refit struct {
	Scale float64   `json:"scale"`
	Lapse float64   `json:"lapse"` // share of decisions about which the votes say nothing
	Ridge float64   `json:"ridge"`
	Bonus []float64 `json:"bonus,omitempty"` // nil: none
}

const (
	folds      = 4
	warmRounds = 4
	scaleSD    = 0.5  // prior standard deviation of log Scale
	lapse      = 0.01 // prior mean of Lapse
	lapseN     = 20.0 // prior weight of Lapse, in outcomes
	noBonus    = 1e6  // a ridge so strong that no bonus is fitted
	bonusGain  = 1.0  // log loss that a bonus has to save
	minKnown   = 10   // outcomes without which nothing is corrected
)

// apply turns evidence, in log-probabilities, into corrected probabilities in place.
func (r *refit) apply(v votes, ev []float64) {
	if r == nil {
		softmax(ev)
		return
	}
	r.linear(v, ev)
	r.finish(ev)
}

// linear scales the evidence and adds the bonuses.
func (r *refit) linear(v votes, ev []float64) {
	for c := range ev {
		ev[c] *= r.Scale
	}
	for i, j := range v.voter {
		ev[v.said[i]] += r.bonus(j)
	}
}

func (r *refit) bonus(j int32) float64 {
	if r == nil || int(j) >= len(r.Bonus) {
		return 0
	}
	return r.Bonus[j]
}

func (r *refit) scale() float64 {
	if r == nil {
		return 1
	}
	return r.Scale
}

// finish turns scaled evidence into probabilities and mixes in the lapse.
func (r *refit) finish(ev []float64) {
	softmax(ev)
	if r == nil {
		return
	}
	for c := range ev {
		ev[c] = (1-r.Lapse)*ev[c] + r.Lapse/float64(len(ev))
	}
}

// newRefit fits a correction to the known outcomes of b. It returns nil if they are fewer than minKnown.
func newRefit(b *batch, o Options, m *parameters) *refit {
	var at []int
	for t, y := range b.Known {
		if y >= 0 {
			at = append(at, t)
		}
	}
	if len(at) < minKnown {
		return nil
	}
	known := crossFit(b, o, m, at)
	return newDescent(known, choose(known, b.Voters), -1, b.Voters).run().refit()
}

// ridges lists the ridges to choose from, the simplest model first.
var ridges = []float64{noBonus, 300, 30, 3}

// choose returns the ridge with the least log loss on held-out outcomes, provided that a bonus saves bonusGain.
func choose(known []outcome, voters int) (chosen float64) {
	top := math.Inf(1)
	for _, ridge := range ridges {
		loss := 0.0
		if ridge < noBonus {
			loss = bonusGain
		}
		for k := range folds {
			loss += newDescent(known, ridge, k, voters).run().loss(k)
		}
		if loss < top-1e-9 {
			top, chosen = loss, ridge
		}
	}
	return chosen
}

// outcome is a decision whose outcome is known, with its evidence by a fit that did not know it.
type outcome struct {
	v     votes
	ev    []float64
	right int
	fold  int
}

// crossFit returns the known outcomes in folds. For each fold it continues the fit for a few rounds with the fold's
// outcomes hidden, and takes the evidence from that. Equal decisions are next to each other and so spread over the folds.
func crossFit(b *batch, o Options, m *parameters, at []int) []outcome {
	hidden := *b
	o.Rounds = warmRounds
	known := make([]outcome, 0, len(at))
	for k := range folds {
		hidden.Known = append([]int32(nil), b.Known...)
		var mine []int
		for i, t := range at {
			if i%folds == k {
				hidden.Known[t] = -1
				mine = append(mine, t)
			}
		}
		blind := weigher{m: fit(&hidden, o, m.Shared, m)}
		for _, t := range mine {
			v := b.votes(t)
			ev := make([]float64, v.field)
			blind.evidence(v, ev)
			known = append(known, outcome{v, ev, int(b.Known[t]), k})
		}
	}
	return known
}
