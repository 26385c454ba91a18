package consensus_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// parseVote reads "voter stance proposal weight".
func parseVote(t testing.TB, seq int, line string) consensus.Vote {
	t.Helper()
	v := consensus.Vote{Seq: uint64(seq)}
	var stance string
	if _, err := fmt.Sscan(line, &v.Voter, &stance, &v.ProposalID, &v.Weight); err != nil {
		t.Fatalf("vote %q: %v", line, err)
	}
	if err := v.Stance.UnmarshalText([]byte(stance)); err != nil {
		t.Fatalf("vote %q: %v", line, err)
	}
	return v
}

// cast builds ballots; a line "3* w agree b 1" is cast by w1, w2 and w3.
func cast(t testing.TB, o *consensus.Options, proposals string, lines ...string) consensus.Ballots {
	t.Helper()
	var votes []consensus.Vote
	for _, line := range lines {
		n := 0
		if _, err := fmt.Sscanf(line, "%d*", &n); err != nil {
			votes = append(votes, parseVote(t, len(votes)+1, line))
			continue
		}
		_, rest, _ := strings.Cut(line, "* ")
		for i := range n {
			v := parseVote(t, len(votes)+1, rest)
			v.Voter = fmt.Sprint(v.Voter, i+1)
			votes = append(votes, v)
		}
	}
	b, err := consensus.NewBallots(o, strings.Fields(proposals), votes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// all runs a check on each of the five strategies.
func all(t *testing.T, check func(*testing.T, consensus.Strategy)) {
	for _, s := range consensus.Builtin() {
		t.Run(s.Name(), func(t *testing.T) { check(t, s) })
	}
}

func want(t *testing.T, d consensus.Decision, outcome consensus.Outcome, choice string) {
	t.Helper()
	if d.Outcome != outcome || d.Choice != choice {
		t.Errorf("got %v, want %v %q", d, outcome, choice)
	}
}

func TestEverybodyRejectsTheOnlyProposal(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		b := cast(t, nil, "a", "3* v disagree a 0.9")
		for _, b := range []consensus.Ballots{b, b.Close()} {
			d := s.Decide(b)
			want(t, d, consensus.Rejected, "")
			if d.Confidence < 0.8 || d.Leaders != nil {
				t.Errorf("confidence %v, leaders %q in %v", d.Confidence, d.Leaders, d)
			}
		}
	})
}

func TestAProposalWithoutVotesDoesNotWinByTheRejectionOfAnother(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		b := cast(t, nil, "a b", "5* v disagree a 1")
		want(t, s.Decide(b), consensus.Pending, "")
		want(t, s.Decide(b.Close()), consensus.Deadlocked, "")
		if d := s.Decide(b); d.Leaders != nil {
			t.Errorf("%q leads, but no voter agrees with anything", d.Leaders)
		}
	})
}

func TestNineOfTenBeatOneOfOne(t *testing.T) {
	support := map[string]float64{"voting": 9.0 / 11, "confidence-weighted": 9.0 / 11, "hierarchical": 9.0 / 11}
	all(t, func(t *testing.T, s consensus.Strategy) {
		d := s.Decide(cast(t, nil, "few many", "v agree few 1", "9* w agree many 1", "x disagree many 1"))
		if d.Leader() != "many" {
			t.Errorf("%q leads in %v", d.Leaders, d)
		}
		if want, ok := support[s.Name()]; ok && (d.Support != want || d.Choice != "many") {
			t.Errorf("support %v, want %v, in %v", d.Support, want, d)
		}
	})
}

func TestAVoterWhoVotesFiveTimesCountsOnce(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		five := []string{"v agree a 1", "v agree a 1", "v agree a 1", "v agree a 1", "v agree a 1"}
		d := s.Decide(cast(t, nil, "a b", five...))
		want(t, d, consensus.Pending, "")
		if d.Voters != 1 {
			t.Errorf("%d voters, want 1", d.Voters)
		}
		want := []consensus.Uncounted{{Voter: "v", ProposalID: "a", Cause: consensus.Superseded, Votes: 4}}
		if got := d.Uncounted(); !slices.Equal(got, want) {
			t.Errorf("not counted: %v, want %v", got, want)
		}
		d = s.Decide(cast(t, nil, "a b", append(five, "2* w agree b 1")...))
		if d.Leader() != "b" {
			t.Errorf("%q leads, want the two for b", d.Leaders)
		}
	})
}

