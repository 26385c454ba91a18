package reliability

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// integrated returns what coins approximate, for three voters and two choices: the integral over how often each is
// right, on a grid.
func integrated(b *batch, said [3]int32) (first float64) {
	const cells = 14
	var both [2]float64
	for _, prior := range coinPriors {
		density := make([]float64, cells)
		for i := range density {
			x := (float64(i) + 0.5) / cells
			density[i] = math.Pow(x, prior[0]-1) * math.Pow(1-x, prior[1]-1)
		}
		scale := 0.0
		for _, x := range density {
			scale += x
		}
		for i := range cells * cells * cells {
			at := [3]int{i % cells, i / cells % cells, i / cells / cells}
			w, right := 1.0, [3]float64{}
			for j, a := range at {
				w *= density[a] / scale
				right[j] = (float64(a) + 0.5) / cells
			}
			for t, known := range b.Known {
				p := alone(right, [3]int32(b.votes(t).said))
				switch {
				case known >= 0:
					w *= p[known]
				default:
					w *= p[0] + p[1]
				}
			}
			for c, x := range alone(right, said) {
				both[c] += w * x
			}
		}
	}
	return both[0] / (both[0] + both[1])
}

// alone returns the probability of three votes, for each choice that may be right.
func alone(right [3]float64, said [3]int32) (p [2]float64) {
	for c := range p {
		p[c] = 1
		for j, l := range said {
			if int(l) == c {
				p[c] *= right[j]
			} else {
				p[c] *= 1 - right[j]
			}
		}
	}
	return p
}

func TestCoinsApproximateTheIntegralOverRates(t *testing.T) {
	measures(t)
	for seed, right := range [][]float64{{0.95, 0.6, 0.6}, {0.8, 0.8, 0.8}, {0.95, 0.55, 0.3}, {0.7, 0.6, 0.6}} {
		for _, told := range []int{0, 5} {
			w := newWorld(uint64(400+seed), 2, right...)
			b := newBook(&Options{Choices: w.choices})
			w.fill(b, 40, told)
			m := b.Learn()
			m.params.Corr, m.params.Shared = new(correlation), nil
			m.params.Coins = newCoins(&b.batch, float64(b.batch.Choices-1))
			for _, said := range [][3]int32{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}} {
				var cast []consensus.Vote
				for j, l := range said {
					cast = append(cast, vote(j, w.choices[l]))
				}
				ballots, err := consensus.NewBallots(nil, w.choices, cast)
				if err != nil {
					t.Fatal(err)
				}
				of := [3]int32{}
				for j, l := range said {
					of[b.voters[fmt.Sprint("v", j)]] = l
				}
				got, want := m.read(ballots).questions[0].byCoins(0.2)[0], integrated(&b.batch, of)
				if math.Abs(got-want) > 0.1 {
					t.Errorf("%v, told %d: %v is right with %.3f, want %.3f", right, told, said, got, want)
				}
			}
		}
	}
}

func TestCoinsDoNotDependOnTheOrderOfDecisions(t *testing.T) {
	w := newWorld(410, 3, 0.9, 0.7, 0.6, 0.5)
	var all []consensus.Ballots
	for range 60 {
		b, _ := w.decision(nil)
		all = append(all, b)
	}
	asked := all[7]
	learn := func() []float64 {
		b := newBook(nil)
		for i, x := range all {
			if err := b.Observe(fmt.Sprint(i), x); err != nil {
				t.Fatal(err)
			}
		}
		return b.Learn().read(asked).questions[0].byCoins(0.2)
	}
	forth := learn()
	slices.Reverse(all)
	for c, x := range learn() {
		if math.Abs(x-forth[c]) > 0.02 {
			t.Errorf("candidate %d has %.4f, and %.4f in another order", c, forth[c], x)
		}
	}
}

func TestOnlyTeamsHaveCoins(t *testing.T) {
	for n, want := range map[int]bool{2: false, 3: true, 22: true, 23: false} {
		w := newWorld(420, 3, even(n, 0.9, 0.4)...)
		b := newBook(nil)
		w.fill(b, 40, 0)
		if got := newCoins(&b.batch, float64(b.batch.Choices-1)) != nil; got != want {
			t.Errorf("%d voters: %v, want %v", n, got, want)
		}
	}
}

// A voter known to be right nearly always prevails over several who err together: the evidence of coins is discounted
// by the correlation of errors.
func TestCoinsThatErrTogetherAreDiscounted(t *testing.T) {
	w := newWorld(430, 3, 0.8, 0.8, 0.8, 0.7, 0.6)
	b := newBook(nil)
	w.fill(b, 100, 0)
	m := b.Learn()
	x, _ := w.decision(nil)
	sure := func(rho float64) float64 {
		m.params.Corr = &correlation{Pooled: rho}
		return slices.Max(m.read(x).questions[0].byCoins(0.2))
	}
	if a, b, weight := sure(0), sure(0.3), m.params.coinsWeight(); b >= a || weight >= coinsWeight/2 {
		t.Errorf("%.3f by itself and %.3f together, at weight %.2f", a, b, weight)
	}
}

func TestCoinsOfOtherVotersAreRefused(t *testing.T) {
	w := newWorld(440, 3, 0.9, 0.8, 0.7)
	b := newBook(nil)
	w.fill(b, 40, 0)
	for name, spoil := range map[string]func(c *coins){
		"no mode":         func(c *coins) { c.Modes = nil },
		"too many voters": func(c *coins) { c.Modes[0].Right = make([]float64, 9) },
		"a rate above 1":  func(c *coins) { c.Modes[0].Right[0] = 1.5 },
		"no number":       func(c *coins) { c.Modes[0].Weight = math.NaN() },
	} {
		p := b.Learn().params
		if !p.mixable() {
			t.Fatal("what was learned is refused")
		}
		if spoil(p.Coins); p.mixable() {
			t.Errorf("%s is accepted", name)
		}
	}
}
