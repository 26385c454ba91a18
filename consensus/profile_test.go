package consensus_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// rules of ranking, each of a profile.
var ranked = map[string]func(*consensus.Profile) consensus.Ranking{
	"borda":   (*consensus.Profile).Borda,
	"schulze": (*consensus.Profile).Schulze,
	"kemeny":  kemeny,
}

func kemeny(p *consensus.Profile) consensus.Ranking {
	r, err := p.Kemeny()
	if err != nil {
		panic(err)
	}
	return r
}

// election is the input of a profile.
type election struct {
	candidates []string
	rankings   []consensus.Ranking
}

func (e election) profile(t testing.TB) *consensus.Profile {
	p, err := consensus.NewProfile(e.candidates, e.rankings...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// drawElection draws few rankings, often alike, with ties and candidates left out unless strict.
func drawElection(t *rapid.T, least, most int, strict bool) election {
	e := election{candidates: []string{"a", "b", "c", "d", "e", "f"}[:rapid.IntRange(least, most).Draw(t, "candidates")]}
	for range rapid.IntRange(0, 7).Draw(t, "voters") {
		order := rapid.Permutation(e.candidates).Draw(t, "order")
		var r consensus.Ranking
		for i, name := range order {
			if kind := rapid.IntRange(0, 9).Draw(t, "kind"); strict || i == 0 || kind < 7 {
				r = append(r, []string{name})
			} else if kind < 9 {
				r[len(r)-1] = append(r[len(r)-1], name)
			}
		}
		e.rankings = append(e.rankings, r)
	}
	return e
}

func (e election) rename(name func(string) string) election {
	f := election{}
	for _, c := range e.candidates {
		f.candidates = append(f.candidates, name(c))
	}
	for _, r := range e.rankings {
		f.rankings = append(f.rankings, renamed(r, name))
	}
	return f
}

func renamed(r consensus.Ranking, name func(string) string) consensus.Ranking {
	var s consensus.Ranking
	for _, tied := range r {
		var u []string
		for _, c := range tied {
			u = append(u, name(c))
		}
		slices.Sort(u)
		s = append(s, u)
	}
	return s
}

// tierOf returns the tier of a candidate and the number of candidates in it.
func tierOf(r consensus.Ranking, name string) (tier, with int) {
	for i, tied := range r {
		if slices.Contains(tied, name) {
			return i, len(tied)
		}
	}
	return math.MaxInt, 0
}

// law checks something for each of the rules named, on random elections.
func law(t *testing.T, strict bool, rules []string, check func(*rapid.T, election, func(*consensus.Profile) consensus.Ranking)) {
	for _, name := range rules {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			for range 5 {
				check(t, drawElection(t, 1, 5, strict), ranked[name])
			}
		}))
	}
}

var three = []string{"borda", "schulze", "kemeny"}

func (e election) decide(t *rapid.T, rule func(*consensus.Profile) consensus.Ranking) consensus.Ranking {
	p, err := consensus.NewProfile(e.candidates, e.rankings...)
	if err != nil {
		t.Fatal(err)
	}
	return rule(p)
}

func TestEveryCandidateHasOnePlace(t *testing.T) {
	law(t, false, three, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		r := e.decide(t, rule)
		if got := slices.Sorted(slices.Values(slices.Concat(r...))); !slices.Equal(got, e.candidates) {
			t.Fatalf("%v places %q", r, got)
		}
	})
}

func TestRankingIsAnonymousAndNeutral(t *testing.T) {
	law(t, false, three, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		other := map[string]string{}
		names := rapid.Permutation(e.candidates).Draw(t, "names")
		for i, c := range e.candidates {
			other[c] = names[i]
		}
		name := func(c string) string { return other[c] }
		f := e.rename(name)
		f.candidates = rapid.Permutation(f.candidates).Draw(t, "candidates")
		f.rankings = rapid.Permutation(f.rankings).Draw(t, "rankings")
		if diff := cmp.Diff(renamed(e.decide(t, rule), name), f.decide(t, rule)); diff != "" {
			t.Fatalf("renaming and shuffling %+v changes the order:\n%s", e, diff)
		}
	})
}

func TestAUnanimousPreferenceIsKept(t *testing.T) {
	law(t, false, three, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		p := e.profileIn(t)
		r := rule(p)
		for _, a := range e.candidates {
			for _, b := range e.candidates {
				i, _ := tierOf(r, a)
				j, _ := tierOf(r, b)
				if p.Voters() > 0 && p.Prefer(a, b) == p.Voters() && i >= j {
					t.Fatalf("%v, but all prefer %s to %s\n%v", r, a, b, e.rankings)
				}
			}
		}
	})
}

