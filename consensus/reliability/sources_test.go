package reliability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// crew is a team in which some follow others.
type crew struct {
	name   string
	right  []float64
	group  string  // a letter for each voter: the voters of an upper-case letter follow it; nobody follows '.'
	follow float64 // in which share of decisions
	source float64 // how often a source is right; 0: the first of the group is the source
	k      int     // number of choices
	hard   float64 // share of decisions in which all guess
}

// decision returns what each voter says, and the right choice.
func (c crew) decision(r *rand.Rand) (said []int32, truth int32) {
	truth = int32(r.IntN(c.k))
	hard := r.Float64() < c.hard
	draw := func(p float64) int32 {
		if hard {
			p = 1 / float64(c.k)
		}
		if r.Float64() < p {
			return truth
		}
		return (truth + 1 + int32(r.IntN(c.k-1))) % int32(c.k)
	}
	sources := map[byte]int32{}
	for j, p := range c.right {
		x, group := draw(p), byte('.')
		if c.group != "" {
			group = c.group[j]
		}
		source, known := sources[group]
		switch {
		case group == '.':
		case !known && c.source == 0:
			sources[group] = x
		case !known:
			source = draw(c.source)
			sources[group] = source
			fallthrough
		default:
			if r.Float64() < c.follow {
				x = source
			}
		}
		said = append(said, x)
	}
	return said, truth
}

func (c crew) batch(seed uint64, n int) *batch {
	r, b := rand.New(rand.NewPCG(seed, 15)), newBatch(c.k, false)
	voters := identity(len(c.right))
	for range n {
		said, _ := c.decision(r)
		b.add(votes{voter: voters, said: said, field: int32(c.k)})
	}
	return &b
}

// found returns the groups of sources in b.
func found(b *batch) []int32 { return explain(b).together(b.Voters) }

// want is the groups as they were planted.
func (c crew) want() []int32 {
	first := identity(len(c.right))
	for j := range c.group {
		if c.group[j] != '.' {
			first[j] = int32(slices.Index([]byte(c.group), c.group[j]))
		}
	}
	return first
}

func TestVotersOfOneSourceAreFound(t *testing.T) {
	measures(t)
	const draws = 10
	for _, c := range []crew{
		{name: "two of seven follow one", right: fill(7, 0.7), group: "AAA....", follow: 0.7, k: 4},
		{name: "they are worse than others", right: []float64{0.6, 0.6, 0.6, 0.75, 0.75, 0.75, 0.75}, group: "AAA....", follow: 0.8, k: 4},
		{name: "four of nine follow one", right: fill(9, 0.7), group: "AAAAA....", follow: 0.8, k: 4},
		{name: "two of one model", right: fill(6, 0.7), group: "AA....", follow: 0.85, source: 0.7, k: 4},
		{name: "one of four follows another", right: fill(4, 0.7), group: "AA..", follow: 0.9, k: 4},
		{name: "three models", right: fill(9, 0.7), group: "AAABBBCCC", follow: 0.85, source: 0.7, k: 4},
		{name: "four models", right: fill(12, 0.7), group: "AAABBBCCCDDD", follow: 0.8, source: 0.7, k: 4},
		{name: "two answers", right: fill(9, 0.7), group: "AAA......", follow: 0.85, k: 2},
		{name: "beside strong voters", right: []float64{0.9, 0.85, 0.9, 0.85, 0.6, 0.6, 0.6}, group: "....AAA", follow: 0.9, k: 4},
	} {
		times := 0
		for seed := range uint64(draws) {
			if slices.Equal(found(c.batch(seed, 150)), c.want()) {
				times++
			}
		}
		if times < draws*7/10 {
			t.Errorf("%s: found in %d of %d", c.name, times, draws)
		}
	}
}

