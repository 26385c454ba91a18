package reliability_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// experts is a team of eighteen who always want to do it, which is right in three of four decisions, and of two who
// know. They are against the only proposal, or for a rival of it.
func experts(r *rand.Rand, rival bool) (b consensus.Ballots, right string) {
	right = "do"
	if r.IntN(4) == 0 {
		right = ""
		if rival {
			right = "wait"
		}
	}
	proposals, votes := []string{"do"}, []consensus.Vote(nil)
	if rival {
		proposals = append(proposals, "wait")
	}
	for j := range 20 {
		v := agree(fmt.Sprint("voter ", j), "do")
		if j >= 18 && right != "do" {
			if v.ProposalID = right; !rival {
				v.ProposalID, v.Stance = "do", consensus.Disagree
			}
		}
		votes = append(votes, v)
	}
	return closed(nil, proposals, votes), right
}

// Eighteen who are always of one mind are no eighteen witnesses: where the two sides differed, known outcomes say who
// was right.
func TestKnownOutcomesOverruleAClearMajority(t *testing.T) {
	t.Parallel()
	for _, rival := range []bool{false, true} {
		ledger, r := new(reliability.Ledger), rand.New(rand.NewPCG(1, 2))
		adopted, wrong, open := 0, 0, 0
		for i := range 120 {
			b, right := experts(r, rival)
			d := ledger.Strategy().Decide(b)
			switch {
			case i < 40:
			case right == "do" && d.Choice != "do":
				open++
			case right != "do" && d.Choice == "do":
				adopted++
			}
			if right != "do" && i >= 40 {
				wrong++
			}
			id := fmt.Sprint(i)
			if err := ledger.Observe(id, b); err != nil {
				t.Fatal(err)
			}
			if err := ledger.Resolve(id, right); err != nil {
				t.Fatal(err)
			}
		}
		if wrong < 10 || adopted > 0 || open > 0 {
			t.Errorf("rival %t: %d of %d wrong proposals adopted although all outcomes were known, %d right ones not", rival, adopted, wrong, open)
		}
	}
}

// A unanimous swarm that was wrong before is not taken for its opposite.
func TestUnopposedProposalsAreNotRejected(t *testing.T) {
	t.Parallel()
	for _, voters := range []int{2, 3, 17} {
		ledger := new(reliability.Ledger)
		var votes []consensus.Vote
		for j := range voters {
			votes = append(votes, agree(fmt.Sprint("voter ", j), "do"))
		}
		b := closed(nil, []string{"do"}, votes)
		for i := range 40 {
			if d := ledger.Strategy().Decide(b); d.Outcome == consensus.Rejected || voters >= 4 && d.Outcome != consensus.Reached {
				t.Fatalf("%d voters, decision %d: %v", voters, i, d)
			}
			id := fmt.Sprint(i)
			if err := ledger.Observe(id, b); err != nil {
				t.Fatal(err)
			}
			if i%10 == 9 {
				if err := ledger.Resolve(id, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
