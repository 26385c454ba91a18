package consensus_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

func drawGroups(t *rapid.T) map[string]string {
	groups := map[string]string{}
	for i := range 7 {
		if g := rapid.IntRange(0, 3).Draw(t, "group"); g > 0 {
			groups[fmt.Sprint("v", i)] = fmt.Sprint("g", g)
		}
	}
	return groups
}

// groupedReference is the doc comment in floating point: the evidence of each proposal, discounted.
func groupedReference(b consensus.Ballots, rho, within float64, learned bool) []float64 {
	type said struct{ weight, evidence float64 }
	weights, parts := map[string]float64{}, map[string]map[string]said{}
	whose := func(voter string) string {
		if g, ok := b.Group(voter); ok {
			return "group " + g
		}
		return "alone " + voter
	}
	r := newReference(b, rho, learned)
	for voter, votes := range r.votes {
		g := whose(voter)
		if parts[g] == nil {
			parts[g] = map[string]said{}
		}
		for p, v := range votes {
			if v.Stance == consensus.Abstain {
				continue
			}
			one := reference{b: b, learned: learned, votes: map[string]map[string]consensus.Vote{voter: {p: v}}}
			x := parts[g][p]
			parts[g][p] = said{x.weight + v.Weight, x.evidence + one.evidence(p)}
		}
		_, w, _ := (&reference{b: b, votes: map[string]map[string]consensus.Vote{voter: votes}}).voters()
		weights[g] += w
	}
	effect := func(w float64) float64 { return 1 + within*max(0, w-1) }
	var m, squares float64
	for _, w := range weights {
		m += w / effect(w)
		squares += w / effect(w) * (w / effect(w))
	}
	discount := 1.0
	if m > 1 {
		discount = 1 / (1 + rho*max(0, m-max(1, squares/m)))
	}
	var evidence []float64
	for _, p := range b.Proposals() {
		e := 0.0
		for _, said := range parts {
			e += said[p].evidence / effect(said[p].weight)
		}
		evidence = append(evidence, discount*e)
	}
	return evidence
}

func TestGroupedAgreesWithItsFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		if o == nil {
			o = &consensus.Options{}
		}
		o.Groups = drawGroups(t)
		if rapid.Bool().Draw(t, "learned") {
			o.Reliabilities = drawRates(t)
		}
		b, err := consensus.NewBallots(o, drawProposals(t), rapid.SliceOf(rapid.Custom(drawVote)).Draw(t, "votes"))
		if err != nil {
			t.Fatal(err)
		}
		s := consensus.Grouped{Within: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "within")}
		within := s.Within
		if within == 0 {
			within = 0.5 // by default
		}
		evidence := groupedReference(b, rhoOf(o), max(within, rhoOf(o)), o.Reliabilities != nil)
		whole := 1.0
		for _, e := range evidence {
			whole += math.Exp(e)
		}
		d := s.Decide(b)
		near(t, "none", d.None, 1/whole)
		for i, p := range b.Proposals() {
			if d.Leader() == p {
				near(t, "support", d.Support, math.Exp(evidence[i])/whole)
			}
		}
	})
}

func TestGroupedWithoutGroupsIsBayesian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		b, err := consensus.NewBallots(o, drawProposals(t), rapid.SliceOf(rapid.Custom(drawVote)).Draw(t, "votes"))
		if err != nil {
			t.Fatal(err)
		}
		d, e := consensus.Grouped{}.Decide(b), consensus.Bayesian{}.Decide(b)
		if d.Strategy = e.Strategy; !d.Equal(e) {
			t.Errorf("grouped says\n%v, bayesian\n%v", d, e)
		}
	})
}

func groupsOf(voters map[string]int) map[string]string {
	groups := map[string]string{}
	for prefix, n := range voters {
		for i := range n {
			groups[fmt.Sprint(prefix, i+1)] = prefix
		}
	}
	return groups
}