func TestSourcesAreFoundWhereManyDoNotVote(t *testing.T) {
	c, r := crew{right: fill(7, 0.7), group: "AAA....", follow: 0.9, k: 4}, rand.New(rand.NewPCG(1, 18))
	for seed := range uint64(5) {
		b := c.batch(seed, 300).only(7, func(v votes, i int) int32 {
			if r.Float64() < 0.4 {
				return -1
			}
			return v.voter[i]
		})
		if got := found(b); !slices.Equal(got, c.want()) {
			t.Errorf("draw %d: %v", seed, got)
		}
	}
}

func TestIndependentVotersHaveNoSource(t *testing.T) {
	measures(t)
	const draws = 12
	for _, c := range []crew{
		{name: "equals", right: fill(7, 0.7), k: 4},
		{name: "two strong ones", right: []float64{0.95, 0.9, 0.6, 0.6, 0.6}, k: 4},
		{name: "two strong ones beside three weak", right: []float64{0.9, 0.9, 0.4, 0.4, 0.4}, k: 4},
		{name: "three strong ones beside four weak", right: []float64{0.85, 0.85, 0.85, 0.4, 0.4, 0.4, 0.4}, k: 3},
		{name: "harmful ones", right: []float64{0.9, 0.8, 0.7, 0.2, 0.2}, k: 3},
		{name: "three strong ones, two answers", right: []float64{0.85, 0.85, 0.85, 0.55, 0.55, 0.55, 0.55, 0.55, 0.55}, k: 2},
		{name: "harmful ones, two answers", right: []float64{0.9, 0.8, 0.7, 0.3, 0.2}, k: 2},
		{name: "many who differ", right: even(12, 0.9, 0.3), k: 6},
		{name: "four", right: []float64{0.9, 0.8, 0.5, 0.3}, k: 3},
		{name: "hard decisions", right: fill(7, 0.8), k: 4, hard: 0.3},
	} {
		for seed := range uint64(draws) {
			if groups := found(c.batch(seed, 150)); groups != nil {
				t.Errorf("%s: draw %d: %v", c.name, seed, groups)
			}
		}
	}
}

// A misleading answer that all are drawn to is no source of some.
func TestVotersWhoAreAllMisledHaveNoSource(t *testing.T) {
	measures(t)
	right := even(7, 0.85, 0.6)
	for seed := range uint64(10) {
		r, b := rand.New(rand.NewPCG(seed, 16)), newBatch(4, false)
		for range 150 {
			truth := int32(r.IntN(4))
			lure := (truth + 1 + int32(r.IntN(3))) % 4
			misleads := r.Float64() < 0.3
			var said []int32
			for _, p := range right {
				x := truth
				if r.Float64() > p {
					x = (truth + 1 + int32(r.IntN(3))) % 4
				}
				if misleads && r.Float64() < 0.6 {
					x = lure
				}
				said = append(said, x)
			}
			b.add(votes{voter: identity(7), said: said, field: 4})
		}
		if groups := found(&b); groups != nil {
			t.Errorf("draw %d: %v", seed, groups)
		}
	}
}

