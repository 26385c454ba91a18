package reliability

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// families returns a book of n decisions; in a fifth of them, the voters of a family are misled together.
func families(r *rand.Rand, of []string, n int) *Book {
	b := newBook(&Options{Choices: letters(4)})
	for range n {
		truth := r.IntN(4)
		astray := map[string]int{}
		var cast []consensus.Vote
		for j, family := range of {
			if _, ok := astray[family]; !ok {
				astray[family] = truth
				if family != "" && r.Float64() < 0.2 {
					astray[family] = r.IntN(4)
				}
			}
			said := astray[family]
			if r.Float64() < 0.15 {
				said = r.IntN(4)
			}
			cast = append(cast, vote(j, b.o.Choices[said]))
		}
		ballots, err := consensus.NewBallots(nil, b.o.Choices, cast)
		if err != nil {
			panic(err)
		}
		if err := b.Observe("", ballots); err != nil {
			panic(err)
		}
	}
	return b
}

func TestGroupsHaveVotersWhoErrTogether(t *testing.T) {
	of := []string{"a", "", "b", "a", "b", "", "a", "b", ""}
	m := families(rand.New(rand.NewPCG(1, 1)), of, 400).Learn()
	want := map[string]string{"v0": "v0", "v3": "v0", "v6": "v0", "v2": "v2", "v4": "v2", "v7": "v2"}
	if got := m.Groups(0.2); !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	if got := m.Groups(0.99); len(got) != 0 {
		t.Errorf("groups %v of voters who err independently", got)
	}
	if got := m.Groups(0); len(got) < 6 {
		t.Errorf("groups %v of all voters with any correlation", got)
	}
	if got := stranger.Groups(0.1); len(got) != 0 {
		t.Errorf("groups %v of newcomers", got)
	}
}

func TestOccasionalColludersAreAGroup(t *testing.T) {
	measures(t)
	w := newWorld(43, 4, even(12, 0.85, 0.75)...)
	w.liars, w.sleeps = 3, 0.7
	for _, every := range []int{0, 3} {
		b := newBook(&Options{Choices: w.choices})
		w.fill(b, 900, every)
		m := b.Learn()
		want := map[string]string{"v10": "v10", "v11": "v10", "v9": "v10"}
		if got := m.Groups(0.3); !reflect.DeepEqual(got, want) {
			t.Errorf("every %d: groups %v, want %v", every, got, want)
		}
		if got := m.Correlation("v9", "v10"); got < 0.3 {
			t.Errorf("every %d: correlation %v of two colluders", every, got)
		}
		if got := m.Correlation("v0", "v0"); got != closest {
			t.Errorf("a voter and itself have %v", got)
		}
	}
}

func TestVotersWithoutPairwiseCorrelationsAreInNoGroup(t *testing.T) {
	b := families(rand.New(rand.NewPCG(2, 1)), []string{"a", "", "b", "a", "b", "", "a", "b", ""}, 400)
	b.o.MaxPairs = 2
	m := b.Learn()
	if m.Correlation("v0", "v1") < 0.01 {
		t.Fatalf("all share the correlation %v", m.Correlation("v0", "v1"))
	}
	if m.Correlation("v0", "v0") != closest {
		t.Error("a voter does not err with itself")
	}
	if got := m.Groups(0.01); len(got) != 0 {
		t.Errorf("groups %v", got)
	}
}

func TestGroupsMergeByMeanCorrelation(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 2 + r.IntN(12)
		m := &Model{voters: map[string]int32{}, params: &parameters{Voters: n + 1, Corr: &correlation{Voters: n, Pair: make([]float64, n*n)}}}
		for i := range n {
			m.voters[fmt.Sprintf("v%02d", i)] = int32(i)
			for j := range i {
				x := r.Float64()
				m.params.Corr.Pair[i*n+j], m.params.Corr.Pair[j*n+i] = x, x
			}
		}
		for _, least := range []float64{0.3, 0.5, 0.7} {
			if got, want := m.Groups(least), slowGroups(m, least); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %v: %v, want %v", seed, least, got, want)
			}
		}
	}
}

// slowGroups recomputes every mean from the pairs.
func slowGroups(m *Model, least float64) map[string]string {
	var groups [][]string
	for _, name := range m.Voters() {
		groups = append(groups, []string{name})
	}
	for {
		a, b, top := 0, 0, 0.0
		for i, x := range groups {
			for j, y := range groups[:i] {
				mean := 0.0
				for _, p := range x {
					for _, q := range y {
						mean += m.Correlation(p, q) / float64(len(x)*len(y))
					}
				}
				if mean > top {
					a, b, top = j, i, mean
				}
			}
		}
		if top < least {
			break
		}
		groups[a] = append(groups[a], groups[b]...)
		groups = slices.Delete(groups, b, b+1)
	}
	of := map[string]string{}
	for _, g := range groups {
		for _, name := range g {
			if len(g) > 1 {
				of[name] = slices.Min(g)
			}
		}
	}
	return of
}

func BenchmarkGroups(b *testing.B) {
	n := 512
	r := rand.New(rand.NewPCG(1, 3))
	m := &Model{voters: map[string]int32{}, params: &parameters{Voters: n + 1, Corr: &correlation{Voters: n, Pair: make([]float64, n*n)}}}
	for i := range n {
		m.voters[fmt.Sprintf("v%03d", i)] = int32(i)
		for j := range n {
			m.params.Corr.Pair[i*n+j] = r.Float64()
		}
	}
	for b.Loop() {
		m.Groups(0.1)
	}
}

func TestVotersWhoCountAsOneAreAGroupOfNearlyOne(t *testing.T) {
	b, w := newBook(nil), newWorld(31, 4, .9, .7, .7, .7, .7, .7)
	w.clones = 3
	w.fill(b, 150, 0)
	want := map[string]string{"v3": "v3", "v4": "v3", "v5": "v3"}
	if got := b.Learn().Groups(0.9); !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}
