package reliability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
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
	if b.batch.current() != &b.batch {
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
	if got := m.params.Records[0]; got != (record{Told: 100}) {
		t.Errorf("v0 has the record %+v", got)
	}
	if got := m.params.Records[1]; got.Told != 200 {
		t.Errorf("v1 has the record %+v", got)
	}
	if since := b.batch.changes(); since[0] != int(b.batch.Start[100]) || since[1] != 0 {
		t.Errorf("they changed at %v", since)
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
	most := changeLeast
	for n := 1; n < len(votes); n++ {
		if x := factor(n); x > most+1e-9 {
			most, at = x, n
		}
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