func TestWeightsOutOfRangeAreRefusedAndNothingElse(t *testing.T) {
	good := consensus.Vote{Seq: 1, Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1}
	other := consensus.Vote{Seq: 2, Voter: "w", ProposalID: "a", Stance: consensus.Agree, Weight: 1}
	for _, weight := range []float64{9, -1, -1e-9, 1.0000001, math.NaN(), math.Inf(1), math.Inf(-1)} {
		t.Run(fmt.Sprint(weight), func(t *testing.T) {
			bad := consensus.Vote{Seq: 3, Voter: "x", ProposalID: "a", Stance: consensus.Disagree, Weight: weight}
			b, err := consensus.NewBallots(nil, []string{"a"}, []consensus.Vote{good, bad, other})
			var fe *consensus.FieldError
			if !errors.As(err, &fe) || fe.Field != "weight" {
				t.Fatalf("error %v, want a FieldError for weight", err)
			}
			if got, ok := fe.Value.(float64); !ok || got != weight && !math.IsNaN(weight) {
				t.Errorf("value %v, want %v", fe.Value, weight)
			}
			all(t, func(t *testing.T, s consensus.Strategy) { want(t, s.Decide(b), consensus.Reached, "a") })
		})
	}
}

func TestARefusedProposalDoesNotAffectTheRest(t *testing.T) {
	votes := []consensus.Vote{{Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1}}
	b, err := consensus.NewBallots(nil, []string{"", "a"}, votes)
	var fe *consensus.FieldError
	if !errors.As(err, &fe) || fe.Field != "proposalId" {
		t.Errorf("error %v, want a FieldError for proposal", err)
	}
	if got := b.Proposals(); !slices.Equal(got, []string{"a"}) || b.Voters() != 1 {
		t.Errorf("proposals %q, %d voters", got, b.Voters())
	}
}

func TestVotesOnUnknownProposalsDoNotCountAndAreReported(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		d := s.Decide(cast(t, nil, "a", "v agree a 1", "9* w agree z 1"))
		want(t, d, consensus.Pending, "")
		if n := len(d.Uncounted()); n != 9 || d.Uncounted()[0].Cause != consensus.UnknownProposal {
			t.Errorf("not counted: %v, want the nine votes on z", d.Uncounted())
		}
		want(t, s.Decide(cast(t, nil, "a", "2* v agree a 1", "9* w disagree z 1")), consensus.Reached, "a")
	})
}

func TestQuorumCountsVotersOfAllRanks(t *testing.T) {
	o := &consensus.Options{Ranks: map[string]int{"chief": 1}, Quorum: 3}
	all(t, func(t *testing.T, s consensus.Strategy) {
		want(t, s.Decide(cast(t, o, "a", "chief agree a 1")), consensus.Pending, "")
		want(t, s.Decide(cast(t, o, "a", "chief agree a 1", "v agree a 1").Close()), consensus.Deadlocked, "")
		want(t, s.Decide(cast(t, o, "a", "chief agree a 1", "2* v abstain a 1")), consensus.Reached, "a")
	})
}

func TestAHigherRankRejectsAtTheThreshold(t *testing.T) {
	o := &consensus.Options{Ranks: map[string]int{"chief": 1, "deputy": 1}}
	for weight, outcome := range map[string]consensus.Outcome{"0.3": consensus.Rejected, "0.31": consensus.Reached} {
		b := cast(t, o, "a", "chief disagree a 0.7", "deputy agree a "+weight, "5* v agree a 1")
		if d := (consensus.Hierarchical{}).Decide(b); d.Outcome != outcome {
			t.Errorf("0.7 against and %s for: %v, want %v", weight, d, outcome)
		}
	}
}

func TestAVoterCannotRaiseItselfByItsWeight(t *testing.T) {
	o := &consensus.Options{Ranks: map[string]int{"chief": 1}}
	d := consensus.Hierarchical{}.Decide(cast(t, o, "a b", "chief agree a 0.1", "5* v agree b 1"))
	want(t, d, consensus.Reached, "a")
	if d.Confidence > 0.5 {
		t.Errorf("confidence %v, though the evidence is for b", d.Confidence)
	}
	all(t, func(t *testing.T, s consensus.Strategy) {
		d := s.Decide(cast(t, nil, "loud other", "v agree loud 1", "9* w agree other 0.6", "9* w disagree loud 0.6"))
		if d.Leader() != "other" {
			t.Errorf("one voter of weight 1 prevails over nine: %v", d)
		}
	})
}

func TestAbstentionIsNotANo(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		few := s.Decide(cast(t, nil, "a", "3* v agree a 0.9"))
		many := s.Decide(cast(t, nil, "a", "3* v agree a 0.9", "97* w abstain a 1"))
		want(t, many, consensus.Reached, "a")
		if many.Support != few.Support || many.Confidence != few.Confidence || many.Voters != 100 {
			t.Errorf("with abstentions %v, without %v", many, few)
		}
		want(t, s.Decide(cast(t, nil, "a", "v agree a 1", "w abstain a 1")), consensus.Reached, "a")
		want(t, s.Decide(cast(t, nil, "a", "9* w abstain a 1")), consensus.Pending, "")
		want(t, s.Decide(cast(t, nil, "a", "9* w abstain a 1").Close()), consensus.Deadlocked, "")
	})
}

