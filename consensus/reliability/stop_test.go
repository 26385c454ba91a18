package reliability

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

func voters(from, to int) []string {
	var names []string
	for j := from; j < to; j++ {
		names = append(names, fmt.Sprint("v", j))
	}
	return names
}

func TestNextAsksTheBestFirst(t *testing.T) {
	for name, o := range kinds(3) {
		w := newWorld(41, 3, 0.45, 0.6, 0.97, 0.7, 0.5)
		if name == "stances" {
			w.choices = w.choices[:2]
		}
		b := newBook(o)
		w.fill(b, 400, 2)
		m := b.Learn()
		empty, _ := consensus.NewBallots(nil, w.choices, nil)
		if got := m.Next(empty, voters(0, 5), nil); got != "v2" && name != "stances" {
			t.Errorf("%s: asks %q first, want the best", name, got)
		}
		dear := func(voter string) float64 {
			if voter == "v2" {
				return 100
			}
			return 1
		}
		if got := m.Next(empty, voters(0, 5), dear); got == "v2" {
			t.Errorf("%s: asks %q at a hundred times the cost", name, got)
		}
		if got := m.Next(empty, nil, nil); got != "" {
			t.Errorf("%s: asks %q of nobody", name, got)
		}
	}
}

func TestNextAsksNoClone(t *testing.T) {
	w := newWorld(42, 3, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.8, 0.8)
	w.clones = 2
	b := newBook(&Options{Choices: letters(3)})
	w.fill(b, 400, 0)
	m := b.Model()
	asked, _ := consensus.NewBallots(nil, letters(3), []consensus.Vote{vote(7, "a")})
	if got := m.Next(asked, []string{"v8", "v0"}, nil); got != "v0" {
		t.Errorf("asks %q after its clone, want v0", got)
	}
	empty, _ := consensus.NewBallots(nil, letters(3), nil)
	if got := m.Next(empty, []string{"v8", "v0"}, nil); got != "v8" {
		t.Errorf("asks %q first, want v8", got)
	}
}

func TestEnough(t *testing.T) {
	w := newWorld(43, 2, even(20, 0.9, 0.6)...)
	b := newBook(nil)
	w.fill(b, 200, 2)
	m := b.Model()
	split, _ := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "b")})
	agreed, _ := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "a"), vote(2, "a"), vote(7, "a")})
	none, _ := consensus.NewBallots(nil, letters(2), nil)
	for _, c := range []struct {
		what string
		got  bool
		want bool
	}{
		{"no vote yet", m.Enough(none, voters(0, 20), Stop{}), false},
		{"nobody left", m.Enough(split, nil, Stop{}), true},
		{"one against one", m.Enough(split, voters(2, 20), Stop{}), false},
		{"four alike", m.Enough(agreed, voters(4, 20), Stop{}), true},
		{"sure enough", m.Enough(split, voters(2, 20), Stop{Sure: 0.3}), true},
		{"a vote is worth all", m.Enough(split, voters(2, 20), Stop{Worth: 0.9}), true},
		{"a vote is worth nothing", m.Enough(agreed, voters(4, 20), Stop{Sure: 1, Worth: 1e-12}), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: enough is %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestEnoughIsMonotonicInWorth(t *testing.T) {
	for name, o := range kinds(3) {
		_, m := learnedFrom(o, 44, 3)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			b := drawBallots(t, nil, letters(3))
			rest := voters(rapid.IntRange(0, 9).Draw(t, "from"), 12)
			enough := false
			for _, worth := range []float64{1e-4, 1e-3, 0.01, 0.1, 1} {
				now := m.Enough(b, rest, Stop{Worth: worth})
				if enough && !now {
					t.Fatalf("enough for less, but not at %v a vote", worth)
				}
				enough = now
			}
		}))
	}
}

// gains returns the gain from asking the first voter of rest, the first two, and so on.
func gains(m *Model, b consensus.Ballots, rest []string) []float64 {
	var g []float64
	a := m.read(b).asking(b.Correlation())
	for _, name := range rest {
		a.ask(name)
		g = append(g, a.gain())
	}
	return g
}

