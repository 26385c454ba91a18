package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// flat is a set on which every combination is as good as said.
func flat(name string, accuracy func(c int) float64) leftOut {
	x := leftOut{set: name, majority: 0.5}
	for c := range combinations {
		x.of = append(x.of, measures{Accuracy: accuracy(c), Brier: 0.1})
	}
	x.shipped = x.of[0]
	return x
}

func TestWhatIsChosenIsBestOnTheOtherSets(t *testing.T) {
	only := func(at int) func(c int) float64 {
		return func(c int) float64 {
			if c == at {
				return 0.9
			}
			return 0.6
		}
	}
	rows := chooseLeftOut([]leftOut{flat("a", only(3)), flat("b", only(5)), flat("c", only(5))})
	for i, want := range []int{5, 3, 3} { // of b and c the best is a tie, which the first wins
		if i == 0 && !slices.Equal(rows[i].Chosen, combinations[want]) || i > 0 && slices.Equal(rows[i].Chosen, combinations[0]) {
			t.Errorf("%s: chosen %v, want %v", rows[i].Set, rows[i].Chosen, combinations[want])
		}
	}
	if rows[0].Accuracy != 0.6 || rows[0].Majority != 0.5 {
		t.Errorf("%+v, want what is chosen elsewhere scored here", rows[0])
	}
	// What claims too much is chosen less.
	bad := flat("d", only(5))
	bad.of[5].Brier = 0.9
	if rows := chooseLeftOut([]leftOut{flat("a", only(3)), bad}); slices.Equal(rows[0].Chosen, combinations[5]) {
		t.Error("chosen in spite of its Brier score")
	}
	var b bytes.Buffer
	(&results{LeftOut: rows}).leftOutTable(&b)
	if !strings.Contains(b.String(), "Worst against majority: +10.0 points.") {
		t.Error(b.String())
	}
}

func TestStructuresAreWeighed(t *testing.T) {
	a := apart{{0.6, 0.4}, {0, 2}}
	for _, x := range []struct {
		w     weights
		first float64
	}{{weights{1, 1}, 0.2}, {weights{1, 0}, 0.6}, {weights{0, 0.5}, 0}, {weights{0, 0}, 0.5}} {
		got := x.w.answer(a, 2)
		if math.Abs(got.p[0]-x.first) > 1e-12 || math.Abs(got.confidence-max(x.first, 1-x.first)) > 1e-12 || got.leads[0] != (x.first >= 0.5) {
			t.Errorf("%v: %+v, want %v of the first", x.w, got, x.first)
		}
	}
	if shipped < 0 {
		t.Error("what the package has is not among the combinations")
	}
}
