package reliability

import "slices"

// These weigh the structures, which are what the votes leave open: which of them holds. Each gives every candidate a
// probability, and the mixture is their weighted mean (linear opinion pool: Stone, 1961), which is sure only where all
// are. Weights were not chosen by likelihood: on recorded votes the one that predicts left-out votes best is often not
// the one that is right.
//
//	rates     a number or a matrix per voter, dependence                        1, and more the more outcomes are known
//	subtypes  a matrix per voter and kind of decision                         2, the less, the more voters decide together
//	coins     a number per voter, every reading of the votes                  2 in a team of a few, 0 in a crowd, the
//	                                                                         less, the more voters err together
//	peers     weight by agreement with peers                                  1 from nine voters on, and 2 in a crowd
const (
	subtypesWeight = 2.0
	coinsWeight    = 2.0
	toldPerRates   = 10.0 // known outcomes for which rates count once more: they alone are corrected by outcomes
)

// structure is what one of them gives each candidate.
type structure struct {
	name   string
	weight float64
	p      []float64
}

// structures are those that know something.
func (a *answering) structures(rho float64) []structure {
	m, ev := a.m.params, slices.Clone(a.ev)
	m.discount(rho, a.n, ev)
	a.refitted(ev)
	all := []structure{{"rates", 1 + float64(m.Told)/toldPerRates, ev}}
	if m.Peers == nil {
		return all
	}
	if !a.own && m.Subtypes != nil {
		all = append(all, structure{"subtypes", subtypesWeight / m.asOne(m.Residual), a.bySubtypes(rho)})
	}
	if m.Coins != nil {
		all = append(all, structure{"coins", m.coinsWeight(), a.byCoins()})
	}
	if p := a.byPeers(); p != nil {
		all = append(all, structure{"peers", m.peersWeight(), p})
	}
	return all
}

// probabilities returns that of each candidate.
func (a *answering) probabilities(rho float64) []float64 {
	mean, sum := make([]float64, a.field), 0.0
	for _, s := range a.structures(rho) {
		sum += s.weight
		for c, x := range s.p {
			mean[c] += s.weight * x
		}
	}
	for c := range mean {
		mean[c] /= sum
	}
	return mean
}

// coinsWeight falls to nothing in a crowd.
func (m *parameters) coinsWeight() float64 {
	return coinsWeight * (1 - m.Crowd) * (1 - m.Crowd) / m.asOne(m.Corr.pooled())
}

// crowd rises from a tenth in a team of five to 1 in a crowd of 23 and more. In a team of a few, what a voter's own
// votes say of it counts more than the company it keeps. Before anything is learned it is 1.
func crowd(voters int) float64 {
	if voters == 0 {
		return 1
	}
	return max(0.1, ramp(float64(voters), 3, 23))
}

// asOne is of how many votes one is news in a usual decision, if they err together by ρ (Kish, 1965). Structures that
// take votes for independent weigh the less.
func (m *parameters) asOne(rho float64) float64 { return 1 + rho*max(0, m.Density-1) }

// byPeers are weighted shares; a ballot for several is shared by them. nil when nobody says anything.
func (a *answering) byPeers() []float64 {
	p, total := make([]float64, a.field), 0.0
	for i, v := range a.voices {
		s := &a.said[v.said]
		w := a.m.params.Peers.weight(a.m.params.first(v.voter)) * a.cast.part[i] * a.alike(i)
		n := len(s.among)
		if s.not {
			n = a.field - n
		}
		if w == 0 || n == 0 {
			continue
		}
		for c := range p {
			if s.allows(int32(c)) {
				p[c] += w / float64(n)
			}
		}
		total += w
	}
	if total == 0 {
		return nil
	}
	for c := range p {
		p[c] /= total
	}
	return p
}

// bySubtypes are posterior probabilities, discounted as all evidence is.
func (a *answering) bySubtypes(rho float64) []float64 {
	s := a.m.params.Subtypes
	lp := make([]float64, s.Choices*subkinds)
	copy(lp, s.Prior)
	n := 0.0
	for i, v := range a.voices {
		said := &a.said[v.said]
		w := a.cast.part[i] * a.alike(i)
		n += w
		for c := range lp {
			lp[c] += w * s.any(a.m.params.first(v.voter), said, c)
		}
	}
	ev := make([]float64, s.Choices)
	for c := range ev {
		ev[c] = logSum(lp[c*subkinds:][:subkinds])
	}
	a.m.params.discount(rho, n, ev)
	softmax(ev)
	return ev
}

// first is the voter whose record those have who share its vote.
func (m *parameters) first(j int32) int32 {
	if int(j) < len(m.Shared) {
		return m.Shared[j]
	}
	return j
}

// alike is how many votes those of voice i count, who are newcomers or one voter: of those who share one, a part.
func (a *answering) alike(i int) float64 {
	j, shared := a.voices[i].voter, a.m.params.Shared
	if int(j) >= len(shared) {
		return a.voices[i].number()
	}
	n := 0
	for _, v := range a.voices {
		if int(v.voter) < len(shared) && shared[v.voter] == shared[j] {
			n++
		}
	}
	return 1 / float64(n)
}

// any is the logarithm of a voter's saying what the ballot says, where the choice and kind are c.
func (s *subtypes) any(j int32, said *said, c int) float64 {
	if !said.not && len(said.among) == 1 {
		return s.says(j, said.among[0])[c]
	}
	lp := make([]float64, 0, s.Choices)
	for l := range int32(s.Choices) {
		if said.allows(l) {
			lp = append(lp, s.says(j, l)[c])
		}
	}
	return max(logSum(lp), -50)
}

// allows reports whether the ballot leaves c open.
func (s *said) allows(c int32) bool {
	for _, l := range s.among {
		if l == c {
			return !s.not
		}
	}
	return s.not
}

// peersWeight is 1 from nine voters on, and 2 in a crowd: the company that one of three keeps are two.
func (m *parameters) peersWeight() float64 {
	return ramp(float64(len(m.Peers.Weight)), 1, 9) + m.Crowd
}
