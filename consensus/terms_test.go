package consensus_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestOptionsOutOfRangeAreRefusedByName(t *testing.T) {
	for _, tt := range []struct {
		field string
		o     consensus.Options
	}{
		{"threshold", consensus.Options{Threshold: -0.1}},
		{"threshold", consensus.Options{Threshold: 1.1}},
		{"threshold", consensus.Options{Threshold: math.NaN()}},
		{"quorum", consensus.Options{Quorum: -1}},
		{"quorum", consensus.Options{Quorum: 3, Electorate: []string{"a", "b", "b"}}},
		{"electorate", consensus.Options{Electorate: []string{"a", ""}}},
		{"correlation", consensus.Options{Correlation: -0.5}},
		{"correlation", consensus.Options{Correlation: 2}},
		{"correlation", consensus.Options{Correlation: math.NaN()}},
	} {
		_, round := consensus.NewRound(nil, &tt.o)
		_, ballots := consensus.NewBallots(&tt.o, nil, nil)
		for _, err := range []error{tt.o.Validate(), round, ballots} {
			var fe *consensus.FieldError
			if !errors.As(err, &fe) || fe.Field != tt.field {
				t.Errorf("%+v: error %v, want one for %s", tt.o, err, tt.field)
			}
		}
	}
}

func TestAVoteNeedsNamesAndAStance(t *testing.T) {
	good := consensus.Vote{Voter: "v", ProposalID: "a", Stance: consensus.Agree}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for field, bend := range map[string]func(*consensus.Vote){
		"voter":       func(v *consensus.Vote) { v.Voter = "" },
		"proposalId":  func(v *consensus.Vote) { v.ProposalID = "" },
		"stance":      func(v *consensus.Vote) { v.Stance = 0 },
		"causalLevel": func(v *consensus.Vote) { v.CausalLevel = 9 },
	} {
		v := good
		bend(&v)
		var fe *consensus.FieldError
		if err := v.Validate(); !errors.As(err, &fe) || fe.Field != field {
			t.Errorf("error %v, want one for %s", err, field)
		}
	}
}

func TestSupportThatEqualsTheThresholdCarries(t *testing.T) {
	for _, tt := range []struct {
		s     consensus.Strategy
		votes []string
	}{
		{consensus.Voting{}, []string{"7* v agree a 1", "3* w agree b 1"}},
		{consensus.ConfidenceWeighted{}, []string{"v agree a 0.3", "v2 agree a 0.4", "w agree b 0.3"}},
		{consensus.ConfidenceWeighted{}, []string{"7* v agree a 0.1", "3* w agree b 0.1"}},
		{consensus.Hierarchical{}, []string{"7* v agree a 0.9", "3* w agree b 0.9"}},
	} {
		want(t, tt.s.Decide(cast(t, nil, "a b", tt.votes...)), consensus.Reached, "a")
		above := &consensus.Options{Threshold: math.Nextafter(0.7, 1)}
		want(t, tt.s.Decide(cast(t, above, "a b", tt.votes...)), consensus.Pending, "")
	}
}

func TestTwoVotesWithOneSeqCountAsTheMoreCautious(t *testing.T) {
	agree := consensus.Vote{Seq: 7, Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1}
	abstain, disagree, faint := agree, agree, agree
	abstain.Stance, disagree.Stance, faint.Weight = consensus.Abstain, consensus.Disagree, 0.2
	for _, tt := range [][2]consensus.Vote{{agree, abstain}, {abstain, disagree}, {agree, disagree}, {agree, faint}} {
		for _, votes := range [][]consensus.Vote{{tt[0], tt[1]}, {tt[1], tt[0]}} {
			b, err := consensus.NewBallots(nil, []string{"a"}, votes)
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Collect(b.Votes()); !slices.Equal(got, []consensus.Vote{tt[1]}) {
				t.Errorf("%v count, want %v", got, tt[1])
			}
		}
	}
}

func TestOnlyTheElectorateCounts(t *testing.T) {
	o := &consensus.Options{Electorate: []string{"v1", "v2", "v3"}}
	all(t, func(t *testing.T, s consensus.Strategy) {
		d := s.Decide(cast(t, o, "a", "2* v agree a 1", "50* stranger disagree a 1"))
		want(t, d, consensus.Reached, "a")
		if n := len(d.Uncounted()); n != 50 || d.Uncounted()[0].Cause != consensus.NotEligible {
			t.Errorf("%d not counted, want the 50 strangers", n)
		}
	})
	for _, few := range [][]string{{"v"}, {}} {
		if q := cast(t, &consensus.Options{Electorate: few}, "a").Quorum(); q != 1 {
			t.Errorf("quorum %d for an electorate of %d", q, len(few))
		}
	}
}

