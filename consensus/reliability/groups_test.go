package reliability_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// Five copies of one model against five agents of another who err apart: whichever group is looked at first, the copies
// are half of the voters, and agreement shows what they think.
func TestOneOfTwoGroupsOfHalfTheVotersIsEnoughNotToLearn(t *testing.T) {
	o := &consensus.Options{Groups: map[string]string{}}
	for j := range 10 {
		o.Groups[fmt.Sprint("voter ", j)] = []string{"copies", "apart"}[j/5]
	}
	proposals := []string{"a", "b", "c"}
	r := rand.New(rand.NewPCG(1, 6))
	var all []consensus.Ballots
	for range 30 {
		copied := proposals[r.IntN(3)]
		var votes []consensus.Vote
		for j := range 10 {
			said := copied
			if j >= 5 {
				said = proposals[r.IntN(3)]
			}
			votes = append(votes, agree(fmt.Sprint("voter ", j), said))
		}
		all = append(all, closed(o, proposals, votes))
	}
	for range 20 {
		l := new(reliability.Ledger)
		for _, b := range all {
			observe(t, l, "", b)
		}
		if d := l.Strategy().Decide(all[0]); d.Learned || !strings.Contains(d.Note, "one group") {
			t.Fatalf("%v: %s", d, d.Note)
		}
	}
}
