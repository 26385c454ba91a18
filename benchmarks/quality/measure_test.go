package main

import (
	"math"
	"testing"
)

// toy is two labels, four tasks, three voters.
func toy() *set {
	return &set{
		name: "toy", labels: []string{"0", "1"}, place: map[string]int{"0": 0, "1": 1}, names: []string{"a", "b", "c"},
		start: []int32{0, 3, 5, 6, 7}, voter: []int32{0, 1, 2, 0, 1, 0, 2}, label: []int32{1, 1, 0, 0, 1, 1, 0},
		weight: []float64{1, 1, 1, 1, 1, 1, 1}, truth: []int32{1, 0, 0, -1},
	}
}

func none(s *set) []int32 { return s.known(0, 1) }

func TestMeasuresByHand(t *testing.T) {
	s := toy()
	// Right with 2/3, a tie, wrong with 1; the fourth has no truth.
	m := measure(s.score(byPosterior(majority)(s, none(s)), none(s)), true)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"tasks", float64(m.Tasks), 3},
		{"accuracy", m.Accuracy, (1 + 0.5 + 0) / 3},
		{"Brier", m.Brier, (2.0/9 + 0.5 + 2) / 3},
		{"log-loss", m.LogLoss, (-math.Log(2.0/3) - math.Log(0.5) - math.Log(1e-6)) / 3},
		{"ECE", m.ECE, (1.0/3 + 0 + 1) / 3},
		{"sure", m.Sure, 1.0 / 3},
		{"right there", m.RightThere, 0},
		// Label 1 is predicted in 2.5 tasks, is right in one, and there predicted.
		{"F1", m.F1, 2 / (2.5 + 1)},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestKnownOutcomesAreNotScored(t *testing.T) {
	s := toy()
	gold := none(s)
	gold[2] = 0
	if n := len(s.score(byPosterior(majority)(s, gold), gold)); n != 2 {
		t.Errorf("%d tasks are scored, want 2", n)
	}
}

func TestIntervalsHoldTheFigure(t *testing.T) {
	all := make([]scored, 400)
	for i := range all {
		all[i] = scored{hit: float64(i % 4 / 3), confidence: 0.3}
	}
	m := measure(all, false)
	m.intervals(all, 500, 1)
	// A quarter of 400: the standard error is 0.0217.
	if math.Abs(m.Low-0.2075) > 0.012 || math.Abs(m.High-0.2925) > 0.012 {
		t.Errorf("interval %v to %v of %v, want about 0.2075 to 0.2925", m.Low, m.High, m.Accuracy)
	}
}

func TestKnownOutcomesAreDrawn(t *testing.T) {
	s := &set{truth: make([]int32, 200)}
	for i := range s.truth {
		s.truth[i] = int32(i%2) - int32(i/190)*2 // the last ten have none
	}
	told := 0
	for i, y := range s.known(0.1, 3) {
		if y >= 0 {
			told++
		}
		if y >= 0 && y != s.truth[i] {
			t.Errorf("outcome %d is told as %d, is %d", i, y, s.truth[i])
		}
	}
	if told != 19 { // of the 190 that have a truth
		t.Errorf("%d outcomes are told, want 19", told)
	}
}

func TestShareOfKnownOutcomesIsOfTheTasksWithATruth(t *testing.T) {
	s := &set{truth: make([]int32, 100)}
	for i := range s.truth {
		s.truth[i] = -1
	}
	for i := range 8 {
		s.truth[i] = 1
	}
	told := 0
	for _, y := range s.known(0.5, 1) {
		if y >= 0 {
			told++
		}
	}
	if told != 4 {
		t.Errorf("%d of 8 truths told, want half", told)
	}
}
