package consensus_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestSettledNeedsTheRemainingVoters(t *testing.T) {
	unknown := cast(t, nil, "a", "9* v agree a 1")
	known := cast(t, &consensus.Options{Electorate: []string{"v1", "v2", "v3", "v4"}}, "a", "3* v agree a 1", "stranger disagree a 1")
	noVoters := consensus.Left{Voters: []string{}}
	for _, tt := range []struct {
		name string
		b    consensus.Ballots
		left consensus.Left
		want bool
	}{
		{"anybody may come", unknown, consensus.Left{}, false},
		{"no voter may", unknown, noVoters, true},
		{"voting is closed", unknown.Close(), consensus.Left{}, true},
		{"one of four has not voted", known, consensus.Left{}, true},
		{"and one may change its mind", known, consensus.Left{Voters: []string{"v3", "v4"}}, false},
		{"strangers have no vote", known, consensus.Left{Voters: []string{"x", "y", "z"}}, true},
	} {
		if got := consensus.Settled(consensus.Voting{}, tt.b, tt.left); got != tt.want {
			t.Errorf("%s: settled %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := known.Missing(); !slices.Equal(got, []string{"v4"}) {
		t.Errorf("%q have not voted, want v4", got)
	}
	half := consensus.Left{Voters: []string{"v2"}, Weights: map[string]float64{"v2": 0.5}}
	two := cast(t, &consensus.Options{Threshold: 0.6, Electorate: []string{"v1", "v2"}}, "a", "v1 agree a 1", "v2 agree a 0.5")
	if !consensus.Settled(consensus.ConfidenceWeighted{}, two, half) {
		t.Error("a voter that may still change its vote is missing from the quorum")
	}
	custom := consensus.Func("custom", consensus.Voting{}.Decide)
	if consensus.Settled(custom, known, consensus.Left{}) || !consensus.Settled(custom, known, noVoters) {
		t.Error("a strategy of which nothing is known is settled when nothing is left, and only then")
	}
}

func TestCurtailingDecidesAsTheWholePollAndAsksFewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(consensus.Builtin()).Draw(t, "strategy")
		o := &consensus.Options{}
		n := rapid.IntRange(3, 12).Draw(t, "electorate")
		for i := range n {
			o.Electorate = append(o.Electorate, fmt.Sprint("v", i))
		}
		r, err := consensus.NewRound(s, o)
		if err != nil {
			t.Fatal(err)
		}
		r.Propose("a")
		r.Propose("b")
		var early consensus.Decision
		for _, voter := range o.Electorate {
			p := rapid.SampledFrom([]string{"a", "a", "a", "a", "b"}).Draw(t, "proposal")
			r.Vote(consensus.Vote{Voter: voter, ProposalID: p, Stance: consensus.Agree, Weight: float64(rapid.IntRange(5, 10).Draw(t, "weight")) / 10})
			if early.Outcome == 0 && consensus.Settled(s, r.Ballots(), consensus.Left{}) {
				early = r.Decision()
			}
		}
		if d := r.Decision(); early.Outcome != 0 && (d.Outcome != early.Outcome || d.Choice != early.Choice) {
			t.Errorf("%v, but it was settled as %v", d, early)
		}
	})
}

// The remaining chief cannot make the chiefs choose b, but can make them turn a
// down.
func TestARankThatMayTurnAChoiceDownUnsettlesIt(t *testing.T) {
	o := &consensus.Options{Ranks: map[string]int{"c1": 1, "c2": 1, "c3": 1}, Electorate: []string{"c1", "c2", "c3", "v1", "v2"}}
	b := cast(t, o, "a b", "c1 disagree a 0.6", "c1 disagree b 0.6", "c2 agree a 0.5", "2* v agree a 1")
	want(t, consensus.Hierarchical{}.Decide(b), consensus.Reached, "a")
	if consensus.Settled(consensus.Hierarchical{}, b, consensus.Left{}) {
		t.Error("settled, but c3 may still object")
	}
}

// fading knows of voters only while there is one proposal.
type fading struct{}

func (fading) Reliability(_ string, proposals int) (consensus.Reliability, bool) {
	if proposals > 1 {
		return consensus.Reliability{Sensitivity: 0.5, Specificity: 0.5}, true
	}
	return consensus.Reliability{Sensitivity: 0.9, Specificity: 0.9}, true
}

