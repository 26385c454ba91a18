package reliability

import "slices"

// These are the weights of the structures in the mixture. The votes do not show which structure holds, so each gives
// every candidate a probability, and the mixture is their weighted mean (linear opinion pool: Stone, 1961), which is
// confident only where all of them are. The weights were not chosen by likelihood: on recorded votes, the structure
// that predicts held-out votes best is often not the one that is right.
//
//	structure  fitted                                           weight
//	rates      a rate or confusion matrix per voter,            1, more with known outcomes, and up to 1 more in a small
//	           correlations                                     team with shared choices, where subtypes have less
//	subtypes   a confusion matrix per voter and kind            up to 5, less with few votes per parameter, if many
//	                                                            voters decide together, or in a small team
//	coins      a rate per voter, for each mode                  2 in a small team, 0 in a crowd, less if voters err
//	                                                            together
//	peers      a weight per voter, by agreement with peers      1 from nine voters on, 2 in a crowd
const (
	subtypesWeight = 5.0
	sharedWeight   = 1.0 // what rates have more in a small team with shared choices
	perParameter   = 5.0 // votes of a voter per parameter of subtypes with which they have half that weight
	coinsWeight    = 2.0
	toldPerRates   = 10.0 // known outcomes that add 1 to the weight of rates, the only structure that outcomes correct
)

// structure is what one structure gives each candidate, and its weight in the mixture.
type structure struct {
	name   string
	weight float64
	p      []float64
}

// structures returns what each structure gives the candidates, without those that have learned nothing.
func (a *answering) structures(rho float64) []structure {
	m, ev := a.m.params, slices.Clone(a.ev)
	m.discount(rho, a.n, ev)
	a.refitted(ev)
	all := []structure{{"rates", m.ratesWeight(a.own), ev}}
	if m.Peers == nil {
		return all
	}
	if !a.own && m.Subtypes != nil {
		all = append(all, structure{"subtypes", m.subtypesWeight(), a.bySubtypes(rho)})
	}
	if m.Coins != nil {
		all = append(all, structure{"coins", m.coinsWeight(), a.byCoins(rho)})
	}
	if p := a.byPeers(); p != nil {
		all = append(all, structure{"peers", m.peersWeight(), p})
	}
	return all
}

// probabilities returns the probability of each candidate: the weighted mean over the structures.
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

// ratesWeight returns the weight of rates, which rises with known outcomes. In a small team with shared choices it is
// higher, since a matrix per voter fits a few voters better than coins, who ignore the choices, or subtypes, who have
// kinds for chance to fill.
func (m *parameters) ratesWeight(own bool) float64 {
	w := 1 + float64(m.Told)/toldPerRates
	if !own {
		w += sharedWeight * (1 - m.Crowd)
	}
	return w
}

// subtypesWeight returns the weight of subtypes, which rises with the votes per parameter and with the voters.
func (m *parameters) subtypesWeight() float64 {
	least := perParameter * float64(subtypeParameters(m.Choices))
	return subtypesWeight * m.Crowd * m.PerVoter / (m.PerVoter + least) / m.asOne(m.Residual)
}

// coinsWeight returns the weight of coins, which falls to 0 in a crowd.
func (m *parameters) coinsWeight() float64 {
	return coinsWeight * (1 - m.Crowd) * (1 - m.Crowd) / m.asOne(m.Corr.pooled())
}

// crowd returns how much of a crowd that many voters are: a tenth for up to five, rising to 1 for 23 and more. In a
// small team, a voter's own votes say more about it than whom it agrees with. Before anything is learned crowd is 1.
func crowd(voters int) float64 {
	if voters == 0 {
		return 1
	}
	return max(0.1, ramp(float64(voters), 3, 23))
}

// asOne returns the design effect (Kish, 1965) of a decision with the usual number of votes whose errors have
// correlation ρ: so many votes carry as much information as a single independent one. It divides the weights of
// structures that take votes to be independent.
func (m *parameters) asOne(rho float64) float64 { return 1 + rho*max(0, m.Density-1) }

// byPeers returns the candidates' shares of the votes as weighted by peers. A ballot for several candidates is divided
// evenly between them. byPeers returns nil if nobody has a vote of weight above 0, or if only one voter has voted, its
// copies aside.
func (a *answering) byPeers() []float64 {
	p, total, voters := make([]float64, a.field), 0.0, 0.0
	for i, v := range a.voices {
		voters += a.alike(i)
		s := &a.said[v.said]
		part, _ := a.m.params.heard(v.voter, v.weight, a.field) // that of a constant voter, too
		w := a.m.params.Peers.weight(a.m.params.first(v.voter)) * part * a.alike(i)
		n := len(s.among)
		if s.not {
			n = a.field - n
		}
		each := w / float64(n)
		if n == 0 || each == 0 { // a weight near 0 may vanish where it is divided
			continue
		}
		for c := range p {
			if s.allows(int32(c)) {
				p[c] += each
			}
		}
		total += w
	}
	if total == 0 || voters < 1+1e-9 {
		return nil
	}
	for c := range p {
		p[c] /= total
	}
	return p
}

// bySubtypes returns the posterior probabilities of the candidates by subtypes, discounted as all evidence is.
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

// first returns the first of the voters who share a vote with voter j, whose parameters stand for all of them.
func (m *parameters) first(j int32) int32 {
	if int(j) < len(m.Shared) {
		return m.Shared[j]
	}
	return j
}

// alike returns how many votes voice i counts for: as many as it has newcomers, or 1 for a known voter, divided by the
// number of voices that share that vote.
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

// any returns the log-probability that voter j says what the ballot says, given choice and kind c.
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

// allows reports whether the ballot allows candidate c.
func (s *said) allows(c int32) bool {
	_, in := slices.BinarySearch(s.among, c)
	return in != s.not
}

// peersWeight returns the weight of peers, which rises to 1 for nine voters and to 2 in a crowd: with few voters,
// agreement says little, since one of three has only two peers.
func (m *parameters) peersWeight() float64 {
	return ramp(float64(m.Voting), 1, 9) + m.Crowd
}
