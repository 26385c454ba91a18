package reliability_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// Two of seven dissent together in every decision. That may be chance in nine decisions, and is not in twelve.
func TestCopiesAreFoundInTenDecisions(t *testing.T) {
	l := new(reliability.Ledger)
	for i := range 12 {
		observe(t, l, "", said("a", "x", "b", "x", "c", "x", "d", "x", "e", "x", "f", "y", "g", "y"))
		want := 0
		if i >= 9 {
			want = 2
		}
		if got := several(l).Groups(); i != 9 && len(got) != want {
			t.Errorf("after %d decisions: %v", i+1, got)
		}
	}
}

// A copy adds nothing to what it copies, but for what the votes alone say.
func TestCopiesShareOneVote(t *testing.T) {
	r, l := rand.New(rand.NewPCG(4, 4)), new(reliability.Ledger)
	for range 200 {
		votes := []string{}
		for j := range 7 {
			x := "0"
			if r.Float64() < 0.2 {
				x = fmt.Sprint(r.IntN(3))
			}
			if j > 4 {
				x = votes[len(votes)-1] // says what the one before it says
			}
			votes = append(votes, fmt.Sprint("v", j), x)
		}
		observe(t, l, "", said(votes...))
	}
	m := several(l)
	three, _ := m.Probabilities(said("v0", "b", "v4", "a", "v5", "a", "v6", "a"))
	one, _ := m.Probabilities(said("v0", "b", "v4", "a"))
	if len(m.Groups()) != 3 || math.Abs(three[0]-one[0]) > 0.03 {
		t.Errorf("groups %v; three make %.3f of %.3f", m.Groups(), three[0], one[0])
	}
}

// One of five says yes to nearly everything: its no tells much, its yes hardly anything.
func TestAVoterHasARateForEachChoice(t *testing.T) {
	r, l := rand.New(rand.NewPCG(2, 1)), ledger(t, &reliability.Options{Choices: []string{"no", "yes"}})
	for range 200 {
		truth, votes := r.IntN(2), []string{}
		for j := range 5 {
			x := truth
			if j == 0 && r.Float64() < 0.7 {
				x = 1
			} else if j > 0 && r.Float64() < 0.2 {
				x = 1 - truth
			}
			votes = append(votes, fmt.Sprint("v", j), []string{"no", "yes"}[x])
		}
		observe(t, l, "", said(votes...))
	}
	no, _ := several(l).Probabilities(said("v0", "no"))
	yes, _ := several(l).Probabilities(said("v0", "yes"))
	if no[0] < 0.85 || math.Abs(yes[0]-0.59) > 0.1 { // it says yes in 0.7 of the decisions in which that is wrong
		t.Errorf("no makes it no by %.3f, yes makes it yes by %.3f", no[0], yes[0])
	}
}

// Half of the voters always agree, and the others are right no more often than by chance: no voter opposes another, but
// every decision rests on that half.
func TestDecisionsThatRestOnVotersWhoAlwaysAgreeAreDoubted(t *testing.T) {
	r, l := rand.New(rand.NewPCG(3, 3)), new(reliability.Ledger)
	for range 60 {
		truth, votes := r.IntN(3), []string{}
		for j := range 24 {
			x := truth
			if j >= 12 && r.Float64() < 0.6 {
				x = (truth + 1) % 3
			}
			votes = append(votes, fmt.Sprint("v", j), fmt.Sprint(x))
		}
		observe(t, l, "", said(votes...))
	}
	if reason, size := several(l).Doubt(); size < 0.1 || !strings.Contains(reason, "always agree") {
		t.Errorf("%q, %v", reason, size)
	}
}
