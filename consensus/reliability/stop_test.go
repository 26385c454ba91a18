package reliability

import (
	"fmt"
	"slices"
	"testing"

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

func TestEnoughStaysEnoughWhenVotesAreWorthMore(t *testing.T) {
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

func TestEveryVoteHasToBeWorthItsCost(t *testing.T) {
	m := new(Book).Model()
	b, _ := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "a"), vote(2, "a"), vote(3, "b")})
	q := m.whole(b)
	each, none := m.Probabilities(b)
	first, second := topTwo(append(each, none))
	a := m.newAsking(&q, b.Correlation(), first, second)
	rest := voters(4, 25)
	one, many := a.gain(rest[:1]), a.gain(rest)
	worth := many / 3
	if one >= worth || many < worth {
		t.Fatalf("one vote gains %v, all %v: that tells nothing", one, many)
	}
	if !m.Enough(b, rest, Stop{Worth: worth}) {
		t.Errorf("asks at %v a vote for a gain of %v by %d votes", worth, many, len(rest))
	}
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
