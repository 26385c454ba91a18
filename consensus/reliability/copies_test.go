package reliability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestOfCopiesWhoeverVotesIsHeardOnce(t *testing.T) {
	b := newBatch(2, false)
	b.add(votes{voter: []int32{0, 1, 2}, said: []int32{0, 0, 1}, field: 2})
	b.add(votes{voter: []int32{1, 2}, said: []int32{1, 0}, field: 2}) // without the first of the copies
	b.add(votes{voter: []int32{1, 3}, said: []int32{1, 0}, stated: []float64{0.7, 1}, field: 2})
	b.Known[1] = 1
	one := b.oneOfEach([]int32{0, 0, 2, 0})
	want := []votes{
		{voter: []int32{0, 2}, said: []int32{0, 1}},
		{voter: []int32{0, 2}, said: []int32{1, 0}},
		{voter: []int32{0}, said: []int32{1}, stated: []float64{0.7}},
	}
	for i, w := range want {
		v := one.votes(i)
		if !slices.Equal(v.voter, w.voter) || !slices.Equal(v.said, w.said) || w.stated != nil && v.sure(0) != w.stated[0] {
			t.Errorf("decision %d has %v, want %v", i, v, w)
		}
	}
	if one.Voters != 4 || !slices.Equal(one.Known, b.Known) {
		t.Errorf("of %d voters and outcomes %v, there are %d and %v", 4, b.Known, one.Voters, one.Known)
	}
}

func TestGroupsAreConnectedWhateverTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		n := 1 + r.IntN(12)
		alike := make([][]bool, n)
		for i := range alike {
			alike[i] = make([]bool, n)
		}
		pairs := r.IntN(n + 1)
		for range pairs {
			i, j := r.IntN(n), r.IntN(n)
			alike[i][j], alike[j][i] = true, true
		}
		want := connected(alike)
		got := group(n, func(j, g int) bool { return alike[j][g] })
		if got == nil {
			got = identity(n)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("groups of %v are %v, want %v", alike, got, want)
		}
	}
}

// connected returns the first item that each can be reached from.
func connected(alike [][]bool) []int32 {
	of := identity(len(alike))
	for range alike {
		for i := range alike {
			for j := range alike {
				if alike[i][j] {
					of[i] = min(of[i], of[j])
				}
			}
		}
	}
	return of
}

func identity(n int) []int32 {
	of := make([]int32, n)
	for i := range of {
		of[i] = int32(i)
	}
	return of
}

func TestCopiesAreFoundByTheirVotes(t *testing.T) {
	alike, apart := []int32{0, 0, 1, 1}, []int32{0, 0, 1, 2} // four voters, too few to look for sources among them
	one, other := []int32{0, 0, 0, 0, 0, 0, 0}, []int32{0, 0, 0, 0, 0, 0, 1}
	few, fewOther := []int32{0, 0, 0, 1}, []int32{0, 0, 1, 0}
	often := slices.Concat(repeated(29, []int32{0, 0, 0}), repeated(1, []int32{0, 0, 1}), repeated(30, []int32{-1, 0, 1}))
	for _, c := range []struct {
		what    string
		decided [][]int32
		want    []int32
	}{
		{"they dissent together", repeated(20, alike), []int32{0, 0, 2, 2}},
		{"too seldom", repeated(19, alike), nil},
		{"in 17 of 20", slices.Concat(repeated(17, alike), repeated(3, apart)), []int32{0, 1, 2, 2}},
		{"in 16 of 20", slices.Concat(repeated(16, alike), repeated(4, apart)), nil},
		{"a single vote is no plurality", repeated(20, []int32{0, 1, 1}), nil},
		{"the others are tied", repeated(20, []int32{0, 0, 1, 1, 2, 2}), nil},
		{"they always agree", repeated(15, few, fewOther), []int32{0, 0, 2, 3}},
		{"in too few decisions", repeated(14, few, fewOther), nil},
		{"however many they are", repeated(15, one, other), []int32{0, 0, 0, 0, 0, 0, 6}},
		{"there is nobody else", repeated(30, []int32{0, 0}), nil},
		{"one of them agrees with the others too", often, nil},
	} {
		b := newBatch(3, false)
		for _, said := range c.decided {
			v := votes{field: 3}
			for j, l := range said {
				if l >= 0 {
					v.voter, v.said = append(v.voter, int32(j)), append(v.said, l)
				}
			}
			b.add(v)
		}
		if got := copies(&b, nil, nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: groups %v, want %v", c.what, got, c.want)
		}
	}
}

func repeated(n int, decisions ...[]int32) [][]int32 { return slices.Repeat(decisions, n) }

func TestFittingStartsWithOneVoteForAllCopies(t *testing.T) {
	b := newBatch(2, false)
	b.add(votes{voter: []int32{0, 1, 2}, said: []int32{0, 0, 1}, field: 2})
	b.add(votes{voter: []int32{1, 2}, said: []int32{0, 1}, field: 2})
	e := newEM(&b, (*Options)(nil).withDefaults(), []int32{0, 0, 2})
	if want := []float64{0.5, 0.5, 1, 1, 1}; !slices.Equal(e.f, want) {
		t.Errorf("votes weigh %v, want %v", e.f, want)
	}
}

