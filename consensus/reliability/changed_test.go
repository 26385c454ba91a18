package reliability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// years returns a book of a team of which some voters change now and then: right[i] holds the voters' rates in the i-th
// stretch of n decisions. Every so manyth outcome is known.
func years(o *Options, seed uint64, k, n, every int, right ...[]float64) *Book {
	b, w := newBook(o), newWorld(seed, k)
	for _, w.right = range right {
		w.fill(b, n, every)
	}
	return b
}

func TestAVoterThatChangesIsLearnedAnew(t *testing.T) {
	shared := &Options{Choices: letters(3)}
	for name, c := range map[string]struct {
		o     *Options
		right [][]float64
	}{
		"worse":               {nil, [][]float64{{.95, .8, .7, .7}, {.5, .8, .7, .7}}},
		"better":              {shared, [][]float64{{.5, .8, .7, .7}, {.95, .8, .7, .7}}},
		"worse, then less so": {nil, [][]float64{{.95, .8, .7, .7}, {.05, .8, .7, .7}, {.5, .8, .7, .7}}},
		"worse, better":       {nil, [][]float64{{.95, .8, .7, .7}, {.4, .8, .7, .7}, {.95, .8, .7, .7}}},
		"two":                 {shared, [][]float64{{.95, .8, .4, .7}, {.4, .8, .4, .7}, {.4, .8, .95, .7}}},
	} {
		m := years(c.o, 11, 3, 120, 1, c.right...).Learn()
		for j, want := range c.right[len(c.right)-1] {
			if r, ok := m.Reliability(fmt.Sprint("v", j), 3); !ok || !(math.Abs(r.Sensitivity-want) < 0.12) {
				t.Errorf("%s: v%d is held to be right in %.2f, and is in %.2f", name, j, r.Sensitivity, want)
			}
		}
	}
}

func TestOnlyOutcomesShowAChange(t *testing.T) {
	b := years(nil, 12, 3, 120, 0, []float64{.95, .8, .7, .7}, []float64{.5, .8, .7, .7})
	if since := b.batch.changes(); since != nil {
		t.Errorf("without outcomes, voters changed at %v", since)
	}
	if b.batch.current(nil) != &b.batch {
		t.Error("where nobody has changed, the batch is copied")
	}
}

// A voter's rate looks changed by chance in one of a few hundred at most.
func TestVotersWhoDoNotChangeKeepTheirVotes(t *testing.T) {
	changed, voters := 0, 0
	for seed := range uint64(60) {
		b := years(nil, 100+seed, 3, 400, 1, []float64{.95, .9, .8, .7, .6, .5, .4, .3, .2, .05})
		voters += 10
		for _, at := range b.batch.changes() {
			if at > 0 {
				changed++
			}
		}
	}
	if changed > voters/200 {
		t.Errorf("%d of %d voters changed", changed, voters)
	}
}

func TestChoicesThatBecomeMoreFrequentChangeNobody(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	b := newBatch(2, false)
	for n := range 300 {
		truth := int32(0)
		if often := 0.9 - 0.8*float64(n/150); r.Float64() > often {
			truth = 1
		}
		said := int32(0) // agrees with nearly everything
		if r.Float64() > 0.9 {
			said = 1
		}
		b.add(votes{voter: []int32{0}, said: []int32{said}, field: 2})
		b.Known[n] = truth
	}
	if since := b.changes(); since != nil {
		t.Errorf("it changed at %v", since)
	}
	b.Own = true // the same as proposals of their own: it is right in nine of ten, then in one
	if since := b.changes(); since == nil || since[0] < 145 || since[0] > 155 {
		t.Errorf("it changed at %v, want 150", since)
	}
}