func TestEveryVoteHasToBeWorthItsCost(t *testing.T) {
	w := newWorld(46, 2, even(25, 0.75, 0.65)...)
	book := newBook(nil)
	w.fill(book, 200, 0)
	m := aged(book.Learn(), 1<<30)
	b, _ := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "a"), vote(2, "a"), vote(3, "b")})
	rest := voters(4, 25)
	g := gains(m, b, rest)
	total, each := slices.Max(g), 0.0
	for i, x := range g {
		each = max(each, x/float64(i+1))
	}
	if worth := total / 3; each >= worth {
		t.Fatalf("votes gain %v each, all %v: this tests nothing", each, total)
	}
	if !m.Enough(b, rest, Stop{Worth: each * 1.001}) {
		t.Errorf("asks for a gain of %v by %d votes, at no more than %v each", total, len(rest), each)
	}
	if m.Enough(b, rest, Stop{Worth: each * 0.999}) {
		t.Errorf("does not ask at a gain of %v a vote", each)
	}
}

// aged returns the model as if it had learned the same from n decisions.
func aged(m *Model, n int) *Model {
	params := *m.params
	params.Decisions = n
	old := *m
	old.params = &params
	return &old
}

func TestAYoungModelAsksMore(t *testing.T) {
	for name, o := range kinds(3) {
		_, m := learnedFrom(o, 47, 0)
		if m.params.Decisions != 80 {
			t.Errorf("%s: learned from %d decisions, want 80", name, m.params.Decisions)
		}
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			b := drawBallots(t, nil, letters(3))
			n := rapid.IntRange(0, 1000).Draw(t, "decisions")
			young, old := aged(m, n).Enough(b, voters(3, 9), Stop{}), aged(m, 10*n+10).Enough(b, voters(3, 9), Stop{})
			if young && !old {
				t.Fatalf("enough after learning from %d decisions, but not from ten times as many", n)
			}
		}))
		fewer := false
		for _, worth := range []float64{0.001, 0.01, 0.1} {
			var cast []consensus.Vote
			for j := range 6 {
				cast = append(cast, vote(j, "a"))
				b, _ := consensus.NewBallots(nil, letters(3), cast)
				young, old := aged(m, 1).Enough(b, voters(6, 12), Stop{1, worth}), aged(m, 1e6).Enough(b, voters(6, 12), Stop{1, worth})
				fewer = fewer || old && !young
			}
		}
		if !fewer {
			t.Errorf("%s: what it learned from changes nothing", name)
		}
	}
}

func TestTheNumberOfDecisionsLearnedFromIsSaved(t *testing.T) {
	w := newWorld(48, 2, even(5, 0.9, 0.6)...)
	book := newBook(&Options{Window: 60})
	w.fill(book, 60, 0)
	want := book.Learn().params.Decisions
	w.fill(book, 1, 0) // a quarter of the window is dropped
	saved, err := json.Marshal(book)
	if err != nil {
		t.Fatal(err)
	}
	var restored Book
	if err := json.Unmarshal(saved, &restored); err != nil {
		t.Fatal(err)
	}
	if got := restored.model.params.Decisions; got != want || want != 60 {
		t.Errorf("%d decisions after restoring, %d before, want 60", got, want)
	}
}

func TestProbabilitiesOfTheNextVotesSumToOne(t *testing.T) {
	for name, o := range kinds(3) {
		_, m := learnedFrom(o, 51, 0)
		m.params.Others = 1 // where there are more, some is said that nobody named yet
		b, _ := consensus.NewBallots(nil, letters(3), []consensus.Vote{vote(0, "a"), vote(1, "b")})
		a := m.read(b).asking(b.Correlation())
		for j := range m.params.Voters {
			for c := range a.field {
				sum := 0.0
				for l := range a.field {
					sum += a.saysOne(j, 0, c, l)
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Fatalf("%s: voter %d says something with probability %v", name, j, sum)
				}
			}
		}
	}
}

func TestContestIsBetweenTheTwoMostProbable(t *testing.T) {
	for name, o := range kinds(3) {
		_, m := learnedFrom(o, 52, 3)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			b := drawBallots(t, nil, letters(3)[:rapid.IntRange(1, 3).Draw(t, "proposals")])
			r := m.read(b)
			if !r.heard() {
				return
			}
			a := r.contest(b.Correlation())
			if a.first < a.second || a.lead == a.rival {
				t.Fatalf("%d with %v leads %d with %v", a.lead, a.first, a.rival, a.second)
			}
			p := a.probabilities(b.Correlation())
			if len(r.questions) == 1 && p[a.lead] < p[a.rival]-1e-9 {
				t.Fatalf("%d leads %d, with probabilities %v", a.lead, a.rival, p)
			}
			if each, none := m.Probabilities(b); name == "own" || name == "stances" {
				first, second := topTwo(append(each, none))
				if math.Abs(first-a.first) > 1e-9 || math.Abs(second-a.second) > 1e-9 {
					t.Fatalf("between %v and %v, want %v and %v", a.first, a.second, first, second)
				}
			}
		}))
	}
}

