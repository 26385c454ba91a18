package main

import (
	"math"
	"math/rand/v2"
)

// A question has answer 0 as the right one. Agents see labels, in an order of the question's
// own, so that no agent can prefer the right one by its name.
type question struct {
	*world
	seed    uint64
	told    bool      // its outcome will be revealed
	right   []float64 // of each agent: the probability of a right answer
	wrong   []int     // of each agent: the wrong answer that its family is drawn to
	decoy   int       // that hostile agents argue for, and that what all know points to
	proof   []bool    // of each agent: could prove the right answer
	pieces  []int     // the answer that each piece of evidence supports
	labels  []int
	answers map[string]int // by label
}

func (w *world) question(seed uint64) *question {
	r := rand.New(rand.NewPCG(seed, 1))
	n := len(w.skill)
	q := &question{world: w, seed: seed, labels: r.Perm(w.answers), answers: map[string]int{}, decoy: w.anyWrong(r)}
	for a := range w.answers {
		q.answers[q.label(a)] = a
	}
	all, turn := r.NormFloat64(), 0
	own, drawn := map[int]float64{}, map[int]int{}
	for f := range n {
		own[f], drawn[f] = r.NormFloat64(), q.decoy
		if r.Float64() >= w.shared {
			drawn[f] = w.anyWrong(r)
		}
	}
	if w.rotates {
		turn = r.IntN(n)
	}
	for i := range n {
		as, f := (i+turn)%n, w.family[i]
		q.right = append(q.right, logistic(w.skill[as]+w.spread*(math.Sqrt(w.common)*all+math.Sqrt(1-w.common)*own[f])))
		q.wrong = append(q.wrong, drawn[f])
		q.proof = append(q.proof, r.Float64() < w.proves[as])
		q.pieces = append(q.pieces, 0)
		if r.Float64() < .2 {
			q.pieces[i] = w.anyWrong(r)
		}
	}
	return q
}

func (w *world) anyWrong(r *rand.Rand) int { return 1 + r.IntN(w.answers-1) }

// label returns the label of an answer.
func (q *question) label(answer int) string { return "option " + string(rune('A'+q.labels[answer])) }

// chance returns the random numbers of an agent for its n-th thought about the question:
// the same ones under every protocol.
func (q *question) chance(agent, n int) *rand.Rand {
	return rand.New(rand.NewPCG(q.seed, uint64(2+agent)<<32|uint64(n)))
}

// attacks reports whether an agent argues for a wrong answer.
func (q *question) attacks(agent int) bool { return q.hostile[agent] && (!q.sleeps || !q.told) }

// think returns an agent's answer by the pieces of evidence that it knows.
func (q *question) think(agent int, knows map[int]bool, r *rand.Rand) int {
	switch {
	case q.attacks(agent):
		return q.decoy
	case q.private:
		return q.judge(knows, r)
	case r.Float64() < q.right[agent]:
		return 0
	case r.Float64() < q.attract:
		return q.wrong[agent]
	}
	return q.anyWrong(r)
}

// judge returns the answer that pieces of evidence speak for most.
func (q *question) judge(knows map[int]bool, r *rand.Rand) (best int) {
	for_ := make([]float64, q.world.answers)
	for_[q.decoy] = q.misled
	for i, supports := range q.pieces {
		if knows[i] {
			for_[supports]++
		}
	}
	for a := range for_ {
		for_[a] += q.noise * r.NormFloat64()
		if for_[a] > for_[best] {
			best = a
		}
	}
	return best
}
