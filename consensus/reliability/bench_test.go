package reliability

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func BenchmarkLearn(b *testing.B) {
	for _, k := range []int{2, 5} {
		b.Run(fmt.Sprintf("%d choices, 800 decisions, 10 voters", k), func(b *testing.B) {
			w := newWorld(1, k, even(10, 0.9, 0.5)...)
			book := newBook(&Options{Choices: w.choices})
			w.fill(book, 800, 0)
			for b.Loop() {
				book.Learn()
			}
		})
	}
}

func BenchmarkObserve(b *testing.B) {
	w := newWorld(2, 2, even(10, 0.9, 0.5)...)
	ballots, _ := w.decision(nil)
	book := newBook(nil)
	for b.Loop() {
		if err := book.Observe("", ballots); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{5, 100, 10000} {
		for _, known := range []int{0, 10} {
			b.Run(fmt.Sprintf("%d votes, %d known voters", n, known), func(b *testing.B) {
				var s Strategy
				if known > 0 {
					w := newWorld(3, 2, even(known, 0.9, 0.5)...)
					book := newBook(nil)
					w.fill(book, 100, 0)
					s.Model = book.Model()
				}
				var cast []consensus.Vote
				for j := range n {
					cast = append(cast, vote(j, letters(5)[j*j%5]))
				}
				ballots, err := consensus.NewBallots(nil, letters(5), cast)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					s.Decide(ballots)
				}
			})
		}
	}
}

// BenchmarkRound measures one more vote in a round and the decision after it, by the default strategy once something
// has been learned.
func BenchmarkRound(b *testing.B) {
	w := newWorld(5, 3, even(10, 0.9, 0.5)...)
	l := newLedger(b, nil)
	w.show(b, l, 60, 0)
	for _, proposals := range []int{1, 3} {
		for _, n := range []int{10, 100, 1000, 10000} {
			b.Run(fmt.Sprintf("%d votes, %d proposals", n, proposals), func(b *testing.B) {
				r, err := consensus.NewRound(l.Strategy(), nil)
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range letters(proposals) {
					if err := r.Propose(p); err != nil {
						b.Fatal(err)
					}
				}
				one := func(j int) {
					v := vote(j%n, letters(proposals)[j%proposals])
					v.Seq = uint64(j)
					if err := r.Vote(v); err != nil {
						b.Fatal(err)
					}
				}
				for j := range n {
					one(j)
				}
				for j := n; b.Loop(); j++ {
					one(j)
					r.Decision()
				}
			})
		}
	}
}

func BenchmarkNext(b *testing.B) {
	w, m := learnedFrom(nil, 4, 0)
	ballots, _ := w.decision(nil)
	rest := voters(3, 20)
	for b.Loop() {
		m.Next(ballots, rest, nil)
	}
}

func BenchmarkLearnFromStatedWeights(b *testing.B) {
	for name, means := range map[string][]float64{"stated": even(10, 0, 1), "entirely sure": nil} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(1, 4, even(10, 0.9, 0.5)...)
			w.means = means
			book := newBook(&Options{Choices: w.choices})
			w.fill(book, 1000, 0)
			for b.Loop() {
				book.Learn()
			}
		})
	}
}

func BenchmarkEnough(b *testing.B) {
	for _, n := range []int{5, 100, 10000} {
		b.Run(fmt.Sprintf("%d votes", n), func(b *testing.B) {
			_, m := learnedFrom(nil, 4, 0)
			var cast []consensus.Vote
			for j := range n {
				cast = append(cast, vote(j, letters(2)[j%2]))
			}
			ballots, err := consensus.NewBallots(nil, letters(2), cast)
			if err != nil {
				b.Fatal(err)
			}
			rest := voters(n, n+100)
			for b.Loop() {
				m.Enough(ballots, rest, Stop{Worth: 1})
			}
		})
	}
}
