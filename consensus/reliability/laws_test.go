package reliability

import (
	"fmt"
	"math"
	"math/rand/v2"
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

func TestAFewWhoShareTheirMistakesAreNotFollowed(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		members int
		alike   float64
	}{{3, 0.9}, {5, 0.7}} {
		const voters, decisions = 20, 200
		w := newWorld(6100, 3, append(even(voters-c.members, 0.8, 0.5), fill(c.members, 0.65)...)...)
		b := newBook(&Options{Choices: w.choices})
		all, truth := make([]consensus.Ballots, decisions), make([]string, decisions)
		plurality, right := 0.0, 0.0
		for i := range all {
			var x consensus.Ballots
			x, truth[i] = w.decision(nil)
			cast, votes := slices.Collect(x.Votes()), make([]int, 3)
			model := cast[voters-c.members].ProposalID
			for j := range cast {
				if j > voters-c.members && w.Float64() < c.alike {
					cast[j].ProposalID = model
				}
				votes[slices.Index(w.choices, cast[j].ProposalID)]++
			}
			all[i] = between(t, w.choices, cast...)
			if err := b.Observe("", all[i]); err != nil {
				t.Fatal(err)
			}
			plurality += share(votes, slices.Index(w.choices, truth[i])) / decisions
		}
		s := Strategy{b.Learn()}
		for i, x := range all {
			if s.Decide(x).Leader() == truth[i] {
				right += 1.0 / decisions
			}
		}
		t.Logf("%d alike in %.1f: plurality %.3f, right %.3f", c.members, c.alike, plurality, right)
		if right < plurality-0.01 {
			t.Errorf("%d alike in %.1f: plurality %.3f, right %.3f", c.members, c.alike, plurality, right)
		}
	}
}

func TestASparseCrowdIsNotBehindItsPlurality(t *testing.T) {
	measures(t)
	for name, drawn := range map[string]func(r *rand.Rand) float64{
		"alike":     func(r *rand.Rand) float64 { return 0.35 + 0.3*r.Float64() },
		"different": func(r *rand.Rand) float64 { return 0.5 + 0.35*r.Float64() },
	} {
		for _, voters := range []int{30, 100} {
			const draws, decisions = 2, 800
			plurality, right := 0.0, 0.0
			for seed := range uint64(draws) {
				w := newWorld(4400+seed, 4, make([]float64, voters)...)
				for j := range w.right {
					w.right[j] = drawn(w.Rand)
				}
				b := newBook(&Options{Choices: w.choices})
				all, truth := make([]consensus.Ballots, decisions), make([]string, decisions)
				for i := range all {
					var votes []int
					all[i], votes, truth[i] = w.sparse(t, 7)
					if err := b.Observe("", all[i]); err != nil {
						t.Fatal(err)
					}
					plurality += share(votes, slices.Index(w.choices, truth[i])) / (draws * decisions)
				}
				s := Strategy{b.Learn()}
				for i, x := range all {
					if s.Decide(x).Leader() == truth[i] {
						right += 1.0 / (draws * decisions)
					}
				}
			}
			t.Logf("%d voters, %s: plurality %.3f, right %.3f", voters, name, plurality, right)
			if right < plurality-0.01 {
				t.Errorf("%d voters, %s: plurality %.3f, right %.3f", voters, name, plurality, right)
			}
		}
	}
}

// sparse draws a decision on which n of the voters vote, and returns the votes for each choice and the right one.
func (w *world) sparse(t *testing.T, n int) (b consensus.Ballots, votes []int, right string) {
	t.Helper()
	votes = make([]int, len(w.choices))
	truth := w.IntN(len(votes))
	var cast []consensus.Vote
	for _, j := range w.Perm(len(w.right))[:n] {
		said := truth
		if w.Float64() > w.right[j] {
			said = (truth + 1 + w.IntN(len(votes)-1)) % len(votes)
		}
		if j >= len(w.right)-w.constant {
			said = 0
		}
		votes[said]++
		cast = append(cast, vote(j, w.choices[said]))
	}
	return between(t, w.choices, cast...), votes, w.choices[truth]
}

// share returns 1 over the number of choices with the most votes if the given one is among them, and 0 otherwise.
func share(votes []int, of int) float64 {
	most, ties := slices.Max(votes), 0.0
	for _, n := range votes {
		if n == most {
			ties++
		}
	}
	if votes[of] < most {
		return 0
	}
	return 1 / ties
}

func TestOneProposalIsDecidedByHowOftenProposalsWereRight(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		right []float64
		yes   int // how many voters, the last ones, always agree
		share float64
		every int
		gain  float64 // least worth beyond that by weight
	}{
		{[]float64{0.82, 0.79, 0.76, 0.73}, 1, 0.85, 1, 0.05},
		{[]float64{0.85, 0.85, 0.85}, 0, 0.93, 0, 0.2},
		{[]float64{0.85, 0.75, 0.65}, 2, 0.2, 10, 0.3},
	} {
		const draws, decisions, from = 8, 180, 60
		worth := func(d consensus.Decision, right bool) float64 {
			switch {
			case d.Outcome != consensus.Reached && d.Outcome != consensus.Rejected:
				return 0
			case (d.Outcome == consensus.Reached) == right:
				return 1.0 / (draws * (decisions - from))
			}
			return -7.0 / 3 / (draws * (decisions - from))
		}
		learned, weight := 0.0, 0.0
		for seed := range uint64(draws) {
			w, l := newWorld(9100+seed, 2), newLedger(t, nil)
			for i := range decisions {
				right := w.Float64() < c.share
				var cast []consensus.Vote
				for j := range len(c.right) + c.yes {
					v := vote(j, "a")
					if j < len(c.right) && right != (w.Float64() < c.right[j]) {
						v.Stance = consensus.Disagree
					}
					cast = append(cast, v)
				}
				b := between(t, letters(1), cast...).Close()
				if i >= from {
					learned += worth(l.Strategy().Decide(b), right)
					weight += worth(consensus.Default().Decide(b), right)
				}
				what := ""
				if right {
					what = "a"
				}
				if err := observe(l, fmt.Sprint(i), b, what, nth(i, c.every)); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Logf("%v and %d who always agree, right in %v: worth %.2f, by weight %.2f", c.right, c.yes, c.share, learned, weight)
		if learned < weight+c.gain {
			t.Errorf("%v and %d who always agree, right in %v: worth %.2f, by weight %.2f", c.right, c.yes, c.share, learned, weight)
		}
	}
}