func TestFewWithSeveralSourcesOutvoteManyWithOne(t *testing.T) {
	votes := []string{"9* clone agree a 1", "4* v agree b 1"}
	want(t, consensus.Bayesian{}.Decide(cast(t, nil, "a b", votes...)), consensus.Reached, "a")
	o := &consensus.Options{Groups: groupsOf(map[string]int{"clone": 9}), Threshold: 0.6}
	want(t, consensus.Grouped{}.Decide(cast(t, o, "a b", votes...)), consensus.Reached, "b")
	one := cast(t, o, "a b", "9* clone agree a 1")
	two := cast(t, nil, "a b", "2* v agree a 1")
	if d, e := (consensus.Grouped{}).Decide(one), (consensus.Bayesian{}).Decide(two); d.Support >= e.Support+0.1 {
		t.Errorf("a group of nine has %v, two voters %v", d.Support, e.Support)
	}
}

// The evidence of a group's minority is not lost: if groups passed on their
// winners, a would win two to one.
func TestAGroupPassesOnItsEvidenceNotItsWinner(t *testing.T) {
	o := &consensus.Options{Groups: groupsOf(map[string]int{"x": 5, "y": 5, "z": 5}), Threshold: 0.5}
	b := cast(t, o, "a b",
		"x1 agree a 1", "x2 agree a 1", "x3 agree a 1", "x4 agree b 1", "x5 agree b 1",
		"y1 agree a 1", "y2 agree a 1", "y3 agree a 1", "y4 agree b 1", "y5 agree b 1",
		"5* z agree b 1",
	)
	if d := (consensus.Grouped{}).Decide(b); d.Leader() != "b" {
		t.Errorf("%v leads, want b", d)
	}
}

// Each further clone of a voter in the same group adds less, and together they
// never count for more than 1/Within.
func TestAGroupsEvidenceIsBounded(t *testing.T) {
	last, gain := 0.0, 1.0
	for n := 2; n <= 64; n *= 2 {
		o := &consensus.Options{Groups: groupsOf(map[string]int{"v": n})}
		d := consensus.Grouped{Within: 0.5}.Decide(cast(t, o, "a", fmt.Sprintf("%d* v agree a 1", n)))
		if d.Support < last || d.Support-last > gain || d.Support > 16.0/17 {
			t.Errorf("%d have %v after %v, at most %v", n, d.Support, last, 16.0/17)
		}
		if last > 0 {
			gain = d.Support - last
		}
		last = d.Support
	}
}

func ExampleGrouped() {
	options := &consensus.Options{Threshold: 0.6, Groups: map[string]string{
		"gpt-1": "gpt", "gpt-2": "gpt", "gpt-3": "gpt", "gpt-4": "gpt", "gpt-5": "gpt",
	}}
	ballots, err := consensus.NewBallots(options, []string{"ship", "wait"}, []consensus.Vote{
		{Voter: "gpt-1", ProposalID: "ship", Stance: consensus.Agree, Weight: 1},
		{Voter: "gpt-2", ProposalID: "ship", Stance: consensus.Agree, Weight: 1},
		{Voter: "gpt-3", ProposalID: "ship", Stance: consensus.Agree, Weight: 1},
		{Voter: "gpt-4", ProposalID: "ship", Stance: consensus.Agree, Weight: 1},
		{Voter: "gpt-5", ProposalID: "ship", Stance: consensus.Agree, Weight: 1},
		{Voter: "ada", ProposalID: "wait", Stance: consensus.Agree, Weight: 1},
		{Voter: "bob", ProposalID: "wait", Stance: consensus.Agree, Weight: 1},
		{Voter: "cyd", ProposalID: "wait", Stance: consensus.Agree, Weight: 1},
	})
	if err != nil {
		panic(err)
	}
	for _, s := range []consensus.Strategy{consensus.Voting{}, consensus.Grouped{}} {
		d := s.Decide(ballots)
		fmt.Printf("%s: %s leads with %.2f, %s\n", d.Strategy, d.Leader(), d.Support, d.Outcome)
	}
	// Output:
	// voting: ship leads with 0.62, reached
	// grouped: wait leads with 0.70, reached
}