// The votes before a change are neither learned from nor told as a record.
func TestWhatAVoterDidBeforeItChangedIsNotHeldForOrAgainstIt(t *testing.T) {
	b := years(nil, 14, 3, 100, 1, []float64{1, .8, .7, .7}, []float64{0, .8, .7, .7})
	b.Observe("open", saidBy(t, vote(0, "a"), vote(1, "b")))
	m := b.Learn()
	if got := m.params.Records[0]; got != (record{Told: 100, Changed: true}) {
		t.Errorf("v0 has the record %+v", got)
	}
	if !m.Changed("v0") || m.Changed("v1") || m.Changed("stranger") || stranger.Changed("v0") {
		t.Error("v0 has changed, and nobody else")
	}
	if got := m.params.Records[1]; got.Told != 200 {
		t.Errorf("v1 has the record %+v", got)
	}
	if since := b.batch.changes(); since[0] != int(b.batch.Start[100]) || since[1] != 0 {
		t.Errorf("they changed at %v", since)
	}
	for said, want := range map[string]string{
		"ab":   `"v1", right in 167 of 200 told, outweighs "v0", right in 0 of 100 told since it changed`,
		"cbac": `"v1", right in 167 of 200 told, outweighs 2 who were right in 143 of 300 told, of 1 only since a change`,
	} {
		var cast []consensus.Vote
		for j, x := range said {
			cast = append(cast, vote(j, string(x)))
		}
		if got := m.because(saidBy(t, cast...), "b"); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
}

// evidence returns the log-probability of votes, in their order, of a voter whose rate is distributed as Beta(4, 2).
func evidence(t tally) float64 {
	logBeta := func(x, y float64) float64 {
		a, _ := math.Lgamma(x)
		b, _ := math.Lgamma(y)
		c, _ := math.Lgamma(x + y)
		return a + b - c
	}
	return logBeta(4+t.is, 2+t.all-t.is) - logBeta(4, 2)
}

// slowChangePoint computes each Bayes factor by itself.
func slowChangePoint(votes []told) (at int) {
	factor := func(n int) (sum float64) {
		for on := range int32(3) {
			var before, after tally
			for i, x := range votes {
				switch {
				case x.on != on:
				case i < n:
					before = before.with(x.right)
				default:
					after = after.with(x.right)
				}
			}
			sum += evidence(before) + evidence(after) - evidence(tally{before.is + after.is, before.all + after.all})
		}
		return sum
	}
	most, sum := math.Inf(-1), 1.0 // after all of them
	for n := 1; n < len(votes); n++ {
		x := factor(n)
		if sum += math.Exp(x); x > most+1e-9 {
			most, at = x, n
		}
	}
	if math.Log(sum/float64(len(votes))) < changeLeast {
		return 0
	}
	return at
}

func TestAChangeIsWhereItIsMostProbable(t *testing.T) {
	r, found := rand.New(rand.NewPCG(15, 1)), 0
	for range 300 {
		votes := make([]told, r.IntN(80))
		for i, n := range votes {
			rate := 0.9
			if i > 30 {
				rate = 0.2
			}
			n.on, n.right = int32(r.IntN(3)), r.Float64() < rate
			votes[i] = n
		}
		got, want := changePoint(votes), slowChangePoint(votes)
		if got != want {
			t.Fatalf("after %d of %d votes, want %d", got, len(votes), want)
		}
		if got > 0 {
			found++
		}
	}
	if found < 50 {
		t.Errorf("%d changed", found)
	}
}

// What a voter did before it changed is still what happened: proposals were opposed.
func TestOppositionBeforeAChangeWasOpposition(t *testing.T) {
	b := newBook(&Options{Stances: true})
	for i := range 100 {
		other := vote(1, "p")
		if i < 15 {
			other.Stance = consensus.Disagree
		}
		if err := observe(b, fmt.Sprint(i), between(t, []string{"p"}, vote(0, "p"), other), "p", true); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	if m.params.Unopposed || m.params.Records[1] != (record{85, 85, true}) {
		t.Errorf("unopposed %v, v1 has the record %+v", m.params.Unopposed, m.params.Records[1])
	}
}

// stretches returns a book of decisions by six voters who know the answer in known[i] of the i-th hundred decisions and
// guess between k[i] proposals in the others.
func stretches(seed uint64, known []float64, k []int) *Book {
	b, r := newBook(nil), rand.New(rand.NewPCG(seed, 1))
	for i := range 100 * len(k) {
		among := letters(k[i/100])
		truth := r.IntN(len(among))
		for c := range among {
			among[c] += fmt.Sprint(i)
		}
		var cast []consensus.Vote
		for j := range 6 {
			said := truth
			if r.Float64() > known[i/100] {
				said = r.IntN(len(among))
			}
			cast = append(cast, vote(j, among[said]))
		}
		ballots, err := consensus.NewBallots(nil, among, cast)
		if err == nil {
			err = observe(b, fmt.Sprint(i), ballots.Close(), among[truth], true)
		}
		if err != nil {
			panic(err)
		}
	}
	return b
}

func TestHarderDecisionsChangeNobody(t *testing.T) {
	for name, c := range map[string]struct {
		known []float64
		k     []int
	}{
		"more proposals":  {[]float64{.5, .5, .5}, []int{2, 8, 8}},
		"fewer proposals": {[]float64{.5, .5}, []int{8, 2}},
		"a hard stretch":  {[]float64{.9, .4, .9}, []int{3, 3, 3}},
	} {
		changed := 0
		for seed := range uint64(20) {
			for _, at := range stretches(seed, c.known, c.k).batch.changes() {
				if at > 0 {
					changed++
				}
			}
		}
		if changed > 6 {
			t.Errorf("%s: %d of 120 voters changed", name, changed)
		}
	}
}

// Decisions in which nobody votes who is still the same count for nothing.
func TestDecisionsBeforeAllChangedAreForgotten(t *testing.T) {
	b := years(nil, 16, 3, 100, 1, []float64{.95, .95, .1, .1}, []float64{.1, .1, .95, .95})
	m := b.Learn()
	if m.params.Told > 110 || m.params.Decisions > 110 || !(m.params.Density > 2.5) {
		t.Errorf("learned from %d decisions, %d outcomes, %.1f votes each", m.params.Decisions, m.params.Told, m.params.Density)
	}
}

// A voter that changes after a thousand decisions is not trusted until there are two hundred more.
func TestAChangeIsLearnedWhenItShows(t *testing.T) {
	b, w := newBook(nil), newWorld(17, 3, .95, .8, .7, .7)
	w.fill(b, 1000, 1)
	b.Model()
	w.right = []float64{.3, .8, .7, .7}
	n := 0
	for ; n < 100; n++ {
		if r, _ := b.Model().Reliability("v0", 3); r.Sensitivity < 0.6 {
			break
		}
		x, right := w.decision(nil)
		if err := observe(b, fmt.Sprint("new ", n), x, right, true); err != nil {
			t.Fatal(err)
		}
		if n%7 == 0 { // a restored book continues as this one
			saved, err := b.MarshalJSON()
			if err == nil {
				b = new(Book)
				err = b.UnmarshalJSON(saved)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if n > 40 {
		t.Errorf("after %d wrong or right votes since it changed", n)
	}
}
