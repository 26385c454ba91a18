package reliability

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// These tests state what must hold for the default strategy in small teams, and for the confidence it may claim
// anywhere. benchmarks/teams and benchmarks/quality have the figures.

// counts holds shares of decisions.
type counts struct{ right, wrong, leads float64 }

// team lets a ledger decide n decisions after a first 100. It is told the outcome of each decision whose number is a
// multiple of every, and none if every is 0.
func (w *world) team(t *testing.T, n, every int) (c counts) {
	t.Helper()
	l := newLedger(t, nil)
	for i := range 100 + n {
		b, right := w.decision(nil)
		b = b.Close()
		if i >= 100 {
			c.add(l.Strategy().Decide(b), right, n)
		}
		if err := observe(l, fmt.Sprint(i), b, right, nth(i, every)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *counts) add(d consensus.Decision, right string, n int) {
	share := 1 / float64(n)
	if d.Leader() == right {
		c.leads += share
	}
	switch {
	case d.Outcome != consensus.Reached:
	case d.Choice == right:
		c.right += share
	default:
		c.wrong += share
	}
}

var planted = map[string][]float64{
	"three equal":      {0.8, 0.8, 0.8},
	"one strong":       {0.95, 0.7, 0.6, 0.6},
	"one harmful":      {0.95, 0.75, 0.5, 0.2},
	"harmful of three": {0.95, 0.55, 0.3},
}

func TestOutcomesOverrideDoubt(t *testing.T) {
	measures(t)
	w := newWorld(71, 2, planted["one harmful"]...)
	c := w.team(t, 100, 1)
	if c.right < 0.8 || c.wrong > 0.1 {
		t.Errorf("%+v, want four of five right although one is worse than chance", c)
	}
	// With known outcomes, a second camp no longer causes doubt.
	w = newWorld(51, 4, even(24, 0.8, 0.7)...)
	w.liars = 12
	untold, told := newBook(nil), newBook(nil)
	w.fill(untold, 100, 0)
	w.fill(told, 100, 1)
	if a, b := untold.Model().Certificate(), told.Model().Certificate(); a.OK || !b.OK || b.Doubt > a.Doubt/4 {
		t.Errorf("untold %+v, told %+v", a, b)
	}
}

// rejecting returns the ballots with rejections added: each voter also rejects the proposals it is not for.
func rejecting(t *testing.T, b consensus.Ballots) consensus.Ballots {
	t.Helper()
	var cast []consensus.Vote
	o := &consensus.Options{Groups: map[string]string{}}
	for v := range b.Votes() {
		cast = append(cast, v)
		if group, ok := b.Group(v.Voter); ok {
			o.Groups[v.Voter] = group
		}
		for _, p := range b.Proposals() {
			if p != v.ProposalID {
				cast = append(cast, consensus.Vote{Voter: v.Voter, ProposalID: p, Stance: consensus.Disagree, Weight: v.Weight})
			}
		}
	}
	more, err := consensus.NewBallots(o, b.Proposals(), cast)
	if err != nil {
		t.Fatal(err)
	}
	return more
}

func TestSayingTheSameTwiceChangesNothing(t *testing.T) {
	for seed := range uint64(6) {
		w := newWorld(73+seed, 2+int(seed%3), even(3+int(seed), 0.95, 0.5)...)
		if seed%2 == 1 {
			w.means = even(3+int(seed), 0, 1) // voters state confidences below 1
		}
		var o *Options
		if seed > 2 {
			o = &Options{Choices: w.choices}
		}
		var of *consensus.Options
		if seed%3 == 2 {
			of, w.clones = &consensus.Options{Groups: map[string]string{"v1": "one", "v2": "one", "v3": "one"}}, 2
		}
		once, twice := newLedger(t, o), newLedger(t, o)
		for i := range 60 {
			b, right := w.decision(of)
			more, id := rejecting(t, b), fmt.Sprint(i)
			if i >= 20 { // before, decisions are by weight alone, and rejections count
				sameDecisions(t, once.Strategy(), b, twice.Strategy(), more)
			}
			for l, b := range map[*Ledger]consensus.Ballots{once: b, twice: more} {
				if err := observe(l, id, b, right, i%5 == 0); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// sameDecisions checks that both strategies make the same decision, on open and on closed ballots.
func sameDecisions(t *testing.T, s consensus.Strategy, b consensus.Ballots, r consensus.Strategy, more consensus.Ballots) {
	t.Helper()
	for _, closed := range []bool{false, true} {
		if closed {
			b, more = b.Close(), more.Close()
		}
		d, e := s.Decide(b), r.Decide(more)
		if d.Outcome != e.Outcome || d.Choice != e.Choice || !slices.Equal(d.Leaders, e.Leaders) || d.Support != e.Support ||
			d.Confidence != e.Confidence || d.None != e.None {
			t.Fatalf("%v, and said twice %v", d, e)
		}
	}
}

func TestOneReliableVoterPrevailsOverTwoUnreliableOnes(t *testing.T) {
	w := newWorld(74, 2, 0.97, 0.55, 0.55)
	b := newBook(nil)
	w.fill(b, 200, 1)
	ballots, err := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "b"), vote(2, "b")})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []consensus.Ballots{ballots, rejecting(t, ballots)} {
		if d := (Strategy{b.Model()}).Decide(x); d.Choice != "a" {
			t.Errorf("%v, want the choice of the one who is nearly always right, against two who toss coins", d)
		}
	}
}

func TestCopiesCountAsOneVoter(t *testing.T) {
	w := newWorld(76, 3, 0.8, 0.8, 0.8, 0.65, 0.65, 0.65, 0.65)
	w.clones = 4
	b := newBook(nil)
	w.fill(b, 100, 0)
	m := b.Learn()
	cast := []consensus.Vote{vote(0, "a"), vote(1, "a"), vote(2, "a")}
	for j := 3; j < 7; j++ {
		cast = append(cast, vote(j, "b"))
	}
	ballots, err := consensus.NewBallots(nil, letters(3), cast)
	if err != nil {
		t.Fatal(err)
	}
	if d := (Strategy{m}).Decide(ballots); d.Leader() != "a" {
		t.Errorf("%v, want the choice of three voters, against four copies", d)
	}
}

func TestCopiesDoNotDetermineTheConsensus(t *testing.T) {
	for _, choices := range []int{3, 5} {
		w := newWorld(82, choices, append(even(12, 0.65, 0.55), make([]float64, 9)...)...)
		w.liars = 9 // who are always wrong in the same way, against twelve who mostly disagree with each other
		b := newBook(nil)
		w.fill(b, 300, 0)
		if right, _ := w.score(Strategy{b.Learn()}, 300); right < 0.85 {
			t.Errorf("%d choices: right in %.2f against nine copies", choices, right)
		}
	}
}

func TestHighConfidenceIsCalibratedOnUntunedVoters(t *testing.T) {
	measures(t)
	sure, right := 0.0, 0.0
	for seed := range uint64(10) {
		w := newWorld(900+seed, 2+int(seed%3))
		for range 5 + int(seed)*2 {
			w.right = append(w.right, 1/float64(len(w.choices))+(0.9-1/float64(len(w.choices)))*math.Sqrt(w.Float64()))
		}
		var o *Options
		if seed%2 == 0 {
			o = &Options{Choices: w.choices}
		}
		b := newBook(o)
		w.fill(b, 100, 0)
		s := Strategy{b.Model()}
		for range 200 {
			x, truth := w.decision(nil)
			if d := s.Decide(x); d.Confidence >= 0.95 {
				sure++
				if d.Leader() == truth {
					right++
				}
			}
		}
	}
	if right < 0.92*sure || sure < 200 {
		t.Errorf("%v right of %v that are 95 %% sure", right, sure)
	}
}

func TestAWrongStartIsCorrectedOrCausesDoubt(t *testing.T) {
	measures(t)
	for seed := range uint64(8) {
		voters, choices := 5+2*int(seed%4), 2+int(seed%2)
		w := newWorld(770+seed, choices, even(voters, 0.85, 0.6)...)
		b := newBook(nil)
		w.liars = voters/2 + 1
		w.fill(b, 30, 0)
		w.liars = 0
		right, majority, confidence, doubted := 0.0, 0.0, 0.0, 0.0
		for i := range 300 {
			x, truth := w.decision(nil)
			m := b.Model()
			if d := (Strategy{m}).Decide(x); i >= 200 {
				confidence += d.Confidence / 100
				doubted += m.Certificate().Doubt / 100
				if d.Leader() == truth {
					right += 0.01
				}
				if (consensus.Voting{}).Decide(x.Close()).Leader() == truth {
					majority += 0.01
				}
			}
			if err := b.Observe("", x); err != nil {
				t.Fatal(err)
			}
		}
		if right < majority-0.03 && confidence > right {
			t.Errorf("%d voters, %d choices: right in %.2f, majority in %.2f, sure of %.2f, doubt %.2f", voters, choices, right, majority, confidence, doubted)
		}
	}
}

func TestASavedLedgerWithoutASpreadIsRefused(t *testing.T) {
	w := newWorld(78, 2, even(5, 0.9, 0.6)...)
	l := newLedger(t, nil)
	w.show(t, l, 30, 3)
	l.Strategy()
	saved, err := l.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"sdVoter", "sdClass", "sdPool", "crowd"} {
		bad := dropField(string(saved), field)
		if bad == string(saved) {
			t.Fatalf("the saved ledger has no %s", field)
		}
		if err := new(Ledger).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("a ledger without %s is accepted", field)
		}
	}
}

// dropField removes a numeric field from every model in a saved ledger.
func dropField(text, field string) string {
	parts := strings.Split(text, `"model":`)
	for i := range parts[1:] {
		at := strings.Index(parts[i+1], `"`+field+`":`)
		if at < 0 {
			continue
		}
		end := at + strings.IndexAny(parts[i+1][at:], ",}")
		parts[i+1] = parts[i+1][:at] + `"unknown":1` + parts[i+1][end:]
	}
	return strings.Join(parts, `"model":`)
}

func TestStructuresAreMixedByWeight(t *testing.T) {
	names := func(all []Structure) (names string) {
		for _, s := range all {
			names += s.Name + " "
		}
		return names
	}
	for want, n := range map[string]int{"rates subtypes peers ": 25, "rates subtypes coins peers ": 5} {
		w := newWorld(79, 3, even(n, 0.8, 0.5)...)
		b := newBook(&Options{Choices: w.choices})
		w.fill(b, 100, 10)
		m := b.Learn()
		for range 20 {
			x, _ := w.decision(nil)
			got, _ := m.Probabilities(x)
			all, sum := m.Structures(x), 0.0
			if names(all) != want {
				t.Fatalf("%d voters have %s, want %s", n, names(all), want)
			}
			mean := make([]float64, len(got))
			for _, s := range all {
				sum += s.Weight
				for c, p := range s.Each {
					mean[c] += s.Weight * p
				}
			}
			for c := range got {
				if math.Abs(got[c]-mean[c]/sum) > 1e-9 {
					t.Fatalf("%v, want %v for %s", got[c], mean[c]/sum, w.choices[c])
				}
			}
		}
		if first, crowded := b.Learn().params, n == 25; (first.Coins == nil) != crowded || crowded && first.peersWeight() != 2 {
			t.Errorf("%d voters: coins %v, peers %v", n, first.Coins, first.peersWeight())
		}
	}
}

func TestPeersWeightStrongVotersMoreAndEqualsEqually(t *testing.T) {
	weights := func(right ...float64) []float64 {
		w := newWorld(80, 3, right...)
		b := newBook(nil)
		w.fill(b, 200, 0)
		return b.Learn().params.Peers.Weight
	}
	strong := weights(slices.Concat(even(5, 0.95, 0.9), even(20, 0.6, 0.45))...)
	if strong[0] < 3*strong[20] {
		t.Errorf("the strong weigh %.2f, the weak %.2f", strong[0], strong[20])
	}
	for _, x := range weights(even(25, 0.7, 0.7)...) {
		if x < 0.5 || x > 2 {
			t.Errorf("one of equals weighs %.2f", x)
		}
	}
}
