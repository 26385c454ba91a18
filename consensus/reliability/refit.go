package reliability

import "math"

// refit corrects the pool on known outcomes: log-linear pooling (Genest and Zidek, 1986) with the model's own
// evidence as the prior mean,
//
//	P(c) = (1−Lapse)·softmax(Scale·ev(c) + Σ_j Bonus[j]·[j said c]) + Lapse/k
//	Bonus[j] = δ[j] + level + slope·u[j]
//
// with u the voters' rates, a ridge on δ and normal priors on level, slope and log Scale. Level and slope make raw
// votes count beside the evidence, or against it: where many voters err together the weak ones count less. Which
// of δ and of level and slope there are, and how strong the ridge is, cross-validation chooses. Evidence about
// an outcome is never taken from a fit that knew that outcome.
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
	leanSD     = 0.2  // of level and slope then
	lapse      = 0.01 // before any outcome is known
	lapseN     = 20.0 // outcomes that this guess is worth
	never      = 1e6  // a ridge that leaves nothing
	toll       = 1.0  // log-loss that δ has to save, and that level and slope have to save
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
	return newDescent(known, choose(known, b.Voters), -1, b.Voters).run().refit(m.Base)
}

// choose returns the shape that predicts best what it was not told.
func choose(known []outcome, voters int) (chosen shape) {
	top := math.Inf(1)
	for _, x := range shapes() {
		loss := x.toll()
		for k := range folds {
			loss += newDescent(known, x, k, voters).run().loss(k)
		}
		if loss < top-1e-9 {
			top, chosen = loss, x
		}
	}
	return chosen
}

// shape is what there is beside Scale and Lapse: ridges on δ and on level and slope, never for none.
type shape struct{ ridge, lean float64 }

// shapes are those to choose from, the simplest first.
func shapes() (all []shape) {
	for _, lean := range []float64{never, 1 / (leanSD * leanSD)} {
		for _, ridge := range []float64{never, 1000, 300, 100, 30, 10, 3, 1} {
			all = append(all, shape{ridge, lean})
		}
	}
	return all
}

func (s shape) toll() (x float64) {
	if s.ridge < never {
		x += toll
	}
	if s.lean < never {
		x += toll
	}
	return x
}

// outcome is a known one, with the evidence and the voters' rates of a fit that did not know it.
type outcome struct {
	v     votes
	ev    []float64
	right int
	fold  int
	rate  []float64
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
		blind := fit(&hidden, o, m)
		for _, t := range mine {
			ev := make([]float64, b.Choices)
			blind.evidence(b.votes(t), ev)
			known = append(known, outcome{b.votes(t), ev, int(b.Known[t]), k, blind.Base})
		}
	}
	return known
}