func TestAPairThatAgreesInNineteenOfTwentyIsOneVoter(t *testing.T) {
	const draws = 20
	for choices := 2; choices <= 3; choices++ {
		found, falsely := 0, 0
		for seed := range uint64(draws) {
			w := newWorld(4500+seed, choices, 0.8, 0.7, 0.65, 0.6, 0.6, 0.6)
			b := newBatch(choices, false)
			for range 100 {
				truth := w.IntN(choices)
				v := votes{field: int32(choices)}
				for j, p := range w.right {
					said := truth
					if w.Float64() > p {
						said = (truth + 1 + w.IntN(choices-1)) % choices
					}
					v.voter, v.said = append(v.voter, int32(j)), append(v.said, int32(said))
				}
				if w.Float64() < 0.95 {
					v.said[5] = v.said[4]
				}
				b.add(v)
			}
			groups := copies(&b, nil, nil)
			if groups != nil && groups[5] == 4 {
				found++
			}
			for j, g := range groups {
				if j < 5 && int(g) != j {
					falsely++
				}
			}
		}
		if found < draws*3/4 || falsely > 0 {
			t.Errorf("%d choices: found in %d of %d, others joined in %d", choices, found, draws, falsely)
		}
	}
}

func TestVotersOfOneGroupAreCopiesSooner(t *testing.T) {
	const draws = 20
	for alike, least := range map[float64]int{0: 0, 0.75: draws * 3 / 4} {
		var found [2]int
		for told := range 2 {
			for seed := range uint64(draws) {
				w := newWorld(4700+seed, 2, 0.75, 0.7, 0.65, 0.6, 0.6, 0.6)
				o := new(consensus.Options)
				if told == 1 {
					o.Groups = map[string]string{"v4": "g", "v5": "g"}
				}
				b := newBook(&Options{Choices: w.choices})
				for range 60 {
					x, _ := w.near(o, 4, 5, alike)
					if err := b.Observe("", x); err != nil {
						t.Fatal(err)
					}
				}
				if m := b.Learn(); m.params.first(5) == 4 {
					found[told]++
				}
			}
		}
		if found[0] > draws/4 || found[1] < least || alike == 0 && found[1] > 0 {
			t.Errorf("alike in %v: found in %d of %d, in %d if told", alike, found[0], draws, found[1])
		}
	}
}

// near draws a decision in which voter j says what voter i does in the given share of decisions.
func (w *world) near(o *consensus.Options, i, j int, share float64) (consensus.Ballots, string) {
	x, right := w.decision(o)
	cast := slices.Collect(x.Votes())
	if w.Float64() < share {
		cast[j].ProposalID = cast[i].ProposalID
	}
	b, err := consensus.NewBallots(o, w.choices, cast)
	if err != nil {
		panic(err)
	}
	return b, right
}

func TestAGroupOfAllSetsNobodyApart(t *testing.T) {
	b := newBatch(2, false)
	for range 10 {
		b.add(votes{voter: []int32{0, 1, 2, 3, 4}, said: []int32{0, 0, 0, 1, 1}, field: 2})
	}
	for _, c := range []struct{ groups, others string }{{"g", "g"}, {"g", ""}} {
		got := copies(&b, []string{c.others, c.others, c.others, c.groups, c.groups}, nil)
		if together := got != nil; together != (c.groups != c.others) {
			t.Errorf("groups %q and %q: %v", c.groups, c.others, got)
		}
	}
}

func TestVotersWithoutAGroupAreNoGroup(t *testing.T) {
	b := newBatch(2, false)
	for range 10 {
		b.add(votes{voter: []int32{0, 1, 2, 3, 4}, said: []int32{0, 0, 0, 1, 1}, field: 2})
	}
	if got := copies(&b, []string{"g", "h", "i", "", ""}, nil); got != nil {
		t.Errorf("two who are in no group are copies by what groups take: %v", got)
	}
}

// Whichever of two copies votes, and whatever their names, the vote means the same.
func TestAVoteOfACopyIsAsGoodAsThatOfTheFirst(t *testing.T) {
	for tell, o := range []*Options{nil, nil, {Choices: letters(3)}} { // with 1, every outcome is told
		tell %= 2
		w := newWorld(41, 3, .6, .6, .8, .7, .65, .75)
		w.means = []float64{3, 3, 0.5, 0.5, 0.5, 0.5}
		b := newBook(o)
		for i := range 200 {
			drawn, right := w.decision(nil)
			var cast []consensus.Vote
			for v := range drawn.Votes() {
				if v.Voter == "v1" { // says what v0 says
					v.ProposalID, v.Weight = cast[0].ProposalID, cast[0].Weight
				}
				cast = append(cast, v)
			}
			if err := observe(b, fmt.Sprint(i), between(t, w.choices, cast...), right, nth(i, tell)); err != nil {
				t.Fatal(err)
			}
		}
		m := b.Learn()
		if m.params.first(1) != 0 {
			t.Fatalf("v1 is no copy: %v", m.params.Shared)
		}
		v0, v1 := vote(0, "a"), vote(1, "a")
		v0.Weight, v1.Weight = 0.95, 0.95
		first, _ := m.Calibrated("v0", 0.95, 3)
		copied, _ := m.Calibrated("v1", 0.95, 3)
		by, _ := m.Probabilities(saidBy(t, v0, vote(2, "b")))
		byCopy, _ := m.Probabilities(saidBy(t, v1, vote(2, "b")))
		if first != copied || tell == 0 && !(math.Abs(by[0]-byCopy[0]) < 0.01) {
			t.Errorf("every %d told: v0 is right in %.3f, v1 in %.3f; %.3f and %.3f against another", tell, first, copied, by[0], byCopy[0])
		}
	}
}
