package reliability

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
)

// subtypes models shared choices. The decisions in which a choice is right are of a few kinds, and each voter has a
// confusion matrix per kind: a decision that misleads one voter misleads others too (EBCC: Li, Rubinstein and Cohn,
// 2019). It is fitted by mean-field variational inference. The kinds replace correlations between voters, at the cost
// of more parameters per voter, so the model suits decisions with few votes whose voters vote often.
type subtypes struct {
	Choices int       `json:"choices"`
	Prior   []float64 `json:"prior"` // E log P(choice and kind)
	Votes   []float64 `json:"votes"` // E log P(said | choice and kind) as [voter][said][choice and kind]
	Mean    []float64 `json:"mean"`  // the same for a newcomer
}

const (
	subkinds      = 3
	subtypeRounds = 400  // some sets of votes stay near a saddle point for a hundred
	subtypesDone  = 1e-3 // change of probability per decision below which a fit has converged
	rowRight      = 4.0  // Dirichlet prior of a row of a confusion matrix: the right choice
	rowWrong      = 1.0  // each other choice
	kindPrior     = 0.1 / subkinds
)

// newSubtypes fits subtypes to b. It returns nil if the choices are not shared, or if there is less than half a vote for
// each parameter of a voter, so that the fit would hardly count.
func newSubtypes(b *batch) *subtypes {
	if b.Own || 2*b.perVoter() < float64(subtypeParameters(b.Choices)) {
		return nil
	}
	s := &subtypes{Choices: b.Choices, Prior: make([]float64, b.Choices*subkinds)}
	n := b.Choices * subkinds
	s.Votes, s.Mean = make([]float64, b.Voters*b.Choices*n), make([]float64, b.Choices*n)
	q := s.start(b)
	for range subtypeRounds {
		s.count(b, q)
		if s.assign(b, q) < subtypesDone*float64(b.size()) {
			break
		}
	}
	return s
}

// subtypeParameters returns how many free parameters a voter has.
func subtypeParameters(choices int) int { return subkinds * choices * (choices - 1) }

// start returns the initial responsibilities. Each choice gets its share of the decision's votes, divided between the
// kinds in random proportions. The random numbers depend on the votes alone, so that fitting is deterministic and the
// order of decisions makes no difference.
func (s *subtypes) start(b *batch) []float64 {
	n := s.Choices * subkinds
	q := make([]float64, b.size()*n)
	for t, known := range b.Known {
		v := b.votes(t)
		chance := rand.New(rand.NewPCG(0, v.hash()))
		share := make([]float64, s.Choices)
		for _, l := range v.said {
			share[l] += 1 / float64(len(v.said))
		}
		if known >= 0 {
			clear(share)
			share[known] = 1
		}
		for c, x := range share {
			row := q[t*n+c*subkinds:][:subkinds]
			sum := 0.0
			for m := range row {
				row[m] = chance.ExpFloat64()
				sum += row[m]
			}
			for m := range row {
				row[m] *= x / sum
			}
		}
	}
	return q
}

// clamp rules out all choices but the known outcome, if there is one.
func clamp(known int32, lp []float64) {
	for i := range lp {
		if known >= 0 && i/subkinds != int(known) {
			lp[i] = math.Inf(-1)
		}
	}
}

// count is the M step.
func (s *subtypes) count(b *batch, q []float64) {
	k, n := s.Choices, s.Choices*subkinds
	s.setPrior(s.Mean)
	for j := range b.Voters {
		s.setPrior(s.Votes[j*k*n:][:k*n])
	}
	for i := range s.Prior {
		s.Prior[i] = kindPrior
	}
	for t := range b.size() {
		v, mine := b.votes(t), q[t*n:][:n]
		for i, x := range mine {
			s.Prior[i] += x
		}
		for i, j := range v.voter {
			row := s.Votes[(int(j)*k+int(v.said[i]))*n:][:n]
			for c, x := range mine {
				row[c] += x
			}
		}
	}
	for j := range b.Voters {
		s.expect(s.Votes[j*k*n:][:k*n])
	}
	s.expect(s.Mean)
	s.expectPrior()
}

// setPrior fills a voter's table with the counts of its Dirichlet prior.
func (s *subtypes) setPrior(table []float64) {
	n := s.Choices * subkinds
	for i := range table {
		table[i] = rowWrong
		if i/n == i%n/subkinds {
			table[i] = rowRight
		}
	}
}

// expect turns a voter's Dirichlet counts into expected log-probabilities of what it says.
func (s *subtypes) expect(table []float64) {
	n := s.Choices * subkinds
	for c := range n {
		sum := 0.0
		for l := range s.Choices {
			sum += table[l*n+c]
		}
		all := mathext.Digamma(sum)
		for l := range s.Choices {
			table[l*n+c] = digamma(table[l*n+c]) - all
		}
	}
}

var digammaRight, digammaWrong = mathext.Digamma(rowRight), mathext.Digamma(rowWrong)

// digamma looks up the counts of the prior: with many choices, hardly any others occur.
func digamma(x float64) float64 {
	switch x {
	case rowRight:
		return digammaRight
	case rowWrong:
		return digammaWrong
	}
	return mathext.Digamma(x)
}

// expectPrior does the same for the choices and for the kinds of each.
func (s *subtypes) expectPrior() {
	all := 0.0
	for _, x := range s.Prior {
		all += x
	}
	for c := range s.Choices {
		p, sum := s.Prior[c*subkinds:][:subkinds], 0.0
		for _, x := range p {
			sum += x
		}
		choice := mathext.Digamma(1+sum-subkinds*kindPrior) - mathext.Digamma(float64(s.Choices)+all-float64(len(s.Prior))*kindPrior)
		for m, x := range p {
			p[m] = choice + mathext.Digamma(x) - mathext.Digamma(sum)
		}
	}
}

// assign is the E step. It returns by how much the probabilities changed.
func (s *subtypes) assign(b *batch, q []float64) (change float64) {
	n := s.Choices * subkinds
	was := make([]float64, n)
	for t, known := range b.Known {
		mine := q[t*n:][:n]
		copy(was, mine)
		copy(mine, s.Prior)
		v := b.votes(t)
		for i, j := range v.voter {
			for c, x := range s.says(j, v.said[i]) {
				mine[c] += x
			}
		}
		clamp(known, mine) // its probability alone may be too small for a float64
		softmax(mine)
		for c, x := range mine {
			change += math.Abs(x - was[c])
		}
	}
	return change
}

// says returns the expected log-probability that voter j says l, for each choice and kind.
func (s *subtypes) says(j, l int32) []float64 {
	k, n := s.Choices, s.Choices*subkinds
	if at := int(j) * k * n; at < len(s.Votes) {
		return s.Votes[at+int(l)*n:][:n]
	}
	return s.Mean[int(l)*n:][:n]
}