func TestAFutureProposalUnsettlesLearnedEvidence(t *testing.T) {
	o := &consensus.Options{Reliabilities: fading{}, Electorate: []string{"v1", "v2", "v3", "v4"}}
	b := cast(t, o, "a", "4* v agree a 1")
	all(t, func(t *testing.T, s consensus.Strategy) {
		want(t, s.Decide(b), consensus.Reached, "a")
		if !consensus.Settled(s, b, consensus.Left{}) || consensus.Settled(s, b, consensus.Left{Proposals: 1}) {
			t.Error("not settled without another proposal, or settled with one")
		}
	})
}

// settler answers with a fixed value.
type settler struct {
	consensus.Voting
	says  bool
	asked *consensus.Left
}

func (s settler) Settled(_ consensus.Ballots, left consensus.Left) bool {
	*s.asked = left
	return s.says
}

func TestSettlerIsCalledWhileVotesRemain(t *testing.T) {
	b := cast(t, &consensus.Options{Electorate: []string{"v1", "v2", "v3", "v4", "w"}}, "a", "4* v agree a 1")
	for _, says := range []bool{true, false} {
		var asked consensus.Left
		s := settler{says: says, asked: &asked}
		left := consensus.Left{Voters: []string{"w"}, Proposals: 2}
		if got := consensus.Settled(s, b, left); got != says || asked.Proposals != 2 || len(asked.Voters) != 1 {
			t.Errorf("settled %v, want %v, asked with %+v", got, says, asked)
		}
		if !consensus.Settled(s, b, consensus.Left{Voters: []string{}}) || !consensus.Settled(s, b.Close(), left) {
			t.Error("not settled with nothing left")
		}
	}
}

func TestWithReliabilitiesIsHowTheBallotsWouldHaveBeenBuilt(t *testing.T) {
	known := consensus.Rates{"v1": {Sensitivity: 0.95, Specificity: 0.6}, "v2": {Sensitivity: 0.5, Specificity: 0.5}}
	lines := []string{"3* v agree a 0.8", "w disagree a 1", "v1 agree c 1", "w agree b 0.5", "w agree b 0.25"}
	o := &consensus.Options{Electorate: []string{"v1", "v2", "w"}, Ranks: map[string]int{"w": 2}}
	plain := cast(t, o, "a b", lines...)
	o.Reliabilities = known
	want := cast(t, o, "a b", lines...)
	all(t, func(t *testing.T, s consensus.Strategy) {
		if got, want := s.Decide(plain.WithReliabilities(known).Close()), s.Decide(want.Close()); !got.Equal(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got, want := s.Decide(want.WithReliabilities(nil)), s.Decide(plain); !got.Equal(want) {
			t.Errorf("knowing nothing: got %v, want %v", got, want)
		}
	})
}

// Three newcomers outweigh one voter whose vote is worth more than theirs together: with it nothing is certain.
func TestAHierarchyIsNotSettledWhileTheEvidenceMayTurn(t *testing.T) {
	rate := func(p float64) consensus.Reliability { return consensus.Reliability{Sensitivity: p, Specificity: p} }
	o := &consensus.Options{
		Electorate:    []string{"v1", "v2", "v3", "expert"},
		Reliabilities: consensus.Rates{"v1": rate(0.6), "v2": rate(0.6), "v3": rate(0.6), "expert": rate(0.99)},
	}
	for _, c := range []struct {
		most, last string
		outcome    consensus.Outcome
	}{
		{"3* v agree a 1", "expert disagree a 1", consensus.Reached},
		{"3* v disagree a 1", "expert agree a 1", consensus.Rejected},
	} {
		b := cast(t, o, "a", c.most)
		now, then := consensus.Hierarchical{}.Decide(b), consensus.Hierarchical{}.Decide(cast(t, o, "a", c.most, c.last))
		if now.Outcome != c.outcome || then.Outcome != consensus.Uncertified {
			t.Fatalf("now %v, then %v", now, then)
		}
		if consensus.Settled(consensus.Hierarchical{}, b, consensus.Left{}) {
			t.Errorf("%v is settled", now)
		}
	}
}
