package reliability

import (
	"math"
	"testing"
)

func TestSubtypesAreFittedUntilTheyNoLongerChange(t *testing.T) {
	for _, choices := range []int{2, 5} {
		b := newBook(&Options{Choices: letters(choices), First: 1 << 20})
		newWorld(11, choices, even(10, 0.9, 0.6)...).fill(b, 800, 0)
		s := newSubtypes(&b.batch)
		q := make([]float64, b.batch.size()*choices*subkinds)
		s.assign(&b.batch, q)
		s.count(&b.batch, q)
		if change := s.assign(&b.batch, q); change > 2*subtypesDone*float64(b.batch.size()) {
			t.Errorf("%d choices: one more round changes the probabilities by %.3f per decision", choices, change/float64(b.batch.size()))
		}
	}
}

func TestSubtypesWeighMoreTheMoreVotesThereArePerParameter(t *testing.T) {
	const voters, density = 5, 5
	for choices, parameters := range map[int]float64{2: 6, 5: 60} {
		for _, decisions := range []int{2, 25, 35, 400} {
			b := newBook(&Options{Choices: letters(choices), First: 1})
			w := newWorld(12, choices, even(voters, 0.9, 0.6)...)
			w.fill(b, decisions, 0)
			m := b.Learn()
			ballots, _ := w.decision(nil)
			got := 0.0
			for _, s := range m.Structures(ballots) {
				if s.Name == "subtypes" {
					got = s.Weight
				}
			}
			n, want := float64(decisions), 0.0
			if 2*n >= parameters {
				want = 5 * crowd(voters) * n / (n + 5*parameters) / (1 + m.params.Residual*(density-1))
			}
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%d choices, %d votes per voter: weight %.3f, want %.3f", choices, decisions, got, want)
			}
		}
	}
}

// The probability of an outcome that many voters contradict is too small for a float64.
func TestSubtypesLearnFromOutcomesThatACrowdContradicts(t *testing.T) {
	const voters = 1000
	b := newBatch(2, false)
	for i := range int32(8) {
		v := votes{field: 2}
		for j := range int32(voters) {
			v.voter, v.said = append(v.voter, j), append(v.said, i%2)
		}
		b.add(v)
		b.Known[i] = i % 2
	}
	b.Known[7] = 0
	s := newSubtypes(&b)
	for _, of := range [][]float64{s.Prior, s.Mean, s.Votes} {
		if !within(of, -1e9, 0) {
			t.Fatalf("log-probabilities %v", of[:min(6, len(of))])
		}
	}
}