func TestSourcesAreLookedForWhereTheyCanBeFound(t *testing.T) {
	seven := crew{right: fill(7, 0.7), group: "AAA....", follow: 0.9, k: 4}
	b := seven.batch(1, 200)
	if got := found(b); !slices.Equal(got, seven.want()) {
		t.Fatalf("got %v", got)
	}
	// Voters with few votes are not looked at, and do not hide the others.
	passers := seven.batch(1, 200)
	for j := range int32(40) {
		passers.add(votes{voter: []int32{0, 7 + j}, said: []int32{1, 2}, field: 4})
	}
	if got := found(passers); !slices.Equal(got, append(seven.want(), identity(47)[7:]...)) {
		t.Errorf("with passers-by %v", got)
	}
	for what, b := range map[string]*batch{
		"fewer than twenty votes":        seven.batch(1, 19),
		"most of them, with two answers": crew{right: fill(7, 0.7), group: "AAAA...", follow: 0.9, source: 0.6, k: 2}.batch(1, 200),
		"three voters":                   crew{right: fill(3, 0.7), group: "AA.", follow: 0.9, k: 4}.batch(1, 200),
		"two would be left":              crew{right: fill(7, 0.7), group: "AAABBBB", follow: 0.9, source: 0.7, k: 4}.batch(1, 200),
		"they follow less than mostly":   crew{right: fill(9, 0.7), group: "AAABBBCCC", follow: 0.5, source: 0.7, k: 4}.batch(1, 200),
		"more than 24 voters":            crew{right: fill(25, 0.7), group: "AAA......................", follow: 0.9, k: 4}.batch(1, 60),
	} {
		if got := found(b); got != nil {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// The names of voters decide nothing: in another order, the same voters are together.
func TestGroupsOfSourcesMoveWithTheirVoters(t *testing.T) {
	c := crew{right: []float64{0.6, 0.6, 0.6, 0.75, 0.75, 0.7, 0.7}, group: "AAA..BB", follow: 0.9, source: 0.65, k: 4}
	b := c.batch(3, 200)
	r := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		order := r.Perm(7)
		moved := b.only(7, func(v votes, i int) int32 { return int32(order[v.voter[i]]) })
		got := found(moved)
		for i := range 7 {
			for j := range 7 {
				if together := c.want()[i] == c.want()[j]; got == nil || (got[order[i]] == got[order[j]]) != together {
					t.Fatalf("voters %d and %d, together %v: order %v has groups %v", i, j, together, order, got)
				}
			}
		}
	}
}

func TestTreeJoinsThoseWhoAgreeMost(t *testing.T) {
	b := newBatch(3, false)
	for i := range 12 {
		// 0 and 3 always agree, 1 and 4 in all but one, both pairs in eight; 2 is on its own.
		said := []int32{0, 0, 2, 0, 0}
		if i < 4 {
			said[1], said[4] = 1, 1
		}
		if i == 0 {
			said[4] = 2
		}
		b.add(votes{voter: identity(5), said: said, field: 3})
	}
	nodes := b.tree(fill(12, 1))
	for _, n := range nodes {
		slices.Sort(n)
	}
	if want := [][]int32{{0, 3}, {1, 4}, {0, 1, 3, 4}}; !slices.EqualFunc(nodes, want, slices.Equal) {
		t.Errorf("nodes %v, want %v", nodes, want)
	}
}

// What occurs often counts as often.
func TestTreeCountsHowOftenDecisionsOccur(t *testing.T) {
	b := newBatch(2, false)
	for _, said := range [][]int32{{0, 0, 1}, {0, 1, 0}} {
		b.add(votes{voter: identity(3), said: said, field: 2})
	}
	for times, want := range map[[2]float64][]int32{{3, 1}: {0, 1}, {1, 3}: {0, 2}} {
		if got := b.tree(times[:]); len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("occurring %v times: %v, want %v", times, got, want)
		}
	}
	b.add(votes{voter: identity(2), said: []int32{0, 1}, field: 2})
	if got := b.tree([]float64{2, 1, 8}); !slices.Equal(got[0], []int32{0, 2}) {
		t.Errorf("two who often differ are %v", got)
	}
}

func TestChoicesThatNobodyNamesAreCountedAsFew(t *testing.T) {
	b := newBatch(64, false)
	b.add(votes{voter: []int32{0, 1, 2}, said: []int32{40, 7, 40}, field: 64})
	b.add(votes{voter: []int32{1, 2}, said: []int32{63, 63}, field: 64})
	b.add(votes{voter: []int32{0, 2}, said: []int32{5, 6}, field: 64})
	b.Known = []int32{7, 9, -1}
	few := b.few()
	if want := []int32{1, 0, 1, 0, 0, 0, 1}; few.Choices != 3 || !slices.Equal(few.Said, want) || !slices.Equal(few.Known, []int32{0, 1, -1}) || !slices.Equal(few.Field, []int32{3, 3, 3}) {
		t.Errorf("%+v", few)
	}
	if b.Said[0] != 40 || b.Known[0] != 7 || b.Field[0] != 64 {
		t.Errorf("the batch itself became %+v", b)
	}
	b = newBatch(2, false)
	b.add(votes{voter: []int32{0, 1}, said: []int32{0, 1}, field: 2})
	if few := b.few(); few.Choices != 2 || few.Field[0] != 2 {
		t.Errorf("where all choices are named, there are %+v", few)
	}
}

func TestSourcesAreSearchedInPartOfManyDecisions(t *testing.T) {
	c := crew{right: fill(7, 0.7), group: "AAA....", follow: 0.8, k: 4}
	for n, want := range map[int]float64{200: 200, 5000: followMost} {
		e := explain(c.batch(1, n))
		all := 0.0
		for _, x := range e.of.times {
			all += x
		}
		if all != want {
			t.Errorf("of %d decisions %v are looked at", n, all)
		}
		if !slices.Equal(e.together(7), c.want()) {
			t.Errorf("of %d decisions: %v", n, e.groups)
		}
	}
	many := crew{right: fill(9, 0.2), group: ".........", k: 64} // all name another one in some decision
	all := 0.0
	for _, x := range explain(many.batch(1, 5000)).of.times {
		all += x
	}
	if want := float64(followMost * followFew / 10); all != want {
		t.Errorf("with many answers, %v decisions are looked at, want %v", all, want)
	}
	for k, want := range map[int]float64{2: 1, 3: 2, 4: 2.5, 9: 2.5} {
		c.k = k
		if got := explain(c.batch(1, 200)).of.others; got != want {
			t.Errorf("%d choices: %v wrong answers, want %v", k, got, want)
		}
	}
}

// The first source needs more evidence than others.
func TestSourcesNeedEvidence(t *testing.T) {
	measures(t)
	rejected, added := 0, 0
	for seed := range uint64(20) {
		for _, c := range []crew{
			{right: fill(6, 0.7), group: "AA....", follow: 0.6, k: 4},
			{right: fill(9, 0.7), group: "AAABBBCCC", follow: 0.8, source: 0.7, k: 4},
		} {
			of := explain(c.batch(seed, 40)).of
			f, least, nodes := fitted(of, nil), 5.0, of.b.tree(of.times)
			for {
				more := f.more(nodes)
				if more == nil {
					break
				}
				gain := more.score - f.score
				if gain < least {
					if least == 5 && gain >= 1 {
						rejected++
					}
					break
				}
				if least == 1 && gain < 5 {
					added++
				}
				f, least = more, 1
			}
			if got := sources(of); !slices.EqualFunc(got.groups, f.groups, slices.Equal) {
				t.Errorf("sources of %v, want %v", got.groups, f.groups)
			}
		}
	}
	if rejected == 0 || added == 0 {
		t.Errorf("%d first sources were rejected and %d later ones added on weak evidence", rejected, added)
	}
}

func TestASourceGetsVotersButNotThoseOfAnother(t *testing.T) {
	f := &following{groups: [][]int32{{0, 1}, {3, 4}}}
	for _, c := range []struct {
		node []int32
		want [][]int32
	}{
		{[]int32{5, 6}, [][]int32{{0, 1}, {3, 4}, {5, 6}}},
		{[]int32{0, 1, 2}, [][]int32{{3, 4}, {0, 1, 2}}},
		{[]int32{0, 1}, nil},
		{[]int32{1, 2}, nil},
		{[]int32{0, 1, 3, 4}, nil},
	} {
		if got := f.with(c.node); !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("with %v: %v, want %v", c.node, got, c.want)
		}
	}
}

