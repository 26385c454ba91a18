package reliability

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// yesSayers draws a decision on one proposal, which is right seven times in ten, by voters who recognize right
// proposals better than wrong ones.
func (w *world) yesSayers(n int) (consensus.Ballots, string) {
	right := ""
	if w.Float64() < 0.7 {
		right = "a"
	}
	var cast []consensus.Vote
	for j := range n {
		yes := w.Float64() < 0.72+0.05*float64(j)
		if right == "" {
			yes = w.Float64() > 0.3+0.12*float64(j)
		}
		v := vote(j, "a")
		if !yes {
			v.Stance = consensus.Disagree
		}
		cast = append(cast, v)
	}
	b, err := consensus.NewBallots(nil, []string{"a"}, cast)
	if err != nil {
		panic(err)
	}
	return b.Close(), right
}

// claims sums up decisions, in %; right is for those on one proposal.
type claims struct{ right, confidence, worth float64 }

func (c *claims) add(d consensus.Decision, right string, n int) {
	one := 100 / float64(n)
	c.confidence += d.Confidence * one
	if (d.Support > d.None) == (right != "") {
		c.right += one
	}
	switch said := d.Choice; {
	case !decided(d):
	case said == right:
		c.worth += one
	default:
		c.worth -= one * 7 / 3
	}
}

func TestConfidenceOnOneProposalIsCalibrated(t *testing.T) {
	measures(t)
	for _, every := range []int{0, 10, 1} {
		var learned, weight claims
		const draws, score = 8, 200
		for d := range draws {
			w, l := newWorld(uint64(1900+d), 2), newLedger(t, nil)
			for i := range 100 {
				b, right := w.yesSayers(5)
				if err := observe(l, fmt.Sprint(i), b, right, nth(i, every)); err != nil {
					t.Fatal(err)
				}
			}
			s := l.Strategy()
			for range score {
				b, right := w.yesSayers(5)
				learned.add(s.Decide(b), right, draws*score)
				weight.add(consensus.ConfidenceWeighted{}.Decide(b), right, draws*score)
			}
		}
		t.Logf("told every %d: learned %.1f, by weight %.1f", every, learned, weight)
		if learned.confidence < learned.right-4 || every > 0 && learned.worth < weight.worth {
			t.Errorf("told every %d: %.1f claimed, %.1f right, worth %.1f, by weight %.1f",
				every, learned.confidence, learned.right, learned.worth, weight.worth)
		}
	}
}