// slowGain enumerates all votes of the voters asked: for the leader, the runner-up or something else.
func slowGain(m *Model, b consensus.Ballots, rest []string, said []int) float64 {
	r, p := m.read(b), m.params
	q := r.questions[0]
	prob := q.probabilities(b.Correlation())
	lead, rival := 0, 1
	if prob[1] > prob[0] {
		lead, rival = 1, 0
	}
	k := float64(q.field)
	rightly := func(j int32) float64 { return 1 / (1 + math.Exp(-p.Rate[j])) }
	n, balance := float64(len(said)), 0.0
	move := func(j int32) float64 { return math.Max(0.01, math.Abs(p.Base[j]+math.Log(k-1))) }
	for h, l := range said {
		switch l {
		case lead:
			balance += q.share[h] * move(q.voices[h].voter)
		case rival:
			balance -= q.share[h] * move(q.voices[h].voter)
		}
	}
	rho := p.Corr.Pooled
	last := n + float64(len(rest)) - 1
	balance = max(0, balance) / (1 + rho*last) * (1 + rho*(n-1))
	gain := 0.0
	for i := range 2 {
		mean, square := 0.0, 0.0
		var all func(at int, chance, sum float64)
		all = func(at int, chance, sum float64) {
			if at == len(rest) {
				mean += chance * sum
				square += chance * sum * sum
				return
			}
			j := m.voter(rest[at])
			x, step := rightly(j), move(j)/(1+rho*(n+float64(at)))
			wrong := (1 - x) * m.params.instead(q.field, lead, rival)
			first, second := x, wrong
			if i == 1 {
				first, second = wrong, x
			}
			all(at+1, chance*first, sum+step)
			all(at+1, chance*second, sum-step)
			all(at+1, chance*(1-first-second), sum)
		}
		all(0, 1, 0)
		flips := distuv.Normal{Mu: mean, Sigma: math.Sqrt(square - mean*mean)}.CDF(-balance)
		gain += []float64{-prob[lead], prob[rival]}[i] * flips
	}
	return gain
}

func TestGainAgreesWithEnumeration(t *testing.T) {
	_, m := learnedFrom(nil, 50, 0)
	m.params.Peers, m.params.Crowd = nil, 1 // only the rates structure
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "votes")
		var cast []consensus.Vote
		said := []int{0, 1} // both have votes
		for len(said) < n {
			said = append(said, rapid.IntRange(0, 1).Draw(t, "said"))
		}
		for j, l := range said {
			cast = append(cast, vote(j, letters(2)[l]))
		}
		b, _ := consensus.NewBallots(nil, letters(2), cast)
		rest := voters(n, n+rapid.IntRange(1, 5).Draw(t, "asked")) // some are newcomers
		want, g := slowGain(m, b, rest, said), gains(m, b, rest)
		if got := g[len(g)-1]; math.Abs(got-want) > 1e-6 {
			t.Fatalf("gain %v, slowly %v", got, want)
		}
	})
}

func TestStoppingSavesVotes(t *testing.T) {
	w := newWorld(45, 2, even(15, 0.92, 0.6)...)
	b := newBook(nil)
	w.fill(b, 300, 3)
	m := b.Model()
	asked, hits, all := 0, 0, 0
	for range 200 {
		full, truth := w.decision(nil)
		said := map[string]consensus.Vote{}
		for v := range full.Votes() {
			said[v.Voter] = v
		}
		rest := voters(0, 15)
		var cast []consensus.Vote
		now, _ := consensus.NewBallots(nil, letters(2), nil)
		for !m.Enough(now, rest, Stop{}) {
			next := m.Next(now, rest, nil)
			cast = append(cast, said[next])
			rest = slices.DeleteFunc(rest, func(name string) bool { return name == next })
			now, _ = consensus.NewBallots(nil, letters(2), cast)
		}
		asked, all = asked+len(cast), all+15
		if each, _ := m.Probabilities(now); each[0] > each[1] == (truth == "a") {
			hits++
		}
	}
	if asked > all/2 || hits < 180 {
		t.Errorf("%d of 200 right with %d of %d votes", hits, asked, all)
	}
}
