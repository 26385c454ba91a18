package reliability

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// drawing draws a decision between shared choices, and returns the votes for each of them and the right one.
type drawing func() (b consensus.Ballots, votes []int, right string)

// learnsFrom learns from n decisions, and returns how often the plurality is right in them, and how often what was
// learned is.
func (w *world) learnsFrom(t *testing.T, n int, draw drawing) (plurality, right float64) {
	t.Helper()
	b := newBook(&Options{Choices: w.choices})
	all, truth := make([]consensus.Ballots, n), make([]string, n)
	for i := range all {
		var votes []int
		all[i], votes, truth[i] = draw()
		if err := b.Observe("", all[i]); err != nil {
			t.Fatal(err)
		}
		plurality += share(votes, slices.Index(w.choices, truth[i])) / float64(n)
	}
	s := Strategy{b.Learn()}
	for i, x := range all {
		if s.Decide(x).Leader() == truth[i] {
			right += 1 / float64(n)
		}
	}
	return plurality, right
}

// leastGain fails if what was learned is not right more often than the plurality by least, which may be below 0.
func leastGain(t *testing.T, name string, plurality, right, least float64) {
	t.Helper()
	t.Logf("%s: plurality %.3f, right %.3f", name, plurality, right)
	if right < plurality+least {
		t.Errorf("%s: plurality %.3f, right %.3f", name, plurality, right)
	}
}

func TestAFewWhoShareTheirMistakesAreNotFollowed(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		members int
		alike   float64
	}{{3, 0.9}, {5, 0.7}} {
		const voters = 20
		w := newWorld(6100, 3, append(even(voters-c.members, 0.8, 0.5), fill(c.members, 0.65)...)...)
		plurality, right := w.learnsFrom(t, 200, func() (consensus.Ballots, []int, string) {
			b, truth := w.decision(nil)
			cast, votes := slices.Collect(b.Votes()), make([]int, 3)
			model := cast[voters-c.members].ProposalID
			for j := range cast {
				if j > voters-c.members && w.Float64() < c.alike {
					cast[j].ProposalID = model
				}
				votes[slices.Index(w.choices, cast[j].ProposalID)]++
			}
			return between(t, w.choices, cast...), votes, truth
		})
		leastGain(t, fmt.Sprintf("%d alike in %.1f", c.members, c.alike), plurality, right, -0.01)
	}
}

func TestManyWeakVotersAreNotLeftToAFewOfThem(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		voters, choices int
		best, worst     float64
	}{{40, 10, 0.4, 0.15}, {30, 2, 0.65, 0.5}} {
		const draws = 3
		plurality, right := 0.0, 0.0
		for seed := range uint64(draws) {
			w := newWorld(5200+seed, c.choices, even(c.voters, c.best, c.worst)...)
			p, r := w.learnsFrom(t, 200, func() (consensus.Ballots, []int, string) { return w.sparse(t, c.voters) })
			plurality, right = plurality+p/draws, right+r/draws
		}
		leastGain(t, fmt.Sprintf("%d voters, %d choices", c.voters, c.choices), plurality, right, -0.025)
	}
}

func TestVotersWhoMostlyNameOneChoiceAreNotFollowed(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		voters, choices, votes int
		best, worst, gain      float64
	}{{40, 4, 6, 0.8, 0.5, 0.05}, {20, 2, 5, 0.9, 0.6, -0.01}, {30, 4, 30, 0.8, 0.5, 0.2}, {5, 2, 5, 0.85, 0.6, 0}} {
		const draws = 4
		plurality, right := 0.0, 0.0
		for seed := range uint64(draws) {
			w := newWorld(5300+seed, c.choices, even(c.voters, c.best, c.worst)...)
			biased := w.Perm(c.voters)[:2*c.voters/5]
			p, r := w.learnsFrom(t, 250, func() (consensus.Ballots, []int, string) {
				b, _, right := w.sparse(t, c.votes)
				votes, cast := make([]int, c.choices), slices.Collect(b.Votes())
				for i := range cast {
					if slices.ContainsFunc(biased, func(j int) bool { return cast[i].Voter == fmt.Sprint("v", j) }) && w.Float64() < 0.8 {
						cast[i].ProposalID = w.choices[0]
					}
					votes[slices.Index(w.choices, cast[i].ProposalID)]++
				}
				return between(t, w.choices, cast...), votes, right
			})
			plurality, right = plurality+p/draws, right+r/draws
		}
		leastGain(t, fmt.Sprintf("%d voters, %d choices", c.voters, c.choices), plurality, right, c.gain)
	}
}

func TestASparseCrowdIsNotBehindItsPlurality(t *testing.T) {
	measures(t)
	for name, drawn := range map[string]func(r *rand.Rand) float64{
		"alike":     func(r *rand.Rand) float64 { return 0.35 + 0.3*r.Float64() },
		"different": func(r *rand.Rand) float64 { return 0.5 + 0.35*r.Float64() },
	} {
		for _, voters := range []int{30, 100} {
			const draws = 2
			plurality, right := 0.0, 0.0
			for seed := range uint64(draws) {
				w := newWorld(4400+seed, 4, make([]float64, voters)...)
				for j := range w.right {
					w.right[j] = drawn(w.Rand)
				}
				p, r := w.learnsFrom(t, 800, func() (consensus.Ballots, []int, string) { return w.sparse(t, 7) })
				plurality, right = plurality+p/draws, right+r/draws
			}
			leastGain(t, fmt.Sprintf("%d voters, %s", voters, name), plurality, right, -0.01)
		}
	}
}

// sparse draws a decision on which n of the voters vote, and returns the votes for each choice and the right one.
func (w *world) sparse(t *testing.T, n int) (b consensus.Ballots, votes []int, right string) {
	t.Helper()
	votes = make([]int, len(w.choices))
	truth := w.IntN(len(votes))
	var cast []consensus.Vote
	for _, j := range w.Perm(len(w.right))[:n] {
		said := truth
		if w.Float64() > w.right[j] {
			said = (truth + 1 + w.IntN(len(votes)-1)) % len(votes)
		}
		if j >= len(w.right)-w.constant {
			said = 0
		}
		votes[said]++
		cast = append(cast, vote(j, w.choices[said]))
	}
	return between(t, w.choices, cast...), votes, w.choices[truth]
}

// share returns 1 over the number of choices with the most votes if the given one is among them, and 0 otherwise.
func share(votes []int, of int) float64 {
	most, ties := slices.Max(votes), 0.0
	for _, n := range votes {
		if n == most {
			ties++
		}
	}
	if votes[of] < most {
		return 0
	}
	return 1 / ties
}
