package consensus_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// camps has a vote for a from each of the first names, and one for b from each of the others.
func camps(t *testing.T, groups map[string]string, forA, forB []string) consensus.Ballots {
	t.Helper()
	var cast []consensus.Vote
	for i, voters := range [][]string{forA, forB} {
		for _, v := range voters {
			cast = append(cast, consensus.Vote{Voter: v, ProposalID: string(rune('a' + i)), Stance: consensus.Agree, Weight: 1})
		}
	}
	b, err := consensus.NewBallots(&consensus.Options{Groups: groups}, []string{"a", "b"}, cast)
	if err != nil {
		t.Fatal(err)
	}
	return b.Close()
}

// allFor has a vote for the only proposal, a, from each of the voters.
func allFor(t *testing.T, o *consensus.Options, voters ...string) consensus.Ballots {
	t.Helper()
	var cast []consensus.Vote
	for _, v := range voters {
		cast = append(cast, consensus.Vote{Voter: v, ProposalID: "a", Stance: consensus.Agree, Weight: 1})
	}
	b, err := consensus.NewBallots(o, []string{"a"}, cast)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var (
	clones   = []string{"c1", "c2", "c3", "c4"}
	ofModel  = map[string]string{"c1": "m", "c2": "m", "c3": "m", "c4": "m", "d": "n"}
	noVoters = consensus.Left{Voters: []string{}}
)

func TestAGroupThatSharesWeighsLessThanTwoVoters(t *testing.T) {
	for n := 1; n <= len(clones); n++ {
		b := camps(t, ofModel, clones[:n], []string{"d"}).WithGroupDiscount(nil, noVoters)
		d := consensus.ConfidenceWeighted{}.Decide(b)
		weight := float64(n) / (1 + 0.5*float64(n-1))
		if want := max(weight, 1) / (weight + 1); math.Abs(d.Support-want) > 1e-8 {
			t.Errorf("%d clones against another: support %v, want %v", n, d.Support, want)
		}
		if b.Voters() != n+1 {
			t.Errorf("%d voters, want %d", b.Voters(), n+1)
		}
	}
}

func TestVotersWithoutAGroupKeepTheirWeight(t *testing.T) {
	b := camps(t, ofModel, clones, []string{"d", "x", "y"})
	d := consensus.ConfidenceWeighted{}.Decide(b.WithGroupDiscount(nil, noVoters))
	if d.Leader() != "b" || math.Abs(d.Support-3/4.6) > 1e-8 {
		t.Errorf("%v, want three on their own to outweigh four clones", d)
	}
}

func TestOneGroupForAllVotersChangesNothing(t *testing.T) {
	one := map[string]string{"c1": "m", "c2": "m", "c3": "m", "c4": "m"}
	b := camps(t, one, clones, []string{"person"})
	got, want := consensus.ConfidenceWeighted{}.Decide(b.WithGroupDiscount(nil, noVoters)), consensus.ConfidenceWeighted{}.Decide(b)
	if !got.Equal(want) || want.Choice != "a" {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestGroupsCanBeNamedAnew(t *testing.T) {
	b := camps(t, ofModel, clones, []string{"d"})
	apart := b.WithGroupDiscount(func(voter, group string) string { return group + voter }, noVoters)
	got, want := consensus.ConfidenceWeighted{}.Decide(apart), consensus.ConfidenceWeighted{}.Decide(b)
	if !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLearnedEvidenceIsShared(t *testing.T) {
	rates := consensus.Rates{}
	for _, c := range clones {
		rates[c] = consensus.Reliability{Sensitivity: 0.7, Specificity: 0.7}
	}
	rates["d"] = consensus.Reliability{Sensitivity: 0.9, Specificity: 0.9}
	b := camps(t, ofModel, clones, []string{"d"}).WithReliabilities(rates)
	if d := (consensus.Bayesian{}).Decide(b); d.Leader() != "a" {
		t.Errorf("each on its own: %v", d)
	}
	if d := (consensus.Bayesian{}).Decide(b.WithGroupDiscount(nil, noVoters)); d.Leader() != "b" {
		t.Errorf("shared: %v", d)
	}
}

func TestGroupDiscountCountsVotersLeft(t *testing.T) {
	o := &consensus.Options{Groups: ofModel, Electorate: append([]string{"d", "e"}, clones...)}
	b := allFor(t, o, "c1", "d", "e")
	for _, c := range []struct {
		left   consensus.Left
		c1     float64
		stands bool
	}{
		{noVoters, 1, true},
		{consensus.Left{Voters: []string{"c2"}}, 1 / 1.5, true},                                                        // 2.667 of 3.333
		{consensus.Left{Voters: []string{"c2", "c3"}}, 0.5, true},                                                      // 2.5 of 3.5
		{consensus.Left{}, 0.4, false},                                                                                 // 2.4 of 3.6
		{consensus.Left{Voters: []string{"c2", "c3"}, Weights: map[string]float64{"c2": 0, "c3": 0.4}}, 1 / 1.2, true}, // 2.833 of 3.167
	} {
		shared := b.WithGroupDiscount(nil, c.left)
		for who := range shared.ByVoter() {
			if who.Name == "c1" && math.Abs(who.Share-c.c1) > 1e-12 {
				t.Errorf("with %+v left c1 counts %v, want %v", c.left, who.Share, c.c1)
			}
		}
		if got := consensus.Settled(consensus.ConfidenceWeighted{}, shared, c.left); got != c.stands {
			t.Errorf("with %+v left it is settled: %v, want %v", c.left, got, c.stands)
		}
	}
}

func TestALightGroupIsNotDiscounted(t *testing.T) {
	b, err := consensus.NewBallots(&consensus.Options{Groups: ofModel}, []string{"a"}, []consensus.Vote{
		{Voter: "c1", ProposalID: "a", Stance: consensus.Agree, Weight: 0.3},
		{Voter: "c2", ProposalID: "a", Stance: consensus.Abstain, Weight: 1},
		{Voter: "c3", ProposalID: "a", Stance: consensus.Disagree, Weight: 0.5},
	})
	if err != nil {
		t.Fatal(err)
	}
	for who := range b.WithGroupDiscount(nil, noVoters).ByVoter() {
		if who.Share != 1 {
			t.Errorf("%s counts %v, want 1", who.Name, who.Share)
		}
	}
}

func TestVotersLeftShareWithTheirWeightSoFar(t *testing.T) {
	o := &consensus.Options{Groups: ofModel, Threshold: 0.6, Electorate: append([]string{"d", "e"}, clones...)}
	left := consensus.Left{Voters: []string{"c2"}, Weights: map[string]float64{"c2": 0}}
	// 1.667 of 2.333 if c2 turns against it. Divided twice, its vote would count 0.444 and leave 1.667 of 2.111.
	for threshold, want := range map[float64]bool{0.71: true, 0.72: false} {
		o.Threshold = threshold
		b := allFor(t, o, "c1", "c2", "d")
		if got := consensus.Settled(consensus.ConfidenceWeighted{}, b.WithGroupDiscount(nil, left), left); got != want {
			t.Errorf("at a threshold of %v settled is %v, want %v", threshold, got, want)
		}
	}
}

// A voter with little weight may reduce the weight of its group, by voting or by not voting.
func TestLearnedEvidenceIsNotSettledInDiscountedGroups(t *testing.T) {
	rate := func(p float64) consensus.Reliability { return consensus.Reliability{Sensitivity: p, Specificity: p} }
	o := &consensus.Options{
		Groups: map[string]string{"strong": "g", "late": "g", "idle": "g"}, Correlation: consensus.Independent,
		Electorate:    []string{"strong", "late", "idle", "x", "y"},
		Reliabilities: consensus.Rates{"strong": rate(0.999), "late": rate(0.999), "idle": rate(0.5), "x": rate(0.999), "y": rate(0.89)},
	}
	o.Groups["x"] = "h"
	decide := func(more ...consensus.Vote) (consensus.Ballots, consensus.Decision) {
		b, err := consensus.NewBallots(o, []string{"a"}, append(more,
			consensus.Vote{Voter: "strong", ProposalID: "a", Stance: consensus.Disagree, Weight: 1},
			consensus.Vote{Voter: "x", ProposalID: "a", Stance: consensus.Agree, Weight: 1},
			consensus.Vote{Voter: "y", ProposalID: "a", Stance: consensus.Agree, Weight: 1}))
		if err != nil {
			t.Fatal(err)
		}
		return b, consensus.Bayesian{}.Decide(b.WithGroupDiscount(nil, noVoters))
	}
	against := func(voter string) consensus.Vote {
		return consensus.Vote{Voter: voter, ProposalID: "a", Stance: consensus.Disagree, Weight: 1}
	}
	b, now := decide()
	_, both := decide(against("late"), against("idle"))
	_, one := decide(against("late"))
	if now.Outcome != consensus.Reached || both.Outcome != consensus.Reached || one.Outcome == consensus.Reached {
		t.Fatalf("now %v, with both against it %v, with one %v", now, both, one)
	}
	left := consensus.Left{}
	if consensus.Settled(consensus.Bayesian{}, b.WithGroupDiscount(nil, left), left) {
		t.Error("it is settled")
	}
}

func ExampleBallots_WithGroupDiscount() {
	votes := []consensus.Vote{
		{Voter: "ada", ProposalID: "retry", Stance: consensus.Agree, Weight: 1},
		{Voter: "bob", ProposalID: "retry", Stance: consensus.Agree, Weight: 1},
		{Voter: "cyd", ProposalID: "retry", Stance: consensus.Agree, Weight: 1},
		{Voter: "dan", ProposalID: "fail", Stance: consensus.Agree, Weight: 1},
	}
	groups := map[string]string{"ada": "one model", "bob": "one model", "cyd": "one model", "dan": "another"}
	b, err := consensus.NewBallots(&consensus.Options{Groups: groups}, []string{"retry", "fail"}, votes)
	if err != nil {
		panic(err)
	}
	fmt.Println(consensus.ConfidenceWeighted{}.Decide(b).Support)
	fmt.Println(consensus.ConfidenceWeighted{}.Decide(b.WithGroupDiscount(nil, consensus.Left{})).Support)
	// Output:
	// 0.75
	// 0.6
}
