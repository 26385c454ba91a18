package consensus_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// kemenyBruteForce tries every order, and returns how many are best.
func kemenyBruteForce(p *consensus.Profile) (r consensus.Ranking, best int) {
	least, place, names := math.MaxInt, map[string]int{}, p.Candidates()
	var permute func(k int)
	permute = func(k int) {
		if k < len(names) {
			for i := k; i < len(names); i++ {
				names[k], names[i] = names[i], names[k]
				permute(k + 1)
				names[k], names[i] = names[i], names[k]
			}
			return
		}
		var order consensus.Ranking
		for _, c := range names {
			order = append(order, []string{c})
		}
		cost := p.Contradicted(order)
		if cost < least {
			least, best = cost, 0
			clear(place)
		}
		if cost == least {
			best++
		}
		for i, c := range names {
			if cost == least {
				place[c] += i
			}
		}
	}
	permute(0)
	return byPlace(place), best
}

func byPlace(place map[string]int) consensus.Ranking {
	tiers := map[int][]string{}
	for c, i := range place {
		tiers[i] = append(tiers[i], c)
	}
	var r consensus.Ranking
	keys := []int{}
	for i := range tiers {
		keys = append(keys, i)
	}
	slices.Sort(keys)
	for _, i := range keys {
		slices.Sort(tiers[i])
		r = append(r, tiers[i])
	}
	return r
}

func TestKemenyAgreesWithTryingEveryOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawElection(t, 1, 6, false).profileIn(t)
		want, _ := kemenyBruteForce(p)
		if diff := cmp.Diff(want, kemeny(p)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// The strongest path, by trying every one.
func TestSchulzeAgreesWithTryingEveryPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawElection(t, 1, 5, false)
		p := e.profileIn(t)
		r := p.Schulze()
		for _, a := range e.candidates {
			beaten := false
			for _, b := range e.candidates {
				beaten = beaten || a != b && strongest(p, b, a, nil) > strongest(p, a, b, nil)
			}
			if i, _ := tierOf(r, a); (i == 0) == beaten {
				t.Fatalf("%v, but %s is beaten: %v\n%v", r, a, beaten, e.rankings)
			}
		}
	})
}

func strongest(p *consensus.Profile, a, b string, seen []string) int {
	best := math.MinInt
	for _, via := range p.Candidates() {
		margin := p.Prefer(a, via) - p.Prefer(via, a)
		switch {
		case via == b:
			best = max(best, margin)
		case via != a && !slices.Contains(seen, via):
			best = max(best, min(margin, strongest(p, via, b, append(slices.Clip(seen), a))))
		}
	}
	return best
}

func repeat(n int, order string) []consensus.Ranking {
	var r consensus.Ranking
	for _, c := range order {
		r = append(r, []string{string(c)})
	}
	return slices.Repeat([]consensus.Ranking{r}, n)
}

// The example of Schulze's paper, section 3.1 of the 2018 edition: 45 voters, E A C B D.
func TestSchulzeDecidesAsPublished(t *testing.T) {
	e := election{candidates: []string{"A", "B", "C", "D", "E"}, rankings: slices.Concat(
		repeat(5, "ACBED"), repeat(5, "ADECB"), repeat(8, "BEDAC"), repeat(3, "CABED"),
		repeat(7, "CAEBD"), repeat(2, "CBADE"), repeat(7, "DCEBA"), repeat(8, "EBADC"),
	)}
	if got := fmt.Sprint(e.profile(t).Schulze()); got != "[[E] [A] [C] [B] [D]]" {
		t.Errorf("got %v", got)
	}
}

// Capitals of Tennessee: the textbook case in which Condorcet's winner is the middle one.
func TestTennessee(t *testing.T) {
	e := election{candidates: []string{"M", "N", "C", "K"}, rankings: slices.Concat(
		repeat(42, "MNCK"), repeat(26, "NCKM"), repeat(15, "CKNM"), repeat(17, "KCNM"),
	)}
	for name, rule := range ranked {
		want := "[[N] [C] [K] [M]]"
		if name == "borda" {
			want = "[[N] [C] [M] [K]]" // 194, 173, 126 and 107 points
		}
		if got := fmt.Sprint(rule(e.profile(t))); got != want {
			t.Errorf("%s says %v, want %v", name, got, want)
		}
	}
}

func TestKemenyRefusesMoreThanItCanOrder(t *testing.T) {
	var names []string
	for i := range consensus.KemenyMost + 1 {
		names = append(names, fmt.Sprint(i))
	}
	_, err := election{candidates: names}.profile(t).Kemeny()
	var fe *consensus.FieldError
	if !errors.As(err, &fe) || fe.Field != "candidates" || fe.Value != consensus.KemenyMost+1 {
		t.Errorf("error %v", err)
	}
	e := election{candidates: names[1:], rankings: []consensus.Ranking{{names[3:5], {names[7]}}}}
	if got := fmt.Sprint(kemeny(e.profile(t))[:2]); got != "[[3 4] [7]]" {
		t.Errorf("got %v", got)
	}
}

func TestBadRankingsAreRefusedByName(t *testing.T) {
	for _, tt := range []election{
		{[]string{"a", "a"}, nil},
		{[]string{"a", ""}, nil},
		{[]string{"a"}, []consensus.Ranking{{{"b"}}}},
		{[]string{"a"}, []consensus.Ranking{{{"a"}, {"a"}}}},
		{[]string{"a"}, []consensus.Ranking{{{"a", "a"}}}},
	} {
		_, err := consensus.NewProfile(tt.candidates, tt.rankings...)
		var fe *consensus.FieldError
		if !errors.As(err, &fe) || fe.Field != "candidate" {
			t.Errorf("%v: error %v", tt, err)
		}
	}
}

func ExampleProfile() {
	profile, err := consensus.NewProfile([]string{"go", "rust", "zig"},
		consensus.Ranking{{"go"}, {"rust"}, {"zig"}},
		consensus.Ranking{{"go"}, {"rust"}, {"zig"}},
		consensus.Ranking{{"rust"}, {"zig"}, {"go"}},
		consensus.Ranking{{"zig", "rust"}}, // go is left out: last
		consensus.Ranking{{"go"}, {"zig", "rust"}},
	)
	if err != nil {
		panic(err)
	}
	kemeny, err := profile.Kemeny()
	if err != nil {
		panic(err)
	}
	fmt.Println("borda", profile.Borda())
	fmt.Println("schulze", profile.Schulze())
	fmt.Println("kemeny", kemeny, "contradicts", profile.Contradicted(kemeny))
	// Output:
	// borda [[go rust] [zig]]
	// schulze [[go] [rust] [zig]]
	// kemeny [[go] [rust] [zig]] contradicts 4
}

func BenchmarkRanked(b *testing.B) {
	for _, n := range []int{5, 10, 16} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("candidate-", i))
		}
		e := election{candidates: names}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 101 {
			var r consensus.Ranking
			for _, i := range rng.Perm(n) {
				r = append(r, names[i:i+1])
			}
			e.rankings = append(e.rankings, r)
		}
		p := e.profile(b)
		for name, rule := range ranked {
			b.Run(fmt.Sprintf("%s/candidates=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					rule(p)
				}
			})
		}
	}
}
