package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Stop says when a decision has enough votes. The zero value means the defaults.
type Stop struct {
	Sure  float64 // probability of the leader at which to stop; 0 means 0.99
	Worth float64 // least gain in the probability of being right for which one more vote is asked; 0 means 0.01
}

func (s Stop) withDefaults() Stop {
	if s.Sure == 0 {
		s.Sure = 0.99
	}
	if s.Worth == 0 {
		s.Worth = 0.01
	}
	return s
}

// furthest is the largest number of further votes that is considered at once.
const furthest = 34

// Enough reports whether to stop asking. rest lists the voters who could still be asked, in the order in which they
// would be (see [Model.Next]).
//
// Asking r more voters, up to 34, is worth the expected value of sample information (Raiffa and Schlaifer, 1961): the
// probability that they put the runner-up ahead and it is right, less the probability that they do and the leader is
// right. Enough returns true if nobody is left. Otherwise it returns false before the first vote, and then true once
// the leader's probability reaches Sure, or no r gains Worth per vote. While little has been learned, a vote may gain
// less, because it also teaches about its voter.
//
// Enough weighs the leader against the runner-up. It does not ask whether the leader has a quorum or reaches the
// threshold of the ballots: where decisions have to, ask on until they do.
func (m *Model) Enough(b consensus.Ballots, rest []string, s Stop) bool {
	s = s.withDefaults()
	if len(rest) == 0 {
		return true
	}
	r := m.read(b)
	if !r.heard() {
		return false
	}
	a := r.asking()
	if a.first >= s.Sure {
		return true
	}
	for i, name := range rest[:min(len(rest), furthest)] {
		a.ask(m.voter(name))
		if a.gain() >= s.Worth*m.trust*float64(i+1) {
			return false
		}
	}
	return true
}

// asking is the effect of further votes on a decision between the leader and the runner-up, in the log-odds of the
// leader.
type asking struct {
	m             *Model
	q             *question
	lead, rival   int32   // candidates
	first, second float64 // their probabilities
	votes, asked  float64
	mean, spread  [2]float64 // mean and variance of what those asked add if the leader or the rival is right
}

func (r *reading) asking() *asking {
	p := r.pool(r.b.Correlation(), true)
	odds := append(slices.Clone(p.each), p.none)
	lead := slices.Index(odds, slices.Max(odds))
	a := &asking{m: r.m, first: odds[lead]}
	odds[lead] = -1
	rival := slices.Index(odds, slices.Max(odds))
	a.second = odds[rival]
	a.q = r.questions[0]
	for _, q := range r.questions {
		if r.m.kind.stances && (q.places[0] == lead || lead == len(p.each) && q.places[0] == rival) {
			a.q = q
		}
	}
	a.lead, a.rival = r.candidate(a.q, lead), r.candidate(a.q, rival)
	a.votes = float64(len(a.q.Voter))
	return a
}

// candidate returns the number of a proposal in a question, or of none for the index after the last proposal.
func (r *reading) candidate(q *question, place int) int32 {
	for c := range int32(q.Field) {
		if r.place(q, c) == place {
			return c
		}
	}
	return int32(q.Field - 1)
}

// ask adds a voter to those asked.
func (a *asking) ask(j int32) {
	a.asked++
	move := math.Abs(a.m.fit.Strength(j)) / (1 + a.m.fit.Errors()*(a.votes+a.asked-1))
	for i, c := range []int32{a.lead, a.rival} {
		leader := a.m.fit.Saying(j, int(c), int(a.lead), a.q.Field)
		rival := a.m.fit.Saying(j, int(c), int(a.rival), a.q.Field)
		toLeader := leader - rival
		a.mean[i] += move * toLeader
		a.spread[i] += move * move * (leader + rival - toLeader*toLeader)
	}
}

// gain returns by how much the probability of being right is expected to rise once those asked have voted. What they
// add is taken to be normally distributed.
func (a *asking) gain() float64 {
	now := math.Log(a.first / max(a.second, 1e-12))
	var flips [2]float64
	for i := range flips {
		sd := math.Sqrt(max(a.spread[i], 0)) + 1e-9
		flips[i] = math.Erfc((now+a.mean[i])/(sd*math.Sqrt2)) / 2
	}
	return a.second*flips[1] - a.first*flips[0]
}
