package reliability

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// measures skips the test under the race detector. It is called by tests that measure what a single goroutine learns
// from many draws, in which the detector would find nothing but take minutes. Other runs never skip them.
func measures(t *testing.T) {
	t.Helper()
	if Racing {
		t.Skip("measured without the race detector")
	}
}

// world draws decisions whose right choice is known to the test.
type world struct {
	*rand.Rand
	choices  []string
	right    []float64 // by voter, how often it is right
	clones   int       // how many voters, the last ones, say what the first of them says
	liars    int       // how many voters, the last ones, agree on a wrong choice
	constant int       // how many voters, the last ones, always say the first choice in sparse decisions
	sleeps   float64   // share of decisions in which liars vote as the others do
	means    []float64 // by voter, how informative its stated confidence is; nil: all state 1
}

func newWorld(seed uint64, choices int, right ...float64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 7)), right: right}
	for c := range choices {
		w.choices = append(w.choices, string(rune('a'+c)))
	}
	return w
}

func even(n int, best, worst float64) []float64 {
	p := make([]float64, n)
	for j := range p {
		p[j] = best + (worst-best)*float64(j)/float64(max(1, n-1))
	}
	return p
}

// decision draws the ballots of one decision, and returns them with the right choice.
func (w *world) decision(o *consensus.Options) (consensus.Ballots, string) {
	k, n := len(w.choices), len(w.right)
	truth := w.IntN(k)
	wrong := (truth + 1 + w.IntN(k-1)) % k
	awake := w.sleeps == 0 || w.Float64() >= w.sleeps
	var cast []consensus.Vote
	for j, p := range w.right {
		said, sure := truth, 1.0
		if w.means != nil {
			p, sure = w.certainty(j, p)
		}
		if w.Float64() > p {
			said = (truth + 1 + w.IntN(k-1)) % k
		}
		switch {
		case awake && j >= n-w.liars:
			said = wrong
		case w.clones > 0 && j > n-w.clones:
			cast = append(cast, vote(j, cast[n-w.clones].ProposalID))
			continue
		}
		v := vote(j, w.choices[said])
		v.Weight = sure
		cast = append(cast, v)
	}
	b, err := consensus.NewBallots(o, w.choices, cast)
	if err != nil {
		panic(err)
	}
	return b, w.choices[truth]
}

// certainty draws the confidence that voter j states, and returns it with the probability that it is right then.
func (w *world) certainty(j int, p float64) (right, sure float64) {
	z := w.NormFloat64()
	return sigma(logit(p) + w.means[j]*z), sigma(logit(0.75) + z)
}

func vote(j int, proposal string) consensus.Vote {
	return consensus.Vote{Voter: fmt.Sprint("v", j), ProposalID: proposal, Stance: consensus.Agree, Weight: 1}
}

// learner is a [Book] or a [Ledger].
type learner interface {
	Observe(id string, b consensus.Ballots) error
	Resolve(id, right string) error
}

// observe adds a decision, and its outcome if told.
func observe(l learner, id string, b consensus.Ballots, right string, told bool) error {
	if err := l.Observe(id, b); err != nil || !told {
		return err
	}
	return l.Resolve(id, right)
}

// nth reports whether i is a multiple of every, and false if every is 0.
func nth(i, every int) bool { return every > 0 && i%every == 0 }

// fill adds n decisions to b, and the outcome of each whose number is a multiple of every; none if every is 0.
func (w *world) fill(b *Book, n, every int) {
	for i := range n {
		ballots, right := w.decision(nil)
		if err := observe(b, fmt.Sprint(w.Uint64()), ballots, right, nth(i, every)); err != nil {
			panic(err)
		}
	}
}

// score returns the share of n new decisions in which s is right, and its mean confidence. A decision it leaves open
// counts by its leader.
func (w *world) score(s consensus.Strategy, n int) (right, confidence float64) {
	for range n {
		b, truth := w.decision(nil)
		d := s.Decide(b.Close())
		if d.Leader() == truth {
			right++
		}
		confidence += d.Confidence
	}
	return right / float64(n), confidence / float64(n)
}

func newBook(o *Options) *Book {
	b, err := NewBook(o)
	if err != nil {
		panic(err)
	}
	return b
}

func letters(n int) []string { return newWorld(0, n).choices }
