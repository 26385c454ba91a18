package reliability

import "math"

// peers weights voters by how much they agree with their peers, who are weighted likewise. The weight of voter j is
// proportional to exp(tilt·ρ·z[j]), where z[j] is by how many standard deviations its agreement with the weighted
// shares of the others' votes exceeds the mean, and ρ is how reliably the votes tell voters apart. Others who err with
// it count less, and agreement on a shared choice counts above that choice's share of all votes, since voters who mostly
// name the same one agree by chance (Scott, 1955). This finds the strong voters where many of them agree with each other
// and the weak ones share their mistakes, as language models do. Where differences between voters are noise, ρ is near 0
// and all voters have about the same weight. The tilt is the design effect of a decision's votes: 1 where errors are
// independent, since then rates explain all agreement and a stronger tilt leaves the decision to a few voters, and more
// the more of the votes repeat each other's mistakes. In a small team it is less.
//
// The deviations, their spread and ρ are those of a one-way analysis of variance with random effects (Fisher, 1925;
// Henderson, 1953). Each voter's deviation is shrunk towards the mean by its reliability, τ²/(τ² + σ²/n), as in
// classical test theory (Spearman, 1910).
type peers struct {
	Weight []float64 `json:"weight"` // by voter, 1 on average
}

const (
	mostTilt    = 5.0
	tiltRounds  = 12
	deviations  = 3.0 // bound on |z|
	leastSpread = 1e-9
)

func newPeers(b *batch, corr *correlation, tilt float64) *peers {
	p := &peers{Weight: fill(b.Voters, 1)}
	for range tiltRounds {
		p.fit(p.agreements(b, corr), tilt)
	}
	return p
}

// tilt returns the exponent of peers, which is smaller in a small team.
func (m *parameters) tilt() float64 { return min(mostTilt*m.Crowd, m.asOne(m.Corr.pooled())) }

// weight returns a voter's weight, and the average of 1 for a newcomer.
func (p *peers) weight(j int32) float64 {
	if int(j) >= len(p.Weight) {
		return 1
	}
	return p.Weight[j]
}

// agreement sums up a voter's agreement with the weighted shares of the others' votes, or with the outcome if it is
// known, above chance.
type agreement struct{ n, sum, squares float64 }

func (a *agreement) mean() float64 { return a.sum / max(a.n, 1) }

// agreements returns each voter's agreement, by the current weights.
func (p *peers) agreements(b *batch, corr *correlation) []agreement {
	of, share, usual := make([]agreement, b.Voters), make([]float64, b.widest()), b.usual()
	slope := 2 * crowd(b.voting())
	for t, known := range b.Known {
		v := b.votes(t)
		total := p.shares(v, share[:v.field])
		for i, j := range v.voter {
			x, same, rest := 0.0, share[v.said[i]]-p.Weight[j], total-p.Weight[j]
			if corr.paired(j) && known < 0 {
				same, rest = p.apart(v, i, corr, slope)
			}
			switch {
			case known >= 0 && known == v.said[i]:
				x = 1
			case known >= 0:
			case rest > leastSpread:
				x = same / rest
			default:
				continue
			}
			x -= usual[v.said[i]]
			of[j].n++
			of[j].sum += x
			of[j].squares += x * x
		}
	}
	return of
}

// usual returns each shared choice's share of all votes, and zeros where decisions have their own proposals.
func (b *batch) usual() []float64 {
	of := make([]float64, b.widest())
	if !b.Own {
		for _, l := range b.Said {
			of[l] += 1 / float64(len(b.Said))
		}
	}
	return of
}

// apart returns the weight of the others who say what vote i says, and of all others. Those who err with its voter count
// less, or a few who share their mistakes would confirm each other: with a correlation r, 1 − slope·r or nothing. In a
// crowd the slope is 2, in a small team, whose correlations are uncertain, a tenth of it.
func (p *peers) apart(v votes, i int, corr *correlation, slope float64) (same, all float64) {
	for h, g := range v.voter {
		if h == i {
			continue
		}
		w := p.Weight[g] * max(0, 1-slope*corr.between(v.voter[i], g))
		all += w
		if v.said[h] == v.said[i] {
			same += w
		}
	}
	return same, all
}

// shares fills share with the weight of the votes for each candidate, and returns their sum.
func (p *peers) shares(v votes, share []float64) (total float64) {
	clear(share)
	for i, j := range v.voter {
		share[v.said[i]] += p.Weight[j]
		total += p.Weight[j]
	}
	return total
}

// fit estimates the variance of agreement between and within voters, and sets the weights by it.
func (p *peers) fit(of []agreement, tilt float64) {
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
	noise := within / max(all.n-voters, 1)
	spread := 0.0
	for _, a := range of {
		d := a.mean() - all.mean()
		spread += a.n * d * d
	}
	each := (all.n - squares/max(all.n, 1)) / max(voters-1, 1) // votes of an average voter
	spread = max(0, (spread/max(voters-1, 1)-noise)/max(each, 1))
	p.set(of, all.mean(), spread, noise, all.n, tilt)
}

// set sets the weight of each voter, given the mean of n votes' agreement, and its variance between voters (spread) and
// within them (noise).
func (p *peers) set(of []agreement, mean, spread, noise, n, tilt float64) {
	reliable, total := 0.0, 0.0
	for j, a := range of {
		p.Weight[j] = 0
		if a.n > 0 && spread > leastSpread {
			r := spread / (spread + noise/a.n)
			reliable += r * a.n / n
			p.Weight[j] = r * (a.mean() - mean) / math.Sqrt(spread)
		}
	}
	for j, z := range p.Weight {
		p.Weight[j] = math.Exp(tilt * reliable * max(-deviations, min(deviations, z)))
		total += p.Weight[j] / float64(len(p.Weight))
	}
	for j := range p.Weight {
		p.Weight[j] /= total
	}
}
