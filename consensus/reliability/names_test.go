package reliability

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// lured is a decision of eight choices with four of the voters, in which all who are wrong say the same.
func lured(w *world) (consensus.Ballots, string) {
	truth := w.IntN(8)
	lure := (truth + 1 + w.IntN(7)) % 8
	var cast []consensus.Vote
	for _, j := range w.Perm(len(w.right))[:4] {
		said := truth
		if w.Float64() > w.right[j] {
			said = lure
		}
		cast = append(cast, vote(j, w.choices[said]))
	}
	b, err := consensus.NewBallots(nil, w.choices, cast)
	if err != nil {
		panic(err)
	}
	return b, w.choices[truth]
}

func TestAgreeingOnALureIsNoProof(t *testing.T) {
	w := newWorld(71, 8, .95, .95, .95, .95, .4, .4, .4, .4, .4, .4)
	b := newBook(&Options{Choices: w.choices})
	for i := range 300 {
		ballots, _ := lured(w)
		if err := b.Observe(fmt.Sprint(i), ballots); err != nil {
			t.Fatal(err)
		}
	}
	m, confidence, hits := b.Model(), 0.0, 0
	for range 500 {
		ballots, truth := lured(w)
		d := Strategy{m}.Decide(ballots.Close())
		if confidence += d.Confidence; d.Leader() == truth {
			hits++
		}
	}
	if right := float64(hits) / 500; right < 0.82 || confidence/500 > right+0.07 {
		t.Errorf("right in %.3f with a confidence of %.3f", right, confidence/500)
	}
}

func TestOneNamedChoiceMoreIsAllowedFor(t *testing.T) {
	m := newcomers(kind{choices: map[string]int32{"a": 0, "b": 1, "c": 2}}, Options{
		Choices: letters(3), Right: 1, Voter: 1, Class: 1, Pool: 1, Rows: 1, Weight: 1, Hard: 1, Pairs: 1, Residual: 0.2, MaxPairs: 9,
	}).grow(1)
	n := m.none(1)
	n.add(0)
	if got, want := m.instead(1, 0, n), m.Wrong[3]; got != want {
		t.Errorf("of a truth that nobody named, got %v, want %v", got, want)
	}
	n.add(1)
	if got := m.instead(1, 0, n); got <= m.Wrong[3]-1e-9 || got > 1e-9 {
		t.Errorf("of one named, got %v, want no more than certainty and no less than %v", got, m.Wrong[3])
	}
}