func TestAThresholdOfZeroIsTheDefault(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		b := cast(t, &consensus.Options{Threshold: 0}, "a b", "3* v agree a 1", "2* w agree b 1")
		want(t, s.Decide(b), consensus.Pending, "")
		if b.Threshold() != 0.7 || b.Quorum() != 2 {
			t.Errorf("threshold %v, quorum %d, want 0.7 and 2", b.Threshold(), b.Quorum())
		}
	})
}

func TestThirtyDummyProposals(t *testing.T) {
	dummies := "a b"
	for i := range 30 {
		dummies += fmt.Sprint(" dummy", i)
	}
	votes := []string{"8* v agree a 0.9", "w agree b 0.5", "w disagree a 0.5"}
	all(t, func(t *testing.T, s consensus.Strategy) {
		without, with := s.Decide(cast(t, nil, "a b", votes...)), s.Decide(cast(t, nil, dummies, votes...))
		if with.Leader() != "a" || with.Choice != "" && with.Choice != "a" {
			t.Errorf("with dummies %v", with)
		}
		if _, evidence := s.(consensus.Bayesian); !evidence && (with.Support != without.Support || with.Outcome != without.Outcome) {
			t.Errorf("dummies change %v to %v", without, with)
		}
		if with.Confidence > without.Confidence {
			t.Errorf("more alternatives make for more confidence: %v, %v", without, with)
		}
	})
}

func TestOrderOfBallotsDoesNotMatter(t *testing.T) {
	// In floating point 0.1+0.2+0.3+0.4 differs from the sum taken backwards.
	lines := []string{
		"v1 agree a 0.1", "v2 agree a 0.2", "v3 agree a 0.3", "v4 agree a 0.4", "v5 disagree a 0.1",
		"v6 agree b 0.3", "v1 agree b 0.7", "v1 disagree a 0.6", "v7 abstain c 1",
	}
	all(t, func(t *testing.T, s consensus.Strategy) {
		b := cast(t, nil, "a b c", lines...)
		votes := slices.Collect(b.Votes())
		first := s.Decide(b)
		for i := range votes {
			turned := slices.Concat(votes[i:], votes[:i])
			slices.Reverse(turned)
			c, err := consensus.NewBallots(nil, []string{"c", "a", "b"}, turned)
			if err != nil {
				t.Fatal(err)
			}
			if d := s.Decide(c); d.String() != "" && (d.Outcome != first.Outcome || d.Support != first.Support ||
				d.None != first.None || d.Confidence != first.Confidence) {
				t.Errorf("turned by %d: %v, want %v", i, d, first)
			}
		}
	})
}

func TestTiesChooseNothing(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		for _, o := range []*consensus.Options{nil, {Threshold: 0.5}, {Threshold: 0.01}} {
			b := cast(t, o, "b a", "2* v agree a 0.8", "2* w agree b 0.8")
			want(t, s.Decide(b), consensus.Pending, "")
			want(t, s.Decide(b.Close()), consensus.Deadlocked, "")
			if d := s.Decide(b); !slices.Equal(d.Leaders, []string{"a", "b"}) || d.Leader() != "" {
				t.Errorf("leaders %q, leader %q, want a and b", d.Leaders, d.Leader())
			}
			split := cast(t, o, "a", "2* v agree a 0.8", "2* w disagree a 0.8")
			want(t, s.Decide(split), consensus.Pending, "")
			want(t, s.Decide(split.Close()), consensus.Deadlocked, "")
		}
	})
}

func TestByVoterHasTheVotesThatCount(t *testing.T) {
	o := &consensus.Options{Electorate: []string{"v", "w", "x"}}
	b := cast(t, o, "a b", "v agree a 1", "v disagree b 0.5", "w abstain a 1", "v agree a 0.25", "x agree c 1", "stranger agree a 1")
	got := map[string][]consensus.Position{}
	for voter, votes := range b.ByVoter() {
		if voter.N != 1 {
			t.Errorf("%q stands for %d", voter.Name, voter.N)
		}
		got[voter.Name] = slices.Clone(votes)
	}
	want := map[string][]consensus.Position{
		"v": {{Proposal: 0, Stance: consensus.Agree, Weight: 0.25}, {Proposal: 1, Stance: consensus.Disagree, Weight: 0.5}},
		"w": {{Proposal: 0, Stance: consensus.Abstain, Weight: 1}},
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
	for voter := range b.ByVoter() {
		t.Logf("stops after %s", voter.Name)
		break
	}
}
