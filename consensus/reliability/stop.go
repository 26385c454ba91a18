package reliability

import (
	"math"

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

// young is the number of decisions learned from at which a vote has to gain half of Worth. Books that see few votes in
// their first decisions misjudge voters with confidence, and then ask for even fewer votes.
const young = 50

// most is the largest number of further votes that is considered at once.
const most = 34

// Enough reports whether to stop asking. rest lists the voters who could still be asked, in the order in which they
// would be (see [Model.Next]).
//
// Asking r more voters, up to 34, is worth the expected value of sample information (Raiffa and Schlaifer, 1961): the
// probability that they put the runner-up ahead and it is right, less the probability that they do and the leader is
// right. Enough returns true if nobody is left. Otherwise it returns false before the first vote, and then true once
// the leader's probability reaches Sure, or no r gains Worth per vote.
//
// A vote also teaches about its voter, which helps later decisions, but less the more has already been learned. So a
// vote may gain less while the model is young: Worth · n/(n+50) after learning from n decisions, and nothing before the
// first.
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
	a := r.asking(b.Correlation())
	if a.first >= s.Sure {
		return true
	}
	n := float64(m.params.Decisions)
	price := s.Worth * n / (n + young)
	for i, name := range rest[:min(len(rest), most)] {
		a.ask(name)
		if a.gain() >= price*float64(i+1) {
			return false
		}
	}
	return true
}

// heard reports whether there is a vote to pool.
func (r *reading) heard() bool {
	for _, q := range r.questions {
		if len(q.voices) > 0 {
			return true
		}
	}
	return false
}

// asking is the effect of further votes on a decision between the leader and the runner-up.
type asking struct {
	*answering
	lead, rival   int     // candidates
	first, second float64 // their probabilities
	rho           float64 // correlation of voters' errors
	votes, asked  float64
	balance       float64    // strength of the votes for the leader less that of the votes for the rival
	mean, spread  [2]float64 // mean and variance of what those asked add to balance, if the leader or the rival is right
}

func (r *reading) asking(rho float64) *asking {
	a := r.contest(rho)
	a.rho = a.m.params.Corr.pooled()
	for i, v := range a.voices {
		if !a.constant(i) {
			a.votes += v.number()
		}
		switch c, ok := a.said[v.said].single(a.field); {
		case ok && int(c) == a.lead:
			a.balance += a.strength(i)
		case ok && int(c) == a.rival:
			a.balance -= a.strength(i)
		}
	}
	a.balance = max(0, a.balance)
	return a
}

// strength returns the strength of all voters of voice i together.
func (a *asking) strength(i int) float64 {
	return a.share[i] * a.cast.part[i] * a.m.params.strength(a.voices[i].voter, a.field, a.cast.lift[i])
}

func (a *asking) pair() [2]int { return [2]int{a.lead, a.rival} }

// contest finds the leader and the runner-up. With stances, these are the leading proposal and none: the other
// proposals are questions of their own.
func (r *reading) contest(rho float64) *asking {
	if !r.m.kind.stances {
		a := &asking{answering: r.questions[0]}
		p := a.probabilities(rho)
		a.lead = best(p)
		a.first, p[a.lead] = p[a.lead], -1
		a.rival = best(p)
		a.second = p[a.rival]
		return a
	}
	p := r.pool(rho)
	top := 0
	for i, q := range r.questions {
		if p.each[q.places[0]] > p.each[r.questions[top].places[0]] {
			top = i
		}
	}
	a := &asking{answering: r.questions[top], rival: 1}
	if p.none > p.each[a.places[0]] {
		a.lead, a.rival = 1, 0
	}
	a.first, a.second = topTwo(append(p.each, p.none))
	return a
}

func topTwo(p []float64) (first, second float64) {
	for _, x := range p {
		if x > first {
			first, second = x, first
		} else {
			second = max(second, x)
		}
	}
	return first, second
}

// ask adds one voter to those asked.
func (a *asking) ask(name string) {
	j := a.m.voter(name)
	sure := a.m.params.usual(int(j), a.field).lift
	move := a.m.params.unasked(j, a.field, sure) / (1 + a.rho*(a.votes+a.asked))
	for i, c := range a.pair() {
		leader, rival := a.saysOne(int(j), sure, c, a.lead), a.saysOne(int(j), sure, c, a.rival)
		toLeader := leader - rival
		a.mean[i] += move * toLeader
		a.spread[i] += move * move * (leader + rival - toLeader*toLeader)
	}
	a.asked++
}

// gain returns by how much the probability of being right is expected to rise once those asked have voted. What they
// add to the balance is taken to be normally distributed.
func (a *asking) gain() float64 {
	now := a.balance * (1 + a.rho*(a.votes-1)) / (1 + a.rho*(a.votes+a.asked-1))
	var flips [2]float64
	for i := range flips {
		sd := math.Sqrt(max(a.spread[i], 0)) + 1e-9
		flips[i] = math.Erfc((now+a.mean[i])/(sd*math.Sqrt2)) / 2
	}
	return a.second*flips[1] - a.first*flips[0]
}
