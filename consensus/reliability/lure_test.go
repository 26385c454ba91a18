package reliability

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// lured draws a decision with eight choices and four of the voters, in which all wrong voters say the same.
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
	m, confidence, hits, majority := b.Model(), 0.0, 0, 0
	for range 500 {
		ballots, truth := lured(w)
		d := Strategy{m}.Decide(ballots.Close())
		if confidence += d.Confidence; d.Leader() == truth {
			hits++
		}
		if (consensus.Voting{}).Decide(ballots).Leader() == truth {
			majority++
		}
	}
	if right := float64(hits) / 500; hits < majority+100 || confidence/500 > right+0.03 {
		t.Errorf("right in %.3f with a confidence of %.3f, majority in %.3f", right, confidence/500, float64(majority)/500)
	}
}