func TestBallotsDoNotChangeWithWhatTheyWereMadeOfOrReturned(t *testing.T) {
	o := &consensus.Options{Electorate: []string{"v"}, Ranks: map[string]int{"v": 1}, Groups: map[string]string{"v": "g"}}
	b := cast(t, o, "a", "v agree a 1", "v agree unknown 1")
	state := func() string {
		group, _ := b.Group("v")
		return fmt.Sprint(b.Proposals(), b.Uncounted(), b.Tallies(), b.Electorate(), b.Rank("v"), group)
	}
	before := state()
	o.Electorate[0], o.Ranks["v"], o.Groups["v"] = "w", 2, "h"
	b.Proposals()[0], b.Uncounted()[0], b.Tallies()[0] = "z", consensus.Uncounted{}, consensus.Tally{}
	if after := state(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

func TestRanksDecideInTurn(t *testing.T) {
	o := &consensus.Options{Ranks: map[string]int{"chief1": 2, "chief2": 2, "lead1": 1, "lead2": 1, "intern1": -1}}
	h := consensus.Hierarchical{}
	for _, tt := range []struct {
		name    string
		votes   []string
		outcome consensus.Outcome
		choice  string
	}{
		{"the highest decides", []string{"2* chief agree a 0.5", "2* lead agree b 1", "9* v agree b 1"}, consensus.Reached, "a"},
		{"the next when it is split", []string{"chief1 agree a 1", "chief2 agree b 1", "2* lead agree b 1", "9* v agree a 1"}, consensus.Reached, "b"},
		{"the next when it abstains", []string{"2* chief abstain a 1", "2* lead agree b 1", "9* v agree a 1"}, consensus.Reached, "b"},
		{"those not in the registry stand above below zero", []string{"intern1 agree a 1", "2* v agree b 1"}, consensus.Reached, "b"},
		{"it may reject", []string{"2* chief disagree a 1", "2* chief disagree b 1", "9* v agree a 1"}, consensus.Rejected, ""},
		{"what it turns down stays down", []string{"2* chief disagree a 1", "9* v agree a 1"}, consensus.Pending, ""},
		{"others may still be chosen", []string{"2* chief disagree a 1", "9* v agree b 1"}, consensus.Reached, "b"},
		{"no rank settles it", []string{"chief1 agree a 1", "chief2 agree b 1", "lead1 agree a 1", "lead2 agree b 1"}, consensus.Pending, ""},
	} {
		t.Run(tt.name, func(t *testing.T) { want(t, h.Decide(cast(t, o, "a b", tt.votes...)), tt.outcome, tt.choice) })
	}
}

func TestAnUncertifiedDecisionIsNotReached(t *testing.T) {
	coin := consensus.Reliability{Sensitivity: 0.5, Specificity: 0.5}
	good := consensus.Reliability{Sensitivity: 0.8, Specificity: 0.9}
	liar := consensus.Reliability{Sensitivity: 0.2, Specificity: 0.1}
	rates := &consensus.Options{Reliabilities: consensus.Rates{
		"coin1": coin, "coin2": coin, "coin3": coin, "good1": good, "liar1": liar, "liar2": liar,
	}}
	all(t, func(t *testing.T, s consensus.Strategy) {
		coins := cast(t, rates, "a", "3* coin agree a 1")
		if d := s.Decide(coins); d.Outcome == consensus.Reached {
			t.Errorf("%v by coins", d)
		}
		want(t, s.Decide(coins.Close()), consensus.Uncertified, "")
		want(t, s.Decide(cast(t, rates, "a", "coin1 agree a 1", "good1 agree a 1")), consensus.Reached, "a")
		if d := s.Decide(cast(t, rates, "a", "2* liar agree a 1")); d.Outcome == consensus.Reached {
			t.Errorf("%v by liars", d)
		}
	})
	want(t, consensus.Voting{}.Decide(cast(t, rates, "a", "3* coin agree a 1")), consensus.Uncertified, "")
	want(t, consensus.Voting{}.Decide(cast(t, rates, "a", "3* coin disagree a 1")), consensus.Uncertified, "")
}

// oneCoin is right with that probability and spreads its errors over the other
// proposals.
type oneCoin float64

func (r oneCoin) Reliability(_ string, proposals int) (consensus.Reliability, bool) {
	return consensus.Reliability{
		Sensitivity: float64(r), Specificity: 1 - (1-float64(r))/float64(max(1, proposals-1)),
	}, true
}

func TestReliabilitiesMayDependOnTheNumberOfProposals(t *testing.T) {
	o := &consensus.Options{Reliabilities: oneCoin(0.7)}
	r, err := consensus.NewRound(consensus.Bayesian{}, o)
	if err != nil {
		t.Fatal(err)
	}
	votes := []consensus.Vote{
		{Seq: 1, Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1},
		{Seq: 2, Voter: "w", ProposalID: "b", Stance: consensus.Agree, Weight: 0.5},
	}
	proposals := []string{"a", "b", "c", "d", "e"}
	for i, p := range proposals {
		if err := r.Propose(p); err != nil {
			t.Fatal(err)
		}
		if i < len(votes) {
			if err := r.Vote(votes[i]); err != nil {
				t.Fatal(err)
			}
		}
		b, err := consensus.NewBallots(o, proposals[:i+1], votes[:min(i+1, len(votes))])
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Decision(), (consensus.Bayesian{}).Decide(b); !got.Equal(want) {
			t.Errorf("with %d proposals %v, want %v", i+1, got, want)
		}
	}
}

func TestMoreAgainstThanForIsRejectedOnceClosed(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		b := cast(t, &consensus.Options{Threshold: 0.9}, "a", "4* v agree a 1", "6* w disagree a 1")
		want(t, s.Decide(b), consensus.Pending, "")
		want(t, s.Decide(b.Close()), consensus.Rejected, "")
	})
}

