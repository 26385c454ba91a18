package fit

import "math"

const (
	stackVotes = 20.0 // votes that rates are taken to have predicted better before there are any
	toldLeast  = 0.01 // nats by which the others predict a vote better than its voter's habit does, up to which nothing is told
	toldAll    = 0.04 // and from which on all is; 0.003 where each voter says one thing, 0.05 to 1.2 in recorded sets
)

// stacked returns how far votes tell of each other, and the share of peers, beside rates, in the mixture that best
// predicts each vote from the others of its decision (Bayesian stacking: Yao, Vehtari, Simpson and Gelman, 2018). Rates
// predict better where voters err by themselves or prefer an answer, and peers where the weak ones share their mistakes.
func (m *Model) stacked(b *Batch) (told, share float64) {
	r, post := m.modes.all[0], b.shares()
	for i := range b.Votes {
		if v := &b.Votes[i]; v.Known < 0 {
			m.peers.shares(v, v.parts(), post[i])
		}
	}
	of := learnRates(b, post, 0, 1) // what a voter says if peers are right
	var byRates, byPeers []float64
	habit, byHabit := b.habits(), 0.0
	for i := range b.Votes {
		v := &b.Votes[i]
		if v.Known >= 0 || len(v.Voter) < 2 {
			continue
		}
		ev, f := make([]float64, v.Field), r.factors(v, v.parts())
		r.joint(v, f, ev)
		for h := range v.Voter {
			byRates = append(byRates, r.predicts(v, h, r.without(v, h, f[h], ev)))
			byPeers = append(byPeers, of.predicts(v, h, m.peers.without(v, h)))
			byHabit += habit.log(v.Voter[h], v.Said[h])
		}
	}
	share = mixing(byRates, byPeers)
	if habit == nil { // where decisions have their own candidates, a voter has no habit
		return 1, share
	}
	gain := -byHabit
	for i, x := range byRates {
		gain += math.Log((1-share)*x + share*byPeers[i])
	}
	return ramp(gain/max(1, float64(len(byRates))), toldLeast, toldAll), share
}

// mixing returns the share of b, beside a, in the mixture that makes what happened most probable.
func mixing(a, b []float64) float64 {
	low, high := 0.0, 1.0
	for range rounds {
		w := (low + high) / 2
		slope := -stackVotes / (1 - w)
		for i, x := range b {
			slope += (x - a[i]) / (w*x + (1-w)*a[i])
		}
		if slope > 0 {
			low = w
		} else {
			high = w
		}
	}
	return low
}

// predicts returns how probable a vote is, given the probabilities of the candidates.
func (r *rates) predicts(v *Votes, h int, p []float64) (x float64) {
	for c, q := range p {
		x += q * math.Exp(r.says(v.Voter[h], c, int(v.Said[h]), v.Field))
	}
	return max(x, 1e-9)
}

// without returns the probabilities of the candidates without the evidence of a vote.
func (r *rates) without(v *Votes, h int, factor float64, ev []float64) []float64 {
	p := make([]float64, len(ev))
	for c := range p {
		p[c] = ev[c] - factor*r.says(v.Voter[h], c, int(v.Said[h]), v.Field)
	}
	softmax(p)
	return p
}

func (p *peers) without(v *Votes, h int) []float64 {
	part, share := v.parts(), make([]float64, v.Field)
	part[h] = 0
	p.shares(v, part, share)
	return share
}

// habits are how often each voter has said each choice; nil where decisions have their own candidates.
type habits [][]float64

func (b *Batch) habits() habits {
	if b.Own {
		return nil
	}
	said := make(habits, b.Voters)
	for j := range said {
		said[j] = make([]float64, b.Choices)
	}
	for i := range b.Votes {
		v := &b.Votes[i]
		for h, j := range v.Voter {
			said[j][v.Said[h]]++
		}
	}
	return said
}

// log returns the logarithm of how probable a vote is by what its voter has said in all other decisions.
func (of habits) log(j, said int32) float64 {
	if of == nil {
		return 0
	}
	return math.Log((of[j][said] - 1 + 1/float64(len(of[j]))) / sum(of[j]))
}
