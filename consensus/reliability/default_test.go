package reliability

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// remaining is a decision by a few voters, with those who may still vote.
type remaining struct {
	o         *consensus.Options
	proposals []string
	cast      []consensus.Vote
	left      consensus.Left
}

func (r *remaining) ballots(t *rapid.T, proposals []string, more []consensus.Vote) consensus.Ballots {
	b, err := consensus.NewBallots(r.o, proposals, append(slices.Clip(r.cast), more...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func drawRemaining(t *rapid.T) *remaining {
	n := rapid.IntRange(3, 7).Draw(t, "electorate")
	r := &remaining{o: &consensus.Options{Threshold: rapid.SampledFrom([]float64{0.5, 0.7}).Draw(t, "threshold")}}
	if rapid.Bool().Draw(t, "grouped") {
		r.o.Groups = map[string]string{"v0": "g", "v1": "g", "v2": "h", "v3": "h", "v4": "g", "v5": "g", "v6": "i"}
	}
	r.proposals = letters(rapid.IntRange(1, 2).Draw(t, "proposals"))
	mean := consensus.Stance(rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "mean"))
	for j := range n {
		name := fmt.Sprint("v", j)
		r.o.Electorate = append(r.o.Electorate, name)
		late := j >= n-2 && rapid.Bool().Draw(t, "late")
		if late {
			r.left.Voters = append(r.left.Voters, name)
		}
		if late && rapid.Bool().Draw(t, "silent") {
			continue
		}
		v := vote(j, rapid.SampledFrom(append(slices.Clone(r.proposals), "a")).Draw(t, "proposal"))
		v.Stance = rapid.SampledFrom([]consensus.Stance{mean, mean, mean, 1, 2}).Draw(t, "stance")
		v.Weight = rapid.SampledFrom([]float64{1, 1, 0.6}).Draw(t, "weight")
		r.cast = append(r.cast, v)
	}
	if r.left.Voters == nil {
		r.left.Voters = []string{}
	}
	r.left.Proposals = max(0, rapid.IntRange(-3, 1).Draw(t, "new"))
	return r
}

// futures returns the ways in which the voters could still vote: not at all, or for or against one or each proposal.
func futures(voters, proposals []string) [][]consensus.Vote {
	all := [][]consensus.Vote{nil}
	for _, name := range voters {
		for _, p := range proposals {
			var more [][]consensus.Vote
			for _, f := range all {
				more = append(more, f)
				for _, v := range []consensus.Vote{
					{Stance: consensus.Agree, Weight: 1},
					{Stance: consensus.Agree, Weight: 0.3},
					{Stance: consensus.Disagree, Weight: 1},
					{Stance: consensus.Disagree, Weight: 0.3},
					{Stance: consensus.Abstain},
				} {
					v.Seq, v.Voter, v.ProposalID = 9, name, p
					more = append(more, append(slices.Clip(f), v))
				}
			}
			all = more
		}
	}
	return all
}

// configurations returns the default strategy once one kind of decision has been learned, or both.
func configurations(t *testing.T) map[string]configuration {
	w := newWorld(91, 2, even(7, 0.95, 0.6)...)
	l := newLedger(t, nil)
	w.show(t, l, 60, 4)
	both := l.Strategy().(configuration)
	return map[string]configuration{
		"both kinds known": both, "several known": {several: both.several}, "one known": {one: both.one},
	}
}

func TestDefaultIsSettledOnlyIfNoRemainingVoteCanChangeIt(t *testing.T) {
	all := configurations(t)
	all["nothing known"] = configuration{}
	for name, s := range all {
		t.Run(name, func(t *testing.T) { checkSettled(t, s) })
	}
}

func checkSettled(t *testing.T, s consensus.Strategy) {
	settled := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			if r := drawRemaining(t); r.stands(t, s) && len(r.left.Voters) > 0 {
				settled++
			}
		}
	})
	if t.Logf("%d settled with somebody left", settled); settled == 0 {
		t.Error("nothing was ever settled while anybody was left")
	}
}

// stands reports whether a decision is settled, and tries everything that could still change it.
func (r *remaining) stands(t *rapid.T, s consensus.Strategy) bool {
	b := r.ballots(t, r.proposals, nil)
	d := s.Decide(b)
	if d.Outcome != consensus.Reached && d.Outcome != consensus.Rejected || !consensus.Settled(s, b, r.left) {
		return false
	}
	sets := [][]string{r.proposals}
	if r.left.Proposals > 0 {
		sets = append(sets, append(slices.Clone(r.proposals), "new"))
	}
	for _, proposals := range sets {
		for _, more := range futures(r.left.Voters, proposals) {
			if e := s.Decide(r.ballots(t, proposals, more)); e.Outcome != d.Outcome || e.Choice != d.Choice {
				t.Fatalf("%v is settled, but becomes %v with %+v left of %+v", d, e, more, r)
			}
		}
	}
	return true
}

// With a second proposal, another strategy would decide.
func TestDefaultIsNotSettledIfAnotherProposalMayCount(t *testing.T) {
	o := &consensus.Options{}
	var cast []consensus.Vote
	for j := range 8 {
		o.Electorate = append(o.Electorate, fmt.Sprint("v", j))
		if j < 7 {
			cast = append(cast, vote(j, "a"))
		}
	}
	for name, s := range configurations(t) {
		for _, c := range []struct {
			proposals int
			left      consensus.Left
			want      bool
		}{
			{1, consensus.Left{}, true},
			{1, consensus.Left{Proposals: 1}, false},
			{2, consensus.Left{}, false},
			{2, consensus.Left{Voters: []string{}}, true}, // nothing is left
		} {
			b, err := consensus.NewBallots(o, letters(c.proposals), cast)
			if err != nil {
				t.Fatal(err)
			}
			if d := s.Decide(b); d.Choice != "a" {
				t.Fatalf("%s: %v", name, d)
			}
			if got := consensus.Settled(s, b, c.left); got != c.want {
				t.Errorf("%s, %d proposals, %+v left: settled %v, want %v", name, c.proposals, c.left, got, c.want)
			}
		}
	}
}
