package reliability

import (
	"math"
	"slices"
	"testing"
)

// objective is what descent minimises, written down plainly.
func objective(r *refit, known []outcome) float64 {
	loss := math.Log(r.Scale) * math.Log(r.Scale) / (2 * scaleSD * scaleSD)
	for _, b := range r.Bonus {
		loss += r.Ridge * b * b / 2
	}
	for _, x := range known {
		p := append([]float64(nil), x.ev...)
		r.apply(x.v, p)
		loss -= math.Log(p[x.right])
	}
	return loss - lapse*lapseN*math.Log(r.Lapse) - (1-lapse)*lapseN*math.Log(1-r.Lapse)
}

func TestRefitIsAtTheOptimum(t *testing.T) {
	w := newWorld(31, 3, even(6, 0.9, 0.4)...)
	b := newBook(&Options{Choices: letters(3)})
	w.fill(b, 200, 2)
	o := b.o
	m := fit(&b.batch, o, nil)
	var at []int
	for i, y := range b.batch.Known {
		if y >= 0 {
			at = append(at, i)
		}
	}
	known := crossFit(&b.batch, o, m, at)
	if len(known) != 100 {
		t.Fatalf("%d outcomes, want 100", len(known))
	}
	for _, ridge := range []float64{3, 30} {
		d := newDescent(known, ridge, -1, b.batch.Voters)
		for range 20 {
			d.run()
		}
		least := objective(&d.refit, known)
		for name, move := range map[string]func(*refit, float64){
			"scale": func(r *refit, x float64) { r.Scale *= 1 + x },
			"lapse": func(r *refit, x float64) { r.Lapse *= 1 + x },
			"bonus": func(r *refit, x float64) { r.Bonus[2] += x },
		} {
			for _, x := range []float64{-0.05, 0.05} {
				r := d.refit
				r.Bonus = append([]float64(nil), d.Bonus...)
				move(&r, x)
				if got := objective(&r, known); got < least {
					t.Errorf("ridge %v: another %s has %v, the fit has %v", ridge, name, got, least)
				}
			}
		}
	}
}

func TestRefitTakesTenOutcomes(t *testing.T) {
	for outcomes, want := range map[int]bool{9: false, 10: true} {
		w := newWorld(32, 2, even(5, 0.9, 0.6)...)
		b := newBook(nil)
		w.fill(b, outcomes, 1)
		w.fill(b, 60, 0)
		if got := b.Learn().params.Refit != nil; got != want {
			t.Errorf("with %d outcomes refitted is %v", outcomes, got)
		}
	}
}

func TestRefitLowersConfidenceThatWasTooHigh(t *testing.T) {
	known := make([]outcome, 0, 200)
	for i := range 200 {
		right := 0
		if i%4 == 0 {
			right = 1 // three in four are right where the evidence says 0.98
		}
		known = append(known, outcome{ev: []float64{math.Log(0.98), math.Log(0.02)}, right: right, fold: i % folds})
	}
	r := newDescent(known, never, -1, 0).run()
	p := append([]float64(nil), known[0].ev...)
	r.apply(votes{}, p)
	if math.Abs(p[0]-0.75) > 0.04 {
		t.Errorf("says %.3f where 0.75 are right", p[0])
	}
}

func TestNoOutcomeIsUsedToPredictItself(t *testing.T) {
	w := newWorld(33, 2, even(5, 0.9, 0.5)...)
	b := newBook(&Options{Choices: letters(2)})
	w.fill(b, 80, 1)
	m := fit(&b.batch, b.o, nil)
	at := make([]int, 80)
	for i := range at {
		at[i] = i
	}
	told := crossFit(&b.batch, b.o, m, at)
	for i := range 20 { // the first fold
		b.batch.Known[i] = 1 - b.batch.Known[i]
	}
	for i, x := range crossFit(&b.batch, b.o, m, at) {
		if same := slices.Equal(x.ev, told[i].ev); same != (x.fold == 0) {
			t.Fatalf("outcome %d of fold %d: evidence %v, with other outcomes in fold 0 %v", i, x.fold, told[i].ev, x.ev)
		}
	}
}
