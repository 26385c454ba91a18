package reliability

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// saidBy returns a closed decision between four proposals with the given votes.
func saidBy(t *testing.T, cast ...consensus.Vote) consensus.Ballots {
	t.Helper()
	return between(t, letters(4), cast...)
}

func between(t *testing.T, proposals []string, cast ...consensus.Vote) consensus.Ballots {
	t.Helper()
	b, err := consensus.NewBallots(nil, proposals, cast)
	if err != nil {
		t.Fatal(err)
	}
	return b.Close()
}

func TestSingleVotesTeachNothingUntilTheOutcomeIsKnown(t *testing.T) {
	w, l := newWorld(2100, 4), newLedger(t, nil)
	show := func(n int, right string) {
		for i := range n {
			b := saidBy(t, vote(i%3, w.choices[w.IntN(4)]))
			if err := observe(l, fmt.Sprint(right, l.Len()), b, right, right != ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	show(200, "")
	m, _ := l.Models()
	s := l.Strategy()
	newcomer := s.Decide(saidBy(t, vote(9, "a")))
	for j := range 3 {
		r, _ := m.Reliability(fmt.Sprint("v", j), 4)
		if want := sigma(1); math.Abs(r.Sensitivity-want) > 1e-9 {
			t.Errorf("v%d is held to be right in %.3f, want %.3f as a newcomer", j, r.Sensitivity, want)
		}
		if d := s.Decide(saidBy(t, vote(j, "a"))); d.Confidence > newcomer.Confidence {
			t.Errorf("v%d alone claims %.3f, a newcomer %.3f", j, d.Confidence, newcomer.Confidence)
		}
	}
	show(100, "e") // wrong each time
	m, _ = l.Models()
	if r, _ := m.Reliability("v0", 4); r.Sensitivity > 0.3 {
		t.Errorf("v0 was wrong in 33 of 33 told and is held to be right in %.2f", r.Sensitivity)
	}
}

func TestUndisputedProposalsSayLittleAboutDisputedOnes(t *testing.T) {
	measures(t)
	for _, every := range []int{0, 10} {
		right, confidence := 0.0, 0.0
		const draws, score = 8, 150
		for d := range draws {
			w, l := newWorld(uint64(2200+d), 3, 0.6, 0.55, 0.65, 0.6, 0.5), newLedger(t, nil)
			show := func(b consensus.Ballots, right string) {
				n := l.Len()
				if err := observe(l, fmt.Sprint(n), b, right, nth(n+1, every)); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 1200 {
				if i%20 == 0 {
					show(w.decision(nil))
					continue
				}
				var cast []consensus.Vote
				for j := range w.right {
					if v := vote(j, "a"); w.Float64() < 0.98 {
						cast = append(cast, v)
					} else {
						v.Stance = consensus.Disagree
						cast = append(cast, v)
					}
				}
				show(saidBy(t, cast...), "a")
			}
			r, c := w.score(l.Strategy(), score)
			right, confidence = right+100*r/draws, confidence+100*c/draws
		}
		t.Logf("told every %d: %.1f claimed, %.1f right", every, confidence, right)
		if confidence > right+6 {
			t.Errorf("told every %d: %.1f claimed, %.1f right", every, confidence, right)
		}
	}
}

func TestOrderDoesNotMatterIfMostDecisionsHaveOneProposal(t *testing.T) {
	w := newWorld(2300, 3, even(4, 0.8, 0.5)...)
	var all []consensus.Ballots
	for i := range 150 {
		if i%6 == 0 {
			b, _ := w.decision(nil)
			all = append(all, b)
			continue
		}
		var cast []consensus.Vote
		for j := range 4 {
			if w.IntN(3) > 0 {
				cast = append(cast, vote(j, "a"))
			}
		}
		all = append(all, saidBy(t, cast...))
	}
	learn := func() *Model {
		b := newBook(nil)
		for _, x := range all {
			if err := b.Observe("", x); err != nil {
				t.Fatal(err)
			}
		}
		return b.Learn()
	}
	first := learn()
	w.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	second := learn()
	for j := range 4 {
		name := fmt.Sprint("v", j)
		a, _ := first.Reliability(name, 3)
		b, _ := second.Reliability(name, 3)
		if math.Abs(a.Sensitivity-b.Sensitivity) > 1e-9 {
			t.Errorf("%s is held to be right in %v, and in %v in another order", name, a.Sensitivity, b.Sensitivity)
		}
	}
}

func TestSamplesAreTakenAtEqualDistancesFromTheMiddle(t *testing.T) {
	from := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for n, want := range map[int][]int{2: {2, 7}, 5: {1, 3, 5, 7, 9}, 10: from, 20: from} {
		if got := sample(from, n); !slices.Equal(got, want) {
			t.Errorf("%d of ten are %v, want %v", n, got, want)
		}
	}
}
