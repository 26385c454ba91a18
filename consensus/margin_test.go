package consensus_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// changed returns votes in which each of some voters is for another proposal, or for none, and against the choice.
func changed(votes []consensus.Vote, choice string, to map[string]string) (all []consensus.Vote) {
	weight := map[string]float64{}
	for _, v := range votes {
		if _, in := to[v.Voter]; !in {
			all = append(all, v)
		}
		weight[v.Voter] = max(weight[v.Voter], v.Weight)
	}
	for voter, rival := range to {
		all = append(all, consensus.Vote{Voter: voter, ProposalID: choice, Stance: consensus.Disagree, Weight: weight[voter]})
		if rival != "" {
			all = append(all, consensus.Vote{Voter: voter, ProposalID: rival, Stance: consensus.Agree, Weight: weight[voter]})
		}
	}
	return all
}

// fewest returns the size of the smallest set of voters who could make the decision fall, each by whatever it may vote
// for instead: all sets and all that they may vote for are tried.
func fewest(s consensus.Strategy, o *consensus.Options, proposals []string, votes []consensus.Vote) int {
	decide := func(votes []consensus.Vote) string {
		b, err := consensus.NewBallots(o, proposals, votes)
		if err != nil {
			panic(err)
		}
		return s.Decide(b.Close()).Choice
	}
	choice, rivals := decide(votes), []string{""}
	if choice == "" {
		return 0
	}
	for _, p := range proposals {
		if p != choice {
			rivals = append(rivals, p)
		}
	}
	for n := 1; n <= len(votes); n++ {
		var try func(from int, to map[string]string) bool
		try = func(from int, to map[string]string) bool {
			if len(to) == n {
				return decide(changed(votes, choice, to)) != choice
			}
			for i := from; i < len(votes); i++ {
				for _, rival := range rivals {
					to[votes[i].Voter] = rival
					if try(i+1, to) {
						return true
					}
					delete(to, votes[i].Voter)
				}
			}
			return false
		}
		if try(0, map[string]string{}) {
			return n
		}
	}
	return 0
}

// The smallest coalition is what trying every set of voters and everything that each may vote for instead finds.
func TestMarginIsThatOfAllCoalitions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom([]consensus.Strategy{consensus.Voting{}, consensus.ConfidenceWeighted{}, consensus.Bayesian{}}).Draw(t, "strategy")
		o := &consensus.Options{Threshold: rapid.SampledFrom([]float64{consensus.Plurality, 0.5, 0.7}).Draw(t, "threshold")}
		proposals := []string{"x", "y", "z"}[:rapid.IntRange(1, 3).Draw(t, "proposals")]
		var votes []consensus.Vote
		for i := range rapid.IntRange(1, 7).Draw(t, "voters") {
			votes = append(votes, consensus.Vote{
				Voter: fmt.Sprint("v", i), ProposalID: rapid.SampledFrom(proposals).Draw(t, "for"), Stance: consensus.Agree,
				Weight: float64(rapid.IntRange(1, 10).Draw(t, "weight")) / 10,
			})
		}
		b, err := consensus.NewBallots(o, proposals, votes)
		if err != nil {
			t.Fatal(err)
		}
		got, want := consensus.Margin(s, b), fewest(s, o, proposals, votes)
		if len(got) != want {
			t.Fatalf("%s: %v of %v makes it fall, want %d voters", s.Name(), got, votes, want)
		}
		if to := map[string]string{}; want > 0 {
			fallen := slices.ContainsFunc(append(slices.Clone(proposals), ""), func(rival string) bool {
				for _, voter := range got {
					to[voter] = rival
				}
				b, err := consensus.NewBallots(o, proposals, changed(votes, s.Decide(b.Close()).Choice, to))
				return err == nil && s.Decide(b.Close()).Choice != s.Decide(mustBallots(t, o, proposals, votes)).Choice
			})
			if !fallen {
				t.Fatalf("%s: %v of %v do not make it fall", s.Name(), got, votes)
			}
		}
	})
}

func mustBallots(t *rapid.T, o *consensus.Options, proposals []string, votes []consensus.Vote) consensus.Ballots {
	b, err := consensus.NewBallots(o, proposals, votes)
	if err != nil {
		t.Fatal(err)
	}
	return b.Close()
}

// Twelve voters are searched whole, more by weight.
func TestMarginNamesTheSmallestCoalition(t *testing.T) {
	t.Parallel()
	var votes []consensus.Vote
	for i := range 7 {
		p := "x"
		if i > 4 {
			p = "y"
		}
		votes = append(votes, consensus.Vote{Voter: fmt.Sprint("v", i), ProposalID: p, Stance: consensus.Agree, Weight: 1})
	}
	b, err := consensus.NewBallots(&consensus.Options{Threshold: consensus.Plurality}, []string{"x", "y"}, votes)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := consensus.Margin(consensus.Voting{}, b), []string{"v0", "v1"}; !slices.Equal(got, want) {
		t.Errorf("%v would make it fall, want %v", got, want)
	}
}