func TestEntropySupportsNoneWhenItWeighsAtLeastAsMuch(t *testing.T) {
	d := consensus.Entropy{}.Decide(cast(t, nil, "a b", "v agree a 0.4", "w agree b 0.2", "x disagree b 0.4"))
	if d.Support != 0 || d.None <= 0 || d.Leader() != "a" {
		t.Errorf("support %v, none %v, leader %q", d.Support, d.None, d.Leader())
	}
}

func TestConfidenceIsDiscountedForDependence(t *testing.T) {
	last := 1.0
	for _, rho := range []float64{consensus.Independent, 0.05, 0.2, 1} {
		o := &consensus.Options{Correlation: rho}
		d := consensus.Voting{}.Decide(cast(t, o, "a b", "20* v agree a 1", "3* w agree b 1"))
		if d.Confidence > last || d.Confidence < 0.5 {
			t.Errorf("confidence %v at a correlation of %v, %v at less", d.Confidence, rho, last)
		}
		last = d.Confidence
	}
	if d := (consensus.Voting{}).Decide(cast(t, nil, "a", "2* v agree a 1")); math.Abs(d.Confidence-0.9098) > 1e-4 {
		t.Errorf("confidence %v of two who agree, want 1/(1+4^(-2/1.2))", d.Confidence)
	}
}

func TestTheZeroBallotsArePending(t *testing.T) {
	all(t, func(t *testing.T, s consensus.Strategy) {
		d := s.Decide(consensus.Ballots{})
		want(t, d, consensus.Pending, "")
		want(t, s.Decide(consensus.Ballots{}.Close()), consensus.Deadlocked, "")
		if d.Confidence != 1 || d.String() == "" || len(d.Tallies()) != 0 {
			t.Errorf("%+v", d)
		}
	})
}

// Odds of exactly 11 to 9 are not enough, neither for a proposal nor against
// it.
func TestOddsOfElevenToNineAreNotEnough(t *testing.T) {
	rates := &consensus.Options{Threshold: 0.6, Reliabilities: consensus.Rates{
		"v": {Sensitivity: 0.55, Specificity: 0.55}, "better": {Sensitivity: 0.56, Specificity: 0.56},
		"coin": {Sensitivity: 0.5, Specificity: 0.5},
	}}
	for _, tt := range []struct {
		votes   []string
		closed  bool
		outcome consensus.Outcome
	}{
		{[]string{"v agree a 1", "coin agree a 1"}, false, consensus.Uncertified},
		{[]string{"better agree a 1", "coin agree a 1"}, false, consensus.Reached},
		{[]string{"v disagree a 1", "coin disagree a 1"}, false, consensus.Uncertified},
		{[]string{"better disagree a 1", "coin disagree a 1"}, false, consensus.Rejected},
		{[]string{"v agree a 1", "coin disagree a 1"}, true, consensus.Uncertified},
		{[]string{"v disagree a 1", "coin agree a 1"}, true, consensus.Uncertified},
		{[]string{"better agree a 1", "coin disagree a 1"}, true, consensus.Deadlocked},
	} {
		b := cast(t, rates, "a", tt.votes...)
		if tt.closed {
			b = b.Close()
		}
		if d := (consensus.Voting{}).Decide(b); d.Outcome != tt.outcome {
			t.Errorf("%v: got %v, want %v", tt.votes, d, tt.outcome)
		}
	}
}

