package consensus_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

func drawVotes(t *rapid.T) []consensus.Vote {
	return rapid.SliceOf(rapid.Custom(drawVote)).Draw(t, "votes")
}

func TestClonesThatCollapseDecideNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		votes, groups := drawVotes(t), map[string]string{}
		cloned := slices.Clone(votes)
		for i := range rapid.IntRange(1, 5).Draw(t, "clones") {
			clone := fmt.Sprint("v0 clone ", i)
			groups["v0"], groups[clone] = "g", "g"
			for _, v := range votes {
				if v.Voter == "v0" {
					v.Voter = clone
					cloned = append(cloned, v)
				}
			}
		}
		cloned = rapid.Permutation(cloned).Draw(t, "order")
		o, proposals := drawOptions(t), drawProposals(t)
		for _, s := range consensus.Builtin() {
			b, err := consensus.NewBallots(o, proposals, consensus.Collapse(votes, nil))
			if err != nil {
				t.Fatal(err)
			}
			c, err := consensus.NewBallots(o, proposals, consensus.Collapse(cloned, groups))
			if err != nil {
				t.Fatal(err)
			}
			if d, e := s.Decide(b), s.Decide(c); !d.Equal(e) {
				t.Fatalf("with clones %v, without %v", e, d)
			}
		}
	})
}

func TestCollapsingAgainOrInAnotherOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		votes, groups := drawVotes(t), drawGroups(t)
		once := consensus.Collapse(votes, groups)
		if diff := cmp.Diff(once, consensus.Collapse(once, groups)); diff != "" {
			t.Errorf("collapsed again:\n%s", diff)
		}
		if diff := cmp.Diff(once, consensus.Collapse(rapid.Permutation(votes).Draw(t, "order"), groups)); diff != "" {
			t.Errorf("shuffled:\n%s", diff)
		}
		voices := map[string]bool{}
		for _, v := range once {
			g, ok := groups[v.Voter]
			if key := fmt.Sprint(ok, g, v.ProposalID); ok && voices[key] {
				t.Errorf("group %s has two votes on %s", g, v.ProposalID)
			} else {
				voices[key] = true
			}
			if err := v.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestAGroupSpeaksWithItsMeanPosition(t *testing.T) {
	groups := map[string]string{"a": "g", "b": "g", "c": "g"}
	for _, tt := range []struct {
		votes []string
		want  string
	}{
		{[]string{"a agree p 1", "b agree p 0.5"}, "a agree 0.75"},
		{[]string{"b agree p 1", "c agree p 0.5"}, "b agree 0.75"},
		{[]string{"a agree p 1", "b disagree p 0.5"}, "a agree 0.25"},
		{[]string{"a agree p 0.2", "b disagree p 0.8", "c disagree p 0.6"}, "a disagree 0.4"},
		{[]string{"a agree p 1", "b disagree p 1"}, "a abstain 0"},
		{[]string{"a agree p 1", "b abstain p 1", "c abstain p 1"}, "a agree 1"},
		{[]string{"a abstain p 0.3", "b abstain p 1"}, "a abstain 0.3"},
		{[]string{"a agree p 1", "a disagree p 1", "b disagree p 1"}, "a disagree 1"},
	} {
		var votes []consensus.Vote
		for i, line := range tt.votes {
			votes = append(votes, parseVote(t, i+1, line))
		}
		got := consensus.Collapse(votes, groups)
		if len(got) != 1 || fmt.Sprint(got[0].Voter, " ", got[0].Stance, " ", got[0].Weight) != tt.want || got[0].Seq != uint64(len(tt.votes)) {
			t.Errorf("%v: got %+v, want %s", tt.votes, got, tt.want)
		}
	}
}

func TestDuplicatesAreLinkedOverAnyNumberOfSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "voters")
		var voters []string
		links := map[string]bool{}
		for i := range n {
			voters = append(voters, fmt.Sprint("v", i))
			for j := range i {
				if rapid.IntRange(0, 4).Draw(t, "link") == 0 {
					links[fmt.Sprint("v", j, "v", i)] = true
				}
			}
		}
		linked := func(a, b string) bool { return links[min(a, b)+max(a, b)] }
		correlation := func(a, b string) float64 {
			if linked(a, b) {
				return 0.9
			}
			return 0.89
		}
		got := consensus.Duplicates(rapid.Permutation(voters).Draw(t, "order"), 0.9, correlation)
		want := map[string]string{}
		for _, v := range voters {
			if all := reachable(voters, v, linked); len(all) > 1 {
				want[v] = slices.Min(all)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("links %v:\n%s", links, diff)
		}
	})
}

// reachable walks from voter to voter.
func reachable(voters []string, from string, linked func(a, b string) bool) []string {
	all := []string{from}
	for i := 0; i < len(all); i++ {
		for _, v := range voters {
			if linked(all[i], v) && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

func ExampleCollapse() {
	var votes []consensus.Vote
	for _, voter := range []string{"gpt-1", "gpt-2", "gpt-3", "ada", "bob"} {
		v := consensus.Vote{Seq: uint64(len(votes)), Voter: voter, ProposalID: "ship", Stance: consensus.Disagree, Weight: 1}
		if len(votes) < 3 {
			v.Stance = consensus.Agree
		}
		votes = append(votes, v)
	}
	agreement := map[string]float64{"gpt-1gpt-2": 0.97, "gpt-2gpt-3": 0.95, "gpt-1gpt-3": 0.91, "adabob": 0.3}
	groups := consensus.Duplicates([]string{"gpt-1", "gpt-2", "gpt-3", "ada", "bob"}, 0.9, func(a, b string) float64 {
		return agreement[a+b]
	})
	for _, v := range consensus.Collapse(votes, groups) {
		fmt.Println(v.Voter, v.Stance)
	}
	// Output:
	// gpt-1 agree
	// ada disagree
	// bob disagree
}

func BenchmarkCollapse(b *testing.B) {
	var votes []consensus.Vote
	groups := map[string]string{}
	for i := range 10_000 {
		v := consensus.Vote{Voter: fmt.Sprint("v", i), ProposalID: fmt.Sprint("p", i%5), Stance: consensus.Agree, Weight: 0.5}
		groups[v.Voter] = fmt.Sprint(i % 100)
		votes = append(votes, v)
	}
	for b.Loop() {
		consensus.Collapse(votes, groups)
	}
}

// The text of a group's vote is that of the member nearest to its mean.
func TestAGroupSpeaksInTheWordsNearestToItsMean(t *testing.T) {
	groups := map[string]string{"a": "g", "b": "g", "c": "g"}
	for _, sign := range []consensus.Stance{consensus.Agree, consensus.Disagree} {
		var votes []consensus.Vote
		for voter, weight := range map[string]float64{"a": 0.9, "b": 0.8, "c": 0.1} { // 0.6 on average
			votes = append(votes, consensus.Vote{Voter: voter, ProposalID: "p", Stance: sign, Weight: weight, Reasoning: voter})
		}
		if got := consensus.Collapse(votes, groups); len(got) != 1 || got[0].Reasoning != "b" {
			t.Errorf("%v: got %+v, want the reason of b", sign, got)
		}
	}
}