func (e election) profileIn(t *rapid.T) *consensus.Profile {
	p, err := consensus.NewProfile(e.candidates, e.rankings...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheCondorcetWinnerStandsFirst(t *testing.T) {
	found := 0
	law(t, false, []string{"schulze", "kemeny"}, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		p := e.profileIn(t)
		if c := p.Condorcet(); c != "" {
			found++
			if r := rule(p); r.Top() != c {
				t.Fatalf("%v, but a majority prefers %s to each\n%v", r, c, e.rankings)
			}
		}
	})
	if found < 100 {
		t.Errorf("%d Condorcet winners", found)
	}
}

func TestBordaNeverPutsTheCondorcetWinnerLastOrTheLoserFirst(t *testing.T) {
	law(t, false, []string{"borda"}, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		r := e.decide(t, rule)
		if i, _ := tierOf(r, e.profileIn(t).Condorcet()); i == len(r)-1 && len(e.candidates) > 1 {
			t.Fatalf("%v has the winner last\n%v", r, e.rankings)
		}
		f := e.reversed()
		if i, _ := tierOf(r, f.profileIn(t).Condorcet()); i == 0 && len(e.candidates) > 1 {
			t.Fatalf("%v has the loser first\n%v", r, e.rankings)
		}
	})
}

func (e election) reversed() election {
	f := election{candidates: e.candidates}
	for _, r := range e.rankings {
		full := append(slices.Clip(r), nil)
		for _, c := range e.candidates {
			if _, with := tierOf(r, c); with == 0 {
				full[len(r)] = append(full[len(r)], c)
			}
		}
		f.rankings = append(f.rankings, full.Reversed())
	}
	return f
}

// Borda and Kemeny reverse exactly; Schulze's tiers need not, but a sole winner
// does not win again.
func TestReversingTheRankingsReversesTheOrder(t *testing.T) {
	law(t, false, []string{"borda", "kemeny"}, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		if diff := cmp.Diff(e.decide(t, rule).Reversed(), e.reversed().decide(t, rule)); diff != "" {
			t.Fatalf("%v:\n%s", e.rankings, diff)
		}
	})
	law(t, false, []string{"schulze"}, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		r, s := e.decide(t, rule), e.reversed().decide(t, rule)
		if i, _ := tierOf(s, r.Top()); r.Top() != "" && len(e.candidates) > 1 && i == 0 {
			t.Fatalf("%s wins both ways\n%v", r.Top(), e.rankings)
		}
		if diff := cmp.Diff(r.Reversed(), s); len(r) == len(e.candidates) && diff != "" {
			t.Fatalf("%v without ties:\n%s", e.rankings, diff)
		}
	})
}

func TestRaisingAWinnerDoesItNoHarm(t *testing.T) {
	law(t, true, three, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		r := e.decide(t, rule)
		if len(e.rankings) == 0 || r.Top() == "" {
			return
		}
		i := rapid.IntRange(0, len(e.rankings)-1).Draw(t, "whose")
		f := election{e.candidates, slices.Clone(e.rankings)}
		f.rankings[i] = raise(f.rankings[i], r.Top(), rapid.IntRange(0, 4).Draw(t, "to"))
		if s := f.decide(t, rule); s.Top() != r.Top() {
			t.Fatalf("%v becomes %v\n%v\n%v", r, s, e.rankings, f.rankings)
		}
	})
}

// raise moves a candidate of a strict ranking up to a place.
func raise(r consensus.Ranking, name string, to int) consensus.Ranking {
	from, _ := tierOf(r, name)
	to = min(to, from)
	s := slices.Delete(slices.Clone(r), from, from+1)
	return slices.Insert(s, to, []string{name})
}

// Joining two electorates that order alike changes nothing for Borda and Kemeny (Young, 1975; Young and
// Levenglick, 1978): here without ties in the order, and for Kemeny with no other order that is as good.
// Two electorates may have the same mean of their best orders without having the same best orders.
func TestElectoratesThatOrderAlikeDoSoTogether(t *testing.T) {
	law(t, true, []string{"borda", "kemeny"}, func(t *rapid.T, e election, rule func(*consensus.Profile) consensus.Ranking) {
		half := len(e.rankings) / 2
		one, other := election{e.candidates, e.rankings[:half]}, election{e.candidates, e.rankings[half:]}
		r, s := one.decide(t, rule), other.decide(t, rule)
		if len(r) < len(e.candidates) || !cmp.Equal(r, s) || one.open(t) || other.open(t) {
			return
		}
		if both := e.decide(t, rule); !cmp.Equal(both, r) {
			t.Fatalf("both %v, together %v", r, both)
		}
	})
}

// open reports whether several orders contradict the fewest preferences.
func (e election) open(t *rapid.T) bool {
	_, best := kemenyBruteForce(e.profileIn(t))
	return best > 1
}
