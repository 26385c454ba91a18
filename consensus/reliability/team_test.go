package reliability

import (
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// team is a few voters who decide together.
type team struct {
	right  []float64
	alike  float64 // how often a voter says what the model says of which they all are
	choose int     // number of choices
	shared bool    // the ledger is told the choices
	group  bool    // the ledger is told that they are of one model
}

// decisions returns the claims of what a ledger has learned, without outcomes, and of weight alone, in decisions 61 to
// 180.
func (c team) decisions(t *testing.T) (learned, weight claims) {
	t.Helper()
	const draws, decisions, from = 10, 180, 60
	for seed := range uint64(draws) {
		w, o := newWorld(7300+seed, c.choose, c.right...), new(Options)
		if c.shared {
			o.Choices = w.choices
		}
		settings := &consensus.Options{Threshold: 0.7, Groups: map[string]string{}}
		l := newLedger(t, o)
		for i := range decisions {
			drawn, right := w.decision(nil)
			model := right
			if w.Float64() > c.right[0] {
				model = w.choices[(slices.Index(w.choices, right)+1+w.IntN(c.choose-1))%c.choose]
			}
			var cast []consensus.Vote
			for v := range drawn.Votes() {
				if w.Float64() < c.alike {
					v.ProposalID = model
				}
				if c.group {
					settings.Groups[v.Voter] = "model"
				}
				if !c.shared { // a decision between its own proposals
					v.ProposalID = fmt.Sprint(i, v.ProposalID)
				}
				cast = append(cast, v)
			}
			proposals := w.choices
			if !c.shared {
				proposals, right = nil, fmt.Sprint(i, right)
				for _, x := range w.choices {
					proposals = append(proposals, fmt.Sprint(i, x))
				}
			}
			b, err := consensus.NewBallots(settings, proposals, cast)
			if err != nil {
				t.Fatal(err)
			}
			if i >= from {
				learned.add(l.Strategy().Decide(b.Close()), right, draws*(decisions-from))
				weight.add(consensus.ConfidenceWeighted{}.Decide(b.Close()), right, draws*(decisions-from))
			}
			if err := l.Observe("", b); err != nil {
				t.Fatal(err)
			}
		}
	}
	return learned, weight
}

func TestEqualsWithTwoChoicesAreNotToldApartByChance(t *testing.T) {
	measures(t)
	for _, voters := range []int{5, 9} {
		c := team{right: fill(voters, 0.6), choose: 2}
		own, weight := c.decisions(t)
		c.shared = true
		shared, _ := c.decisions(t)
		t.Logf("%d voters: worth %.1f with shared choices, %.1f without, %.1f by weight", voters, shared.worth, own.worth, weight.worth)
		if shared.worth < own.worth-5 || shared.worth < weight.worth-10 {
			t.Errorf("%d voters: worth %.1f with shared choices, %.1f without, %.1f by weight", voters, shared.worth, own.worth, weight.worth)
		}
	}
}

func TestVotersOfASingleGroupClaimLess(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		team
		gain float64 // least worth beyond that of the same voters without a group
	}{
		{team{right: fill(5, 0.7), alike: 0.5, choose: 3}, 1},
		{team{right: fill(5, 0.6), alike: 0.5, choose: 4}, 3},
		{team{right: fill(5, 0.7), choose: 2}, -3}, // apart after all
		{team{right: even(5, 0.9, 0.6), choose: 2, shared: true}, -3},
	} {
		apart, _ := c.decisions(t)
		c.group = true
		group, weight := c.decisions(t)
		t.Logf("%+v: worth %.1f and without a group %.1f, by weight %.1f; claims %.1f and %.1f", c.team, group.worth, apart.worth, weight.worth, group.confidence, apart.confidence)
		if group.worth < apart.worth+c.gain || group.confidence > apart.confidence-2 {
			t.Errorf("%+v: worth %.1f and without a group %.1f; claims %.1f and %.1f", c.team, group.worth, apart.worth, group.confidence, apart.confidence)
		}
	}
}

func TestASingleGroupIsLessSureOfOneProposal(t *testing.T) {
	sure := map[string]float64{}
	for _, group := range []string{"", "model"} {
		l, w := newLedger(t, nil), newWorld(7400, 2)
		o := &consensus.Options{Groups: map[string]string{}}
		ask := func(yes float64) consensus.Ballots {
			var cast []consensus.Vote
			for j := range 5 {
				v := vote(j, "a")
				if w.Float64() > yes {
					v.Stance = consensus.Disagree
				}
				o.Groups[v.Voter] = group
				cast = append(cast, v)
			}
			b, err := consensus.NewBallots(o, letters(1), cast)
			if err != nil {
				t.Fatal(err)
			}
			return b.Close()
		}
		for range 60 {
			if err := l.Observe("", ask(0.3+0.4*float64(w.IntN(2)))); err != nil {
				t.Fatal(err)
			}
		}
		sure[group] = l.Strategy().Decide(ask(1)).Confidence
	}
	if apart, one := sure[""], sure["model"]; !(0.5 < one && one < apart-0.02) {
		t.Errorf("five who agree are sure of %.3f, and those of one group of %.3f", apart, one)
	}
}

func TestCoinsOfASingleGroupAreDiscountedByTheBallotsCorrelation(t *testing.T) {
	w, o := newWorld(7600, 3, fill(5, 0.7)...), &consensus.Options{Groups: map[string]string{}}
	for j := range w.right {
		o.Groups[fmt.Sprint("v", j)] = "model"
	}
	b := newBook(nil)
	for range 100 {
		x, _ := w.decision(o)
		if err := b.Observe("", x); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	sure := func(rho float64) float64 {
		for _, s := range m.Structures(agreeing(t, o, "v0", "a", "v1", "a", "v2", "a", "v3", "b").WithCorrelation(rho)) {
			if s.Name == "coins" {
				return s.Each[0]
			}
		}
		t.Fatal("no coins")
		return 0
	}
	if low, high := sure(0.1), sure(0.5); low <= high {
		t.Errorf("sure of %.3f with a correlation of 0.1, and of %.3f with 0.5", low, high)
	}
}
