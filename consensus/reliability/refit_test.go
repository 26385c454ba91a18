package reliability

import (
	"math"
	"slices"
	"testing"
)

// objective is what descent minimises, written down plainly.
func objective(d *descent) float64 {
	loss := d.scale * d.scale / (2 * scaleSD * scaleSD)
	for _, x := range d.bonus {
		loss += d.ridge * x * x / 2
	}
	for _, x := range d.known {
		p := append([]float64(nil), x.ev...)
		d.refit().apply(x.v, p)
		loss -= math.Log(p[x.right])
	}
	return loss - lapse*lapseN*math.Log(d.lapse) - (1-lapse)*lapseN*math.Log(1-d.lapse)
}

func TestRefitIsAtTheOptimum(t *testing.T) {
	w := newWorld(31, 3, even(6, 0.9, 0.4)...)
	b := newBook(&Options{Choices: letters(3)})
	w.fill(b, 200, 2)
	o := b.o
	m := fit(&b.batch, o, nil, nil)
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
	for _, s := range []float64{3, 30, noBonus} {
		d := newDescent(known, s, -1, b.batch.Voters)
		for range 20 {
			d.run()
		}
		least := objective(d)
		for name, move := range map[string]func(*descent, float64){
			"scale": func(d *descent, x float64) { d.scale += x },
			"lapse": func(d *descent, x float64) { d.lapse *= 1 + x },
			"bonus": func(d *descent, x float64) { d.bonus[2] += x },
		} {
			for _, x := range []float64{-0.05, 0.05} {
				other := *d
				other.bonus = append([]float64(nil), d.bonus...)
				move(&other, x)
				if name == "bonus" && s >= noBonus {
					continue
				}
				if got := objective(&other); got < least {
					t.Errorf("%v: another %s has %v, the fit has %v", s, name, got, least)
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
	r := newDescent(known, noBonus, -1, 0).run().refit()
	p := append([]float64(nil), known[0].ev...)
	r.apply(votes{}, p)
	if math.Abs(p[0]-0.75) > 0.04 {
		t.Errorf("says %.3f where 0.75 are right", p[0])
	}
}

// herd returns outcomes of decisions in which four voters say the same and are right half of the time, and one is right
// nine times in ten; the evidence counts all five equally.
func herd(n int, seed uint64) []outcome {
	w := newWorld(seed, 2)
	known := make([]outcome, n)
	for i := range known {
		right, best, others := w.IntN(2), int32(w.IntN(2)), int32(w.IntN(2))
		if w.IntN(10) > 0 {
			best = int32(right)
		}
		ev := make([]float64, 2)
		said := []int32{best, others, others, others, others}
		for _, l := range said {
			ev[l] += 0.3
		}
		known[i] = outcome{votes{voter: []int32{0, 1, 2, 3, 4}, said: said, field: 2}, ev, right, i % folds}
	}
	return known
}

func TestRefitCorrectsVotersWhoFollowEachOther(t *testing.T) {
	known := herd(200, 34)
	if ridge := choose(known, 5); ridge >= noBonus {
		t.Errorf("chose %v, which leaves the evidence alone", ridge)
	}
	r := newDescent(known, choose(known, 5), -1, 5).run().refit()
	hits := 0
	for _, x := range herd(200, 35) {
		if r.apply(x.v, x.ev); best(x.ev) == x.right {
			hits++
		}
	}
	if hits < 165 {
		t.Errorf("right in %d of 200, the best voter in 180", hits)
	}
}

func TestRightEvidenceIsMostlyLeftAlone(t *testing.T) {
	alone := 0
	for seed := range uint64(10) {
		w := newWorld(seed, 2, even(7, 0.8, 0.8)...)
		known := make([]outcome, 100)
		for i := range known {
			ballots, right := w.decision(nil)
			v, ev := votes{field: 2}, make([]float64, 2)
			for x := range ballots.Votes() {
				l := int32(x.ProposalID[0] - 'a')
				v.voter, v.said = append(v.voter, int32(len(v.voter))), append(v.said, l)
				ev[l] += math.Log(0.8 / 0.2)
			}
			known[i] = outcome{v, ev, int(right[0] - 'a'), i % folds}
		}
		if choose(known, 7) == noBonus {
			alone++
		}
	}
	if alone < 7 {
		t.Errorf("evidence that is right is left alone in %d of 10 worlds", alone)
	}
}

func TestNoOutcomeIsUsedToPredictItself(t *testing.T) {
	w := newWorld(33, 2, even(5, 0.9, 0.5)...)
	b := newBook(&Options{Choices: letters(2)})
	w.fill(b, 80, 1)
	m := fit(&b.batch, b.o, nil, nil)
	at := make([]int, 80)
	for i := range at {
		at[i] = i
	}
	told := crossFit(&b.batch, b.o, m, at)
	for i := 0; i < len(at); i += folds { // the first fold
		b.batch.Known[i] = 1 - b.batch.Known[i]
	}
	for i, x := range crossFit(&b.batch, b.o, m, at) {
		if same := slices.Equal(x.ev, told[i].ev); same != (x.fold == 0) {
			t.Fatalf("outcome %d of fold %d: evidence %v, with other outcomes in fold 0 %v", i, x.fold, told[i].ev, x.ev)
		}
	}
}
