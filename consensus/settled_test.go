package consensus_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// poll is a decision on which part of the electorate has voted.
type poll struct {
	options   consensus.Options
	proposals []string
	votes     []consensus.Vote
	left      consensus.Left
	open      []string // those of left, spelled out
}

func (p *poll) ballots(t *rapid.T, proposals []string, more []consensus.Vote) consensus.Ballots {
	b, err := consensus.NewBallots(&p.options, proposals, append(slices.Clip(p.votes), more...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawPoll draws a small electorate of which up to two may still vote, some of them again, and up to one
// proposal that may still be made.
func drawPoll(t *rapid.T) *poll {
	n := rapid.IntRange(2, 6).Draw(t, "electorate")
	p := &poll{proposals: []string{"a", "b"}[:rapid.IntRange(1, 2).Draw(t, "proposals")]}
	p.options.Threshold = rapid.SampledFrom([]float64{0.2, 0.4, 0.5, 0.6, 0.7, 0.75}).Draw(t, "threshold")
	p.options.Quorum = rapid.IntRange(1, 2).Draw(t, "quorum")
	p.options.Correlation = rapid.SampledFrom([]float64{0, consensus.Independent, 1}).Draw(t, "correlation")
	if rapid.Bool().Draw(t, "ranked") {
		p.options.Ranks = map[string]int{"v0": 1, "v1": 1, "v4": 1, "v2": -1, "v5": -1}
	}
	mean := rapid.SampledFrom([]consensus.Stance{consensus.Agree, consensus.Agree, consensus.Disagree}).Draw(t, "mean")
	for i := range n {
		voter := fmt.Sprint("v", i)
		p.options.Electorate = append(p.options.Electorate, voter)
		late := n-i <= 2 && rapid.IntRange(0, 2).Draw(t, "late") > 0
		if late {
			p.open = append(p.open, voter)
		}
		if !late || rapid.Bool().Draw(t, "changes") {
			p.cast(t, voter, mean)
		}
	}
	p.left.Voters = slices.Concat([]string{}, p.open)
	if rapid.Bool().Draw(t, "weighed") {
		p.left.Weights = map[string]float64{"v3": 0.5, "v2": 0.5, "v1": 1}
	}
	p.left.Proposals = max(0, rapid.IntRange(-2, 1).Draw(t, "new"))
	return p
}

func (p *poll) cast(t *rapid.T, voter string, mean consensus.Stance) {
	for _, id := range append(slices.Clip(p.proposals[1:]), "unknown") {
		if rapid.IntRange(0, 3).Draw(t, "also") == 0 {
			stance := consensus.Stance(rapid.IntRange(1, 3).Draw(t, "stance"))
			p.votes = append(p.votes, consensus.Vote{Voter: voter, ProposalID: id, Stance: stance, Weight: 0.5})
		}
	}
	p.votes = append(p.votes, consensus.Vote{
		Seq: 1, Voter: voter, ProposalID: "a", Stance: rapid.SampledFrom([]consensus.Stance{mean, mean, mean, 2, 3}).Draw(t, "stance"),
		Weight: float64(rapid.SampledFrom([]int{0, 5, 10, 10}).Draw(t, "weight")) / 10,
	})
}

// standsBruteForce tries every way in which the remaining voters could vote: not at all, or for or against
// each proposal, with little or full weight.
func (p *poll) standsBruteForce(t *rapid.T, s consensus.Strategy) bool {
	d := s.Decide(p.ballots(t, p.proposals, nil))
	sets := [][]string{p.proposals}
	if p.left.Proposals > 0 {
		sets = append(sets, append(slices.Clip(p.proposals), "new"), append(slices.Clip(p.proposals), "unknown"))
	}
	for _, proposals := range sets {
		var acts [][]consensus.Vote
		for _, voter := range p.open {
			acts = p.combine(acts, p.ways(voter, proposals))
		}
		for _, votes := range append(acts, nil) {
			e := s.Decide(p.ballots(t, proposals, votes))
			if e.Outcome != d.Outcome || e.Choice != d.Choice {
				return false
			}
		}
	}
	return true
}

func (p *poll) combine(acts, ways [][]consensus.Vote) [][]consensus.Vote {
	if acts == nil {
		return ways
	}
	var all [][]consensus.Vote
	for _, a := range acts {
		for _, w := range ways {
			all = append(all, append(slices.Clip(a), w...))
		}
	}
	return all
}

// ways are the votes one voter could cast.
func (p *poll) ways(voter string, proposals []string) [][]consensus.Vote {
	most, ok := p.left.Weights[voter]
	if !ok {
		most = 1
	}
	for _, v := range p.votes {
		if v.Voter == voter && v.ProposalID != "unknown" {
			most = max(most, v.Weight)
		}
	}
	ways := [][]consensus.Vote{nil}
	for _, id := range proposals {
		var one [][]consensus.Vote
		for _, s := range []consensus.Stance{consensus.Agree, consensus.Disagree} {
			for _, w := range []float64{most, 0.3 * most} {
				one = append(one, []consensus.Vote{{Seq: 9, Voter: voter, ProposalID: id, Stance: s, Weight: w}})
			}
		}
		if len(proposals) < 3 {
			one = append(one, []consensus.Vote{{Seq: 9, Voter: voter, ProposalID: id, Stance: consensus.Abstain}})
		} else {
			one = slices.Delete(one, 1, 2)
		}
		ways = p.combine(ways, append(one, nil))
	}
	return ways
}

// settledCount counts how often a decision stands by Settled and by brute
// force.
type settledCount struct{ polls, settled, stands int }

func (n *settledCount) count(settled, stands bool) {
	n.polls++
	if settled {
		n.settled++
	}
	if stands {
		n.stands++
	}
}

// waits reports whether there is a vote on a proposal that may still be made.
func (p *poll) waits() bool {
	return p.left.Proposals > 0 && slices.ContainsFunc(p.votes, func(v consensus.Vote) bool { return v.ProposalID == "unknown" })
}

func checkSettled(t *rapid.T, s consensus.Strategy, p *poll, exact bool, n *settledCount) {
	b := p.ballots(t, p.proposals, nil)
	d := s.Decide(b)
	got := consensus.Settled(s, b, p.left)
	if d.Outcome != consensus.Reached && d.Outcome != consensus.Rejected {
		if got && (!d.Final() || len(p.open) > 0) {
			t.Fatalf("%v is settled", d)
		}
		return
	}
	stands := p.standsBruteForce(t, s)
	if p.waits() {
		exact = false // its voter is treated as one who may still vote, which is safe
	} else {
		n.count(got, stands)
	}
	if got && !stands || exact && stands && !got {
		t.Fatalf("settled %v, brute force says %v\n%v\n%+v\nvotes %+v", got, stands, d, p, slices.Collect(b.Votes()))
	}
}

func TestNoRemainingVoteChangesASettledDecision(t *testing.T) {
	for _, tt := range []struct {
		s     consensus.Strategy
		exact bool
		tight float64 // the share of standing decisions that Settled must find
	}{
		{consensus.Voting{}, true, 1},
		{consensus.ConfidenceWeighted{}, true, 1},
		{consensus.Hierarchical{}, true, 1},
		{consensus.Bayesian{}, false, 0.99},
	} {
		t.Run(tt.s.Name(), func(t *testing.T) {
			var n settledCount
			rapid.Check(t, func(t *rapid.T) {
				for range 4 {
					checkSettled(t, tt.s, drawPoll(t), tt.exact, &n)
				}
			})
			t.Logf("%d polls, %d settled of %d that stand", n.polls, n.settled, n.stands)
			if n.stands < 10 || float64(n.settled) < tt.tight*float64(n.stands)-2 {
				t.Errorf("%d settled of %d that stand", n.settled, n.stands)
			}
		})
	}
}

func TestSettledIsSafeWithLearnedReliabilities(t *testing.T) {
	for _, s := range consensus.Builtin() {
		t.Run(s.Name(), func(t *testing.T) {
			var n settledCount
			rapid.Check(t, func(t *rapid.T) {
				for range 4 {
					p := drawPoll(t)
					p.options.Reliabilities = drawRates(t)
					_, exact := s.(consensus.Voting)
					checkSettled(t, s, p, exact && p.left.Proposals == 0, &n)
				}
			})
			t.Logf("%d polls, %d settled of %d that stand", n.polls, n.settled, n.stands)
		})
	}
}
