package reliability

import (
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestSlopesOfPlantedVotersAreFound(t *testing.T) {
	measures(t)
	for _, every := range []int{0, 2, 1} {
		w := talkers(5, 2)
		m := stated(w, &Options{Choices: w.choices}, 2000, every)
		for j, want := range w.means {
			if got := m.params.Stated.Slope[j]; math.Abs(got-want) > 0.3 {
				t.Errorf("an outcome in %d: voter %d has the slope %.2f, want %v", every, j, got, want)
			}
		}
		t.Logf("an outcome in %d: %.2f", every, m.params.Stated.Slope[:6])
	}
}

func TestSlopesFollowTheLikelihood(t *testing.T) {
	for name, o := range kinds(3) {
		w := talkers(17, 3)
		b := newBook(o)
		w.fill(b, 40, 4)
		e := newEM(&b.batch, b.o, nil)
		e.start(e.shares)
		e.count()
		e.rows()
		e.rates()
		e.m.tables()
		g, h := make([]float64, 6), make([]float64, 6)
		e.slopes(g, h)
		const step = 1e-4
		for j := range g {
			at := e.m.Stated.Slope[j]
			var l [3]float64
			for i := range l {
				e.m.Stated.Slope[j] = at + step*float64(i-1)
				l[i] = expectedLikelihood(e, int32(j))
			}
			e.m.Stated.Slope[j] = at
			if want := (l[2] - l[0]) / (2 * step); math.Abs(g[j]-want) > 1e-3 {
				t.Errorf("%s, voter %d: gradient %.5f, differences say %.5f", name, j, g[j], want)
			}
			if want := -(l[2] - 2*l[1] + l[0]) / (step * step); math.Abs(h[j]-want) > 0.01*want {
				t.Errorf("%s, voter %d: curvature %.4f, differences say %.4f", name, j, h[j], want)
			}
		}
	}
}

// expectedLikelihood returns the part of the expected log-likelihood that depends on voter j's slope, summed term by
// term.
func expectedLikelihood(e *em, j int32) (sum float64) {
	for t := range e.b.size() {
		v := e.b.votes(t)
		for i, voter := range v.voter {
			if voter != j {
				continue
			}
			for c, p := range e.post[t] {
				z := e.m.Rate[int(j)*e.m.cols()+c%e.m.cols()] + slowLift(e.m, j, v.stated[i], int(v.field))
				if c == int(v.said[i]) {
					sum += p * math.Log(sigma(z))
				} else {
					sum += p * math.Log(sigma(-z))
				}
			}
		}
	}
	return sum
}

// A voter that always states low confidence is rated by how often it is right. If its votes were instead bounded at
// chance, its estimated rate would rise round after round until it decided alone.
func TestVotersWithExtremeConfidenceDoNotTakeOver(t *testing.T) {
	measures(t)
	for name, o := range kinds(2) {
		for _, weight := range []float64{1, 0.5, 0.2, 0.1, 0.02} {
			w := newWorld(37, 2, append(even(10, 0.85, 0.75), 0.5)...)
			b := newBook(o)
			ask := func() (consensus.Ballots, string) {
				ballots, truth := w.decision(nil)
				var cast []consensus.Vote
				for v := range ballots.Votes() {
					v.Weight = []float64{0.7, 0.9}[w.IntN(2)]
					if v.Voter == "v10" {
						v.Weight = weight
					}
					cast = append(cast, v)
					if o != nil && o.Stances {
						v.ProposalID, v.Stance = w.choices['b'-v.ProposalID[0]], consensus.Disagree
						cast = append(cast, v)
					}
				}
				again, err := consensus.NewBallots(nil, w.choices, cast)
				if err != nil {
					t.Fatal(err)
				}
				return again, truth
			}
			for range 150 {
				ballots, _ := ask()
				if err := b.Observe("", ballots); err != nil {
					t.Fatal(err)
				}
			}
			m, right := b.Learn(), 0
			for range 200 {
				ballots, truth := ask()
				each, _ := m.Probabilities(ballots)
				if w.choices[best(each)] == truth {
					right++
				}
			}
			if right < 180 {
				t.Errorf("%s: %d of 200 right if a voter who tosses coins states %v", name, right, weight)
			}
			if r, _ := m.Reliability("v10", 1); r.Sensitivity > 0.7 {
				t.Errorf("%s: a voter who tosses coins and states %v is held to be right in %.2f", name, weight, r.Sensitivity)
			}
		}
	}
}
