package reliability

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// subtypes is a model of shared choices in which the decisions of one choice are of a few kinds, and each voter says
// what it says by kind: what lures one voter of a decision lures others (EBCC: Li, Rubinstein and Cohn, 2019). It is
// fitted by mean-field variational inference. The kinds take the place of dependence between voters, at the price
// of more numbers per voter, so it suits voters who decide often in decisions with few votes.
type subtypes struct {
	Choices int       `json:"choices"`
	Prior   []float64 `json:"prior"` // E log of each choice and kind
	Votes   []float64 `json:"votes"` // E log of what is said, [voter][said][choice and kind]
	Mean    []float64 `json:"mean"`  // the same of one of whom nothing is known
}

const (
	subkinds      = 3
	subtypeRounds = 80
	rowRight      = 4.0 // Dirichlet prior of a voter's row: of the right choice, and of each other
	rowWrong      = 1.0
	kindPrior     = 0.1 / subkinds
)

// newSubtypes fits one, nil where choices are not shared.
func newSubtypes(b *batch) *subtypes {
	if b.Own {
		return nil
	}
	s := &subtypes{Choices: b.Choices, Prior: make([]float64, b.Choices*subkinds)}
	n := b.Choices * subkinds
	s.Votes, s.Mean = make([]float64, b.Voters*b.Choices*n), make([]float64, b.Choices*n)
	q := s.start(b)
	for range subtypeRounds {
		s.count(b, q)
		s.assign(b, q)
	}
	return s
}

// start gives each decision its votes' shares, each kind of a choice a part by decision that has no pattern: the
// fractional part of multiples of the golden ratio, which need no source of chance.
func (s *subtypes) start(b *batch) []float64 {
	n := s.Choices * subkinds
	q := make([]float64, b.size()*n)
	for t, known := range b.Known {
		v := b.votes(t)
		share := make([]float64, s.Choices)
		for _, l := range v.said {
			share[l] += 1 / float64(len(v.said))
		}
		for c, x := range share {
			if known >= 0 || len(v.said) == 0 {
				x = 1 / float64(s.Choices)
			}
			row := q[t*n+c*subkinds:][:subkinds]
			sum := 0.0
			for m := range row {
				_, u := math.Modf(float64(t*n+c*subkinds+m+1) * math.Phi)
				row[m] = -math.Log(1 - u + 1e-12)
				sum += row[m]
			}
			for m := range row {
				row[m] *= x / sum
			}
		}
		s.clamp(q[t*n:][:n], known)
	}
	return q
}

// clamp leaves of a decision whose outcome is known that choice alone.
func (s *subtypes) clamp(q []float64, known int32) {
	if known < 0 {
		return
	}
	sum := 0.0
	for i := range q {
		if i/subkinds != int(known) {
			q[i] = 0
		}
		sum += q[i]
	}
	for i := range q {
		q[i] /= sum
	}
}

func (s *subtypes) count(b *batch, q []float64) {
	k, n := s.Choices, s.Choices*subkinds
	s.before(s.Mean)
	for j := range b.Voters {
		s.before(s.Votes[j*k*n:][:k*n])
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

// before fills a voter's table with what is believed before any vote.
func (s *subtypes) before(table []float64) {
	n := s.Choices * subkinds
	for i := range table {
		table[i] = rowWrong
		if i/n == i%n/subkinds {
			table[i] = rowRight
		}
	}
}

// expect turns Dirichlet counts into expected logarithms, over what is said.
func (s *subtypes) expect(table []float64) {
	n := s.Choices * subkinds
	for c := range n {
		sum := 0.0
		for l := range s.Choices {
			sum += table[l*n+c]
		}
		all := mathext.Digamma(sum)
		for l := range s.Choices {
			table[l*n+c] = mathext.Digamma(table[l*n+c]) - all
		}
	}
}

// expectPrior does so for choices, and for the subkinds of each.
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

func (s *subtypes) assign(b *batch, q []float64) {
	n := s.Choices * subkinds
	for t, known := range b.Known {
		mine := q[t*n:][:n]
		copy(mine, s.Prior)
		v := b.votes(t)
		for i, j := range v.voter {
			for c, x := range s.says(j, v.said[i]) {
				mine[c] += x
			}
		}
		softmax(mine)
		s.clamp(mine, known)
	}
}

// says is the expected logarithm of a voter's saying l, by choice and kind.
func (s *subtypes) says(j, l int32) []float64 {
	k, n := s.Choices, s.Choices*subkinds
	if at := int(j) * k * n; at < len(s.Votes) {
		return s.Votes[at+int(l)*n:][:n]
	}
	return s.Mean[int(l)*n:][:n]
}
