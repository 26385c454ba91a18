package fit

import (
	"math"
	"slices"
)

// peers weight voters by how much they agree with the others, who are weighted likewise: voter j by exp(tilt·ρ·z[j]),
// where z[j] is by how many standard deviations its agreement exceeds the mean, and ρ how reliably the votes tell
// voters apart. This finds the strong voters where they agree with each other and the weak ones share their mistakes,
// as language models do.
type peers struct {
	weight []float64 // by voter, 1 on average; that of the newcomer is 1
}

const (
	peerRounds = 12
	mostTilt   = 5.0
	mostOff    = 3.0 // standard deviations
)

// learnPeers weights voters. The more their errors are correlated, the stronger the tilt: with independent errors,
// rates explain all agreement. In a small team it is weaker.
func learnPeers(b *Batch, errors, crowd float64) *peers {
	p := &peers{weight: slices.Repeat([]float64{1}, b.Voters+1)}
	tilt := min(mostTilt*crowd, 1+errors*max(0, sum(b.Cast())/max(1, float64(len(b.Votes)))-1))
	for range peerRounds {
		p.set(p.agreements(b), tilt)
	}
	return p
}

// agreement sums up a voter's agreement with the others, or with the outcome where it is known.
type agreement struct{ n, sum, squares float64 }

func (a *agreement) add(x float64) { a.n, a.sum, a.squares = a.n+1, a.sum+x, a.squares+x*x }

func (a *agreement) mean() float64 { return a.sum / max(1, a.n) }

func (p *peers) agreements(b *Batch) []agreement {
	of := make([]agreement, b.Voters)
	for i := range b.Votes {
		v := &b.Votes[i]
		share, total := make([]float64, v.Field), 0.0
		for h, j := range v.Voter {
			share[v.Said[h]] += p.weight[j]
			total += p.weight[j]
		}
		for h, j := range v.Voter {
			l, rest := v.Said[h], total-p.weight[j]
			switch {
			case v.Known == l:
				of[j].add(1)
			case v.Known >= 0:
				of[j].add(0)
			case rest > 1e-9:
				of[j].add((share[l] - p.weight[j]) / rest)
			}
		}
	}
	return of
}

// set sets the weights by a one-way analysis of variance with random effects (Fisher, 1925), each voter's deviation
// shrunk by its reliability (Spearman, 1910).
func (p *peers) set(of []agreement, tilt float64) {
	var all agreement
	within, squares, voters := 0.0, 0.0, 0.0
	for _, a := range of {
		if a.n > 0 {
			all.n, all.sum = all.n+a.n, all.sum+a.sum
			within += a.squares - a.n*a.mean()*a.mean()
			squares += a.n * a.n
			voters++
		}
	}
	noise, spread := within/max(1, all.n-voters), 0.0
	for _, a := range of {
		off := a.mean() - all.mean()
		spread += a.n * off * off
	}
	each := (all.n - squares/max(1, all.n)) / max(1, voters-1)
	spread = max(0, (spread/max(1, voters-1)-noise)/max(1, each))
	p.spread(of, all, spread, noise, tilt)
}

func (p *peers) spread(of []agreement, all agreement, spread, noise, tilt float64) {
	reliable, off := 0.0, make([]float64, len(of))
	for j, a := range of {
		if a.n > 0 && spread > 1e-9 {
			r := spread / (spread + noise/a.n)
			reliable += r * a.n / all.n
			off[j] = r * (a.mean() - all.mean()) / math.Sqrt(spread)
		}
	}
	for j, z := range off {
		p.weight[j] = math.Exp(tilt * reliable * max(-mostOff, min(mostOff, z)))
	}
	mean := sum(p.weight[:len(of)]) / max(1, float64(len(of)))
	for j := range off {
		p.weight[j] /= mean
	}
}

// shares fills p with the candidates' shares of the votes' weight, and reports whether there are votes of two voters: a
// single one has no peers.
func (p *peers) shares(v *Votes, part, share []float64) bool {
	clear(share)
	total, votes := 0.0, 0.0
	for i, j := range v.Voter {
		w := part[i] * p.weight[j]
		votes += part[i]
		total += w
		share[v.Said[i]] += w
	}
	for c := range share {
		share[c] /= max(total, 1e-300)
	}
	return total > 1e-9 && votes > 1+1e-9
}
