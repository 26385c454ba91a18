package reliability

import "math"

// parameters are what is fitted. They are never modified once they are in a [Model].
//
// A decision has the true choice c with probability exp Prior[c]. Voter j is right with probability σ(a[j,c]); if it
// is wrong, it says l with probability q[j,c,l]:
//
//	a[j,c] ~ N(u[j] + w[c], SdClass²) its rate on c
//	u[j]   ~ N(Mean, SdVoter²)        its own rate
//	w[c]   ~ N(0, SdPool²)            the choice's rate
//	q[j,c] ~ Dirichlet(Rows·pool[c])  what it says instead
//
// Where decisions have their own proposals, a has one column, and wrong answers are distributed as [instead] says.
type parameters struct {
	Choices int  `json:"choices"`
	Voters  int  `json:"voters"`
	Own     bool `json:"own,omitempty"`
	Stances bool `json:"stances,omitempty"`

	Decisions int `json:"decisions,omitempty"` // number learned from

	Prior    []float64 `json:"prior"`
	Mean     float64   `json:"mean"`
	SdVoter  float64   `json:"sdVoter"`
	SdClass  float64   `json:"sdClass"`
	SdPool   float64   `json:"sdPool"`
	Rows     float64   `json:"rows"`
	Residual float64   `json:"residual"`
	Others   float64   `json:"others,omitempty"` // effective number of wrong answers

	Rate      []float64 `json:"rate"`                // a, voter-major
	Base      []float64 `json:"base"`                // u
	Shift     []float64 `json:"shift"`               // w
	Wrong     []float64 `json:"wrong,omitempty"`     // log q, [voter][truth][said]
	PoolWrong []float64 `json:"poolWrong,omitempty"` // the pool's q, [truth][said]

	Stated *calibration `json:"stated,omitempty"` // nil unless most voters have stated less than 1
	Corr   *correlation `json:"correlation"`
	Refit  *refit       `json:"refit,omitempty"` // nil without known outcomes

	Shared   []int32   `json:"shared,omitempty"`   // by voter, the first voter it shares a vote with; nil: no copies
	Constant []int32   `json:"constant,omitempty"` // by voter, the choice it names whatever the question, or -1; nil: nobody
	Coins    *coins    `json:"coins,omitempty"`    // nil in a crowd, and for fewer than three voters
	Peers    *peers    `json:"peers,omitempty"`    // nil before anything is learned
	Subtypes *subtypes `json:"subtypes,omitempty"` // nil without shared choices
	Told     int       `json:"told,omitempty"`     // known outcomes among those learned from
	Records  []record  `json:"records,omitempty"`  // by voter; nil before anything is learned
	Density  float64   `json:"density,omitempty"`  // votes per decision
	PerVoter float64   `json:"perVoter,omitempty"` // votes per voter
	Voting   int       `json:"voting,omitempty"`   // voters learned from, of copies one
	Crowd    float64   `json:"crowd"`              // crowd of that number, from 0.1 to 1
	OneGroup bool      `json:"oneGroup,omitempty"` // all voters are of one group

	Unopposed bool `json:"unopposed,omitempty"` // a single proposal was hardly ever opposed

	right, miss []float64 // log σ(±a), [voter*columns]
	wrong       []float64 // q, as Wrong
}

func (m *parameters) cols() int {
	if m.Own {
		return 1
	}
	return m.Choices
}

// tables precomputes what pooling reads.
func (m *parameters) tables() {
	m.right, m.miss, m.wrong = m.right[:0], m.miss[:0], m.wrong[:0]
	for _, a := range m.Rate {
		m.right, m.miss = append(m.right, logSigma(a)), append(m.miss, logSigma(-a))
	}
	for _, x := range m.Wrong {
		m.wrong = append(m.wrong, math.Exp(x))
	}
}

// at returns the log-probabilities of being right and of being wrong, for one rate and lift.
func (m *parameters) at(rate int, lift float64) (right, miss float64) {
	if lift == 0 {
		return m.right[rate], m.miss[rate]
	}
	z := m.Rate[rate] + lift
	return logSigma(z), logSigma(-z)
}

// meanRate returns how often a voter is right on a choice.
func (m *parameters) meanRate(at int, sure certainty) float64 {
	return sigma((m.Rate[at] + sure.lift) * sure.flat)
}

// meanRates returns how often a voter is right, averaged over the choices.
func (m *parameters) meanRates(j int, sure certainty) float64 {
	p, cols := 0.0, m.cols()
	for c := range cols {
		p += m.meanRate(j*cols+c, sure) / float64(cols)
	}
	return p
}

// held returns how often a voter is held to be right at its usual confidence, among k candidates: by chance if it is
// constant.
func (m *parameters) held(j int32, k int) float64 {
	if m.constant(j) >= 0 {
		return 1 / float64(k)
	}
	return m.meanRates(int(j), m.usual(int(j), m.alike()))
}

// aboveChance returns a voter's log-odds less those of chance among k candidates.
func (m *parameters) aboveChance(j int32, k int) float64 {
	return m.Base[j] + math.Log(m.others(max(k, 2)))
}

// others returns the number of wrong answers for each right one among k candidates.
func (m *parameters) others(k int) float64 {
	if m.Own {
		return max(float64(k-1), m.Others)
	}
	return float64(k - 1)
}

// strength returns how far a vote among k candidates is from chance, in log-odds, at least 0.01. lift is what its
// stated confidence adds to its voter's log-odds.
func (m *parameters) strength(j int32, k int, lift float64) float64 {
	return max(math.Abs(m.aboveChance(j, k)+lift), 0.01)
}

// between returns the number of candidates of a decision.
func (m *parameters) between(v votes) int {
	if m.Own {
		return int(v.field)
	}
	return m.Choices
}

// alike returns the least number of candidates that a decision can have.
func (m *parameters) alike() int {
	if m.Own {
		return 2
	}
	return m.Choices
}

// grow returns a copy with room for more voters, who start at the pool's parameters.
func (m *parameters) grow(voters int) *parameters {
	g := *m
	c := m.cols()
	g.right, g.miss, g.wrong = nil, nil, nil
	g.Prior = append([]float64(nil), m.Prior...)
	g.Shift = append([]float64(nil), m.Shift...)
	g.Rate = append([]float64(nil), m.Rate...)
	g.Base = append([]float64(nil), m.Base...)
	g.PoolWrong = append([]float64(nil), m.PoolWrong...)
	g.Wrong = append([]float64(nil), m.Wrong...)
	for j := m.Voters; j < voters; j++ {
		g.Base = append(g.Base, m.Mean)
		for k := range c {
			g.Rate = append(g.Rate, m.Mean+m.Shift[k])
			if m.Own {
				continue
			}
			for _, q := range m.PoolWrong[k*c:][:c] {
				g.Wrong = append(g.Wrong, math.Log(max(q, 1e-300)))
			}
		}
	}
	g.Stated = m.Stated.grow(max(voters, m.Voters))
	g.Voters = max(voters, m.Voters)
	g.tables()
	return &g
}