func TestExcessIsWhatOnesOwnShareOfMistakesBeyondOthers(t *testing.T) {
	b := newBatch(3, false)
	for i := range 40 {
		said := []int32{1, 1, 0, 0} // the first two share each mistake
		if i < 10 {
			said[2] = 1 // one other shares a quarter of them
		}
		b.add(votes{voter: identity(4), said: said, field: 3})
		b.Known[i] = 0
	}
	f := fitted(newCoinFit(&b), [][]int32{{0, 1}})
	// Of 160 mistakes of theirs beside the others', 20 are shared, and of 80 beside each other's, 80.
	usual := 1 / 8.0
	if got, want := f.excess(), ((80+5*usual)/85-usual)/(1-usual); !(math.Abs(got-want) < 1e-9) {
		t.Errorf("excess %v, want %v", got, want)
	}
}

// A group that the operator told of is one that errs together, unless the votes show otherwise: good voters seldom
// differ, either.
func TestGoodVotersOfOneGroupAreHeard(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		crew
		members int32
		apart   bool
	}{
		{crew{name: "good ones", right: []float64{0.9, 0.9, 0.9, 0.65, 0.65, 0.65}, k: 3}, 3, true},
		{crew{name: "equals", right: fill(5, 0.75), k: 3}, 3, true},
		{crew{name: "beside followers", right: []float64{0.8, 0.75, 0.75, 0.6, 0.6, 0.6, 0.65}, group: "...AAA.", follow: 0.8, k: 4}, 3, true},
		{crew{name: "copies", right: fill(5, 0.6), group: "AAAA.", follow: 1, source: 0.6, k: 3}, 4, false},
		{crew{name: "alike in most", right: []float64{0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.8, 0.8, 0.8}, group: "AAAAAA...", follow: 0.8, source: 0.65, k: 3}, 6, false},
		{crew{name: "two answers", right: []float64{0.9, 0.9, 0.9, 0.65, 0.65, 0.65}, k: 2}, 3, false},
	} {
		const draws = 8
		apart := 0
		for seed := range uint64(draws) {
			if explain(c.batch(seed, 100)).apart(func(j int32) bool { return j < c.members }) {
				apart++
			}
		}
		if c.apart && apart < draws*3/4 || !c.apart && apart > 0 {
			t.Errorf("%s: apart in %d of %d", c.name, apart, draws)
		}
	}
}

