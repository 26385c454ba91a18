package reliability

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/swarmbus/swarmbus/consensus"
)

// Stop says when a decision has votes enough. The zero value means the defaults.
type Stop struct {
	Sure  float64 // probability of the leader that is enough; 0 means 0.99
	Worth float64 // least gain in the probability of being right that one more vote is worth; 0 means 0.01
}

func (s Stop) withDefaults() Stop {
	if s.Sure == 0 {
		s.Sure = 0.99
	}
	if s.Worth == 0 {
		s.Worth = 0.01
	}
	return s
}

// Enough reports whether to stop asking, given who could still be asked, in the order in which they would
// be ([Model.Next] says whom).
//
// Asking r more is worth the expected value of sample information (Raiffa and Schlaifer, 1961): with L the
// leader's log-odds against the runner-up and p = σ(L), the new log-odds are normal around L ± rδ with
// variance rδ², δ what one more vote moves them after the discount, and asking pays
// (1−p)·P(flip | leader wrong) − p·P(flip | leader right). Enough is true when no r pays Worth a vote, when
// the leader is Sure, and when nobody is left. Before there is a vote it is false.
func (m *Model) Enough(b consensus.Ballots, rest []string, s Stop) bool {
	s = s.withDefaults()
	if len(rest) == 0 {
		return true
	}
	each, none := m.Probabilities(b)
	first, second := topTwo(append(each, none))
	q := m.whole(b)
	if len(q.ballots) == 0 {
		return false
	}
	if first >= s.Sure {
		return true
	}
	a := m.newAsking(&q, b.Correlation(), first, second)
	for _, r := range [...]int{1, 2, 3, 5, 8, 13, 21, 34} {
		r = min(r, len(rest))
		if a.gain(rest[:r]) >= s.Worth*float64(r) {
			return false
		}
		if r == len(rest) {
			break
		}
	}
	return true
}

func topTwo(p []float64) (first, second float64) {
	for _, x := range p {
		if x > first {
			first, second = x, first
		} else {
			second = max(second, x)
		}
	}
	return first, second
}

// whole is all ballots as one question, with stances those of every proposal together: one per voter.
func (m *Model) whole(b consensus.Ballots) question {
	if !m.kind.stances {
		return m.kind.questions(b)[0]
	}
	cast := castIn(b)
	q := question{field: 2}
	for i, v := range cast {
		if i == 0 || cast[i-1].Voter != v.Voter {
			q.ballots = append(q.ballots, ballot{voter: v.Voter, weight: v.Weight})
		}
	}
	return q
}

// asking is what more votes would do to a decision.
type asking struct {
	m             *Model
	field         int
	votes         float64 // cast
	n             float64 // the same in effect
	rho           float64
	first, second float64
}

func (m *Model) newAsking(q *question, rho, first, second float64) *asking {
	c := m.cast(q)
	f := make([]float64, len(c.voter))
	n := m.params.weights(c, q.field, f)
	return &asking{m: m, field: max(q.field, 2), votes: float64(len(f)), n: n, rho: rho, first: first, second: second}
}

// gain is how much more probably right the decision is once these have voted.
func (a *asking) gain(rest []string) float64 {
	k := float64(a.field)
	mean, variance, n := 0.0, 0.0, 0.0
	for i, name := range rest {
		w := 1 / (1 + a.m.params.Corr.pooled()*(a.votes+float64(i)))
		j := a.m.voter(name)
		u := a.m.params.strength(j, a.field, a.m.params.Stated.usual(int(j)).shift)
		right := sigma(u - math.Log(k-1)) // of k, at odds of u against chance
		other := (1 - right) / (k - 1)
		mean += w * u * (right - other)
		variance += w * w * u * u * (right + other - (right-other)*(right-other))
		n += w
	}
	p := a.first / (a.first + a.second)
	odds := math.Log(a.first / max(a.second, 1e-12))
	scale := a.m.params.Refit.scale()
	now := scale / (1 + a.rho*max(0, a.n-1))
	then := scale / (1 + a.rho*max(0, a.n+n-1))
	middle, sd := odds*then/now, then*math.Sqrt(variance)+1e-9
	gained, lost := distuv.UnitNormal.CDF(-(middle-then*mean)/sd), distuv.UnitNormal.CDF(-(middle+then*mean)/sd)
	return (a.first + a.second) * ((1-p)*gained - p*lost)
}