// NaN is read as the rate of a newcomer, and a rate at or beyond the limits
// never makes a voter certain.
func TestRatesThatAreNoProbabilityAreReadAsOne(t *testing.T) {
	probability := func(r consensus.Reliability) float64 {
		o := &consensus.Options{Reliabilities: consensus.Rates{"v": r}}
		return cast(t, o, "a b", "v agree a 1", "v disagree b 0.5").Tallies()[0].Probability
	}
	for _, tt := range []struct{ rate, as float64 }{
		{math.NaN(), 0.8},
		{-math.NaN(), 0.8},
		{0, 0.001},
		{-1, 0.001},
		{math.Inf(-1), 0.001},
		{1, 0.999},
		{2, 0.999},
		{math.Inf(1), 0.999},
	} {
		for name, got := range map[string]float64{
			"sensitivity": probability(consensus.Reliability{Sensitivity: tt.rate, Specificity: 0.6}),
			"specificity": probability(consensus.Reliability{Sensitivity: 0.6, Specificity: tt.rate}),
		} {
			want := probability(consensus.Reliability{Sensitivity: tt.as, Specificity: 0.6})
			if name == "specificity" {
				want = probability(consensus.Reliability{Sensitivity: 0.6, Specificity: tt.as})
			}
			if got != want {
				t.Errorf("%s %v: probability %v, want %v as for %v", name, tt.rate, got, want, tt.as)
			}
		}
	}
}

// A decimal weight is exact, though its nearest float64 may be a little below.
func TestDecimalWeightsAreExact(t *testing.T) {
	o := &consensus.Options{Quorum: 1}
	for k := range 1001 {
		w := float64(k) / 1000
		b, err := consensus.NewBallots(o, []string{"a"}, []consensus.Vote{
			{Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: w},
			{Voter: "w", ProposalID: "a", Stance: consensus.Disagree, Weight: w},
			{Voter: "x", ProposalID: "a", Stance: consensus.Abstain, Weight: w},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := consensus.Tally{ProposalID: "a", Agree: 1, Disagree: 1, Abstain: 1, For: w, Against: w}
		got := b.Tallies()[0]
		if got.Probability = 0; got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// Weight that is spread evenly has no order at all, not even a trace of rounding.
func TestEvenWeightHasNoOrder(t *testing.T) {
	for _, votes := range [][]string{
		{"v agree a 1", "w agree b 1"},
		{"v agree a 0.5", "w agree b 0.5", "x agree c 0.5", "y disagree a 0.5"},
	} {
		if d := (consensus.Entropy{}).Decide(cast(t, nil, "a b c d", votes...)); d.Support != 0 || d.None != 0 {
			t.Errorf("%v: support %v, for none %v; want 0", votes, d.Support, d.None)
		}
	}
}

// A rank turns down, at the threshold, a proposal with more weight against it than for it: whoever votes for
// something else leaves that as it is.
func TestARankTurnsDownAtTheThreshold(t *testing.T) {
	o := &consensus.Options{Threshold: 0.52, Ranks: map[string]int{"c1": 1, "c2": 1, "c3": 1}}
	// Of the chiefs' weight for or against a, 1 of 1.9 is against it.
	votes := []string{"c1 disagree a 1", "c2 agree a 0.9", "c3 agree b 0.1", "3* v agree a 1"}
	if d := (consensus.Hierarchical{}).Decide(cast(t, o, "a b", votes...)); d.Choice != "" {
		t.Errorf("%v, though the chiefs turned a down", d)
	}
	o.Threshold = 0.53
	want(t, consensus.Hierarchical{}.Decide(cast(t, o, "a b", votes...)), consensus.Reached, "a")
}
