package reliability

import "math"

// refit corrects the pool on known outcomes: log-linear pooling (Genest and Zidek, 1986) with the model's own
// evidence as the prior mean,
//
//	P(c) = (1−Lapse)·softmax(Scale·ev(c) + Σ_j Bonus[j]·[j said c]) + Lapse/k
//
// with a ridge on Bonus and a normal prior on log Scale. Whether there is a bonus, and how strong the ridge is,
// cross-validation chooses. Evidence about an outcome is never taken from a fit that knew that outcome.
type refit struct {
	Scale float64   `json:"scale"`
	Lapse float64   `json:"lapse"` // share of decisions of which the votes say nothing
	Ridge float64   `json:"ridge"`
	Bonus []float64 `json:"bonus,omitempty"` // nil: none
}

const (
	folds      = 4
	warmRounds = 4
	scaleSD    = 0.5  // of log Scale before any outcome is known
	lapse      = 0.01 // before any outcome is known
	lapseN     = 20.0 // outcomes that this guess is worth
	never      = 1e6  // a ridge that leaves nothing
	toll       = 1.0  // log-loss that a bonus has to save
	minKnown   = 10   // outcomes it takes
)

// apply turns log-probabilities of the evidence into probabilities in place.
func (r *refit) apply(v votes, ev []float64) {
	if r == nil {
		softmax(ev)
		return
	}
	r.linear(v, ev)
	r.finish(ev)
}

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

func (r *refit) finish(ev []float64) {
	softmax(ev)
	if r == nil {
		return
	}
	for c := range ev {
		ev[c] = (1-r.Lapse)*ev[c] + r.Lapse/float64(len(ev))
	}
}

// newRefit fits one to b's known outcomes, nil if they are fewer than ten.
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

// ridges are those to choose from, the simplest first.
var ridges = []float64{never, 300, 30, 3}

// choose returns the ridge that predicts best what it was not told.
func choose(known []outcome, voters int) (chosen float64) {
	top := math.Inf(1)
	for _, ridge := range ridges {
		loss := 0.0
		if ridge < never {
			loss = toll
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

// outcome is a known one, with the evidence of a fit that did not know it.
type outcome struct {
	v     votes
	ev    []float64
	right int
	fold  int
}

// crossFit goes on fitting for a few rounds with one fold's outcomes hidden, for each fold.
func crossFit(b *batch, o Options, m *parameters, at []int) []outcome {
	hidden := *b
	o.Rounds = warmRounds
	known := make([]outcome, 0, len(at))
	for k := range folds {
		hidden.Known = append([]int32(nil), b.Known...)
		var mine []int
		for i, t := range at {
			if i*folds/len(at) == k {
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