// Law 5 where some follow another and the ledger does not know: once that has shown, decisions are worth no less than by
// weight alone.
func TestFollowersDoNotPrevail(t *testing.T) {
	measures(t)
	const draws, decisions, from = 6, 200, 120
	for _, c := range []crew{
		{name: "two of seven follow one", right: fill(7, 0.7), group: "AAA....", follow: 0.7, k: 4},
		{name: "they are worse than others", right: []float64{0.6, 0.6, 0.6, 0.75, 0.75, 0.75, 0.75}, group: "AAA....", follow: 0.8, k: 4},
		{name: "four of nine follow one", right: fill(9, 0.7), group: "AAAAA....", follow: 0.8, k: 4},
		{name: "four models", right: fill(12, 0.7), group: "AAABBBCCCDDD", follow: 0.8, source: 0.7, k: 4},
	} {
		var learned, weight counts
		for seed := range uint64(draws) {
			r, l := rand.New(rand.NewPCG(seed, 17)), newLedger(t, nil)
			for i := range decisions {
				said, truth := c.decision(r)
				name := func(l int32) string { return fmt.Sprint(i, " ", l) }
				var proposals []string
				var cast []consensus.Vote
				for j, x := range said {
					cast = append(cast, vote(j, name(x)))
				}
				for x := range int32(c.k) {
					proposals = append(proposals, name(x))
				}
				b, err := consensus.NewBallots(nil, proposals, cast)
				if err != nil {
					t.Fatal(err)
				}
				b = b.Close()
				if i >= from {
					learned.add(l.Strategy().Decide(b), name(truth), draws*(decisions-from))
					weight.add(consensus.ConfidenceWeighted{}.Decide(b), name(truth), draws*(decisions-from))
				}
				if err := l.Observe(fmt.Sprint(i), b); err != nil {
					t.Fatal(err)
				}
			}
		}
		worth := func(c counts) float64 { return 100 * (c.right - 7.0/3*c.wrong) }
		t.Logf("%s: worth %.0f, by weight %.0f; claims right %.2f", c.name, worth(learned), worth(weight), learned.right)
		if worth(learned) < worth(weight)+10 {
			t.Errorf("%s: worth %.0f, by weight %.0f", c.name, worth(learned), worth(weight))
		}
	}
}
