package consensus_test

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/swarmbus/swarmbus/consensus"
)

// reference implements the package documentation's table and order of outcomes as plainly as
// possible, with maps and floating point: the slow twin of the strategies.
type reference struct {
	b        consensus.Ballots
	rank     *int // only this rank's voters
	votes    map[string]map[string]consensus.Vote
	learned  bool
	rho      float64
	byVoters bool // voting: every weight is one in the outcome
}

func newReference(b consensus.Ballots, rho float64, learned bool) *reference {
	r := &reference{b: b, rho: rho, learned: learned, votes: map[string]map[string]consensus.Vote{}}
	for v := range b.Votes() {
		if r.votes[v.Voter] == nil {
			r.votes[v.Voter] = map[string]consensus.Vote{}
		}
		r.votes[v.Voter][v.ProposalID] = v
	}
	return r
}

func (r *reference) weight(v consensus.Vote) float64 {
	if r.byVoters {
		return 1
	}
	return v.Weight
}

func (r *reference) sides(p string) (agreeing int, s, against float64) {
	for who, votes := range r.votes {
		v, ok := votes[p]
		if !ok || r.rank != nil && r.b.Rank(who) != *r.rank {
			continue
		}
		switch v.Stance {
		case consensus.Agree:
			agreeing++
			s += r.weight(v)
		case consensus.Disagree:
			against += r.weight(v)
		}
	}
	return agreeing, s, against
}

// voters returns the number of V, W and ∅.
func (r *reference) voters() (spoke int, all, none float64) {
	for who, votes := range r.votes {
		if r.rank != nil && r.b.Rank(who) != *r.rank {
			continue
		}
		yes, no, speaks, agrees := 0.0, 0.0, false, false
		for _, v := range votes {
			if v.Stance == consensus.Abstain {
				continue
			}
			speaks = true
			agrees = agrees || v.Stance == consensus.Agree
			if v.Stance == consensus.Agree {
				yes = max(yes, r.weight(v))
			} else {
				no = max(no, r.weight(v))
			}
		}
		if !speaks {
			continue
		}
		spoke++
		if agrees {
			all += yes
		} else {
			all += no
			none += no
		}
	}
	return spoke, all, none
}

func (r *reference) evidence(p string) float64 {
	_, s, against := (&reference{b: r.b, votes: r.votes}).sides(p)
	if !r.learned {
		return math.Log(4) * (s - against)
	}
	e := 0.0
	for who, votes := range r.votes {
		v, ok := votes[p]
		if !ok {
			continue
		}
		rate, ok := r.b.Reliability(who)
		if !ok {
			rate = consensus.Reliability{Sensitivity: 0.8, Specificity: 0.8}
		}
		switch v.Stance {
		case consensus.Agree:
			e += v.Weight * math.Log(rate.Sensitivity/(1-rate.Specificity))
		case consensus.Disagree:
			e += v.Weight * math.Log((1-rate.Sensitivity)/rate.Specificity)
		}
	}
	return e
}

// softmax returns the probability of each proposal, and of none of these last.
func (r *reference) softmax(rho float64) []float64 {
	_, all, _ := (&reference{b: r.b, votes: r.votes}).voters()
	gamma := 1 / (1 + rho*max(0, all-1))
	var x []float64
	for _, p := range r.b.Proposals() {
		x = append(x, gamma*r.evidence(p))
	}
	x = append(x, 0)
	whole := floats.LogSumExp(x)
	for i := range x {
		x[i] = math.Exp(x[i] - whole)
	}
	return x
}

type measured struct {
	support, score []float64 // by proposal
	none           float64
	more           []bool
	rejected       bool
}

// measure is the table.
func (r *reference) measure(strategy string) measured {
	ps := r.b.Proposals()
	m := measured{rejected: len(ps) > 0}
	q := *r
	q.byVoters = strategy == "voting"
	_, all, none := q.voters()
	var weights []float64
	for _, p := range ps {
		_, s, against := q.sides(p)
		weights = append(weights, s)
		if strategy == "bayesian" {
			s, against = r.evidence(p), 0
		}
		m.score = append(m.score, s)
		m.more = append(m.more, s > against+1e-12)
		m.rejected = m.rejected && against > s+1e-12
	}
	switch strategy {
	case "bayesian":
		x := r.softmax(r.rho)
		m.support, m.none = x[:len(ps)], x[len(ps)]
	case "entropy":
		m.support = make([]float64, len(ps))
		weights = append(weights, none)
		whole := floats.Sum(weights)
		if whole == 0 {
			break
		}
		places := 0
		for i := range weights {
			weights[i] /= whole
			if weights[i] > 0 {
				places++
			}
		}
		order := 1 - stat.Entropy(weights)/math.Log(float64(max(2, places)))
		if top := floats.Max(weights); none > 0 && weights[len(ps)] >= top-1e-12 {
			m.none = order
		} else {
			for i := range ps {
				if weights[i] >= top-1e-12 {
					m.support[i] = order
				}
			}
		}
	default:
		m.support = make([]float64, len(ps))
		for i := range ps {
			if all > 0 {
				m.support[i] = weights[i] / all
				m.none = none / all
			}
		}
	}
	return m
}

func (r *reference) leaders(m measured) []int {
	var leaders []int
	for i, p := range r.b.Proposals() {
		agreeing, _, _ := r.sides(p)
		switch {
		case agreeing == 0:
		case len(leaders) == 0 || m.score[i] > m.score[leaders[0]]+1e-12:
			leaders = []int{i}
		case math.Abs(m.score[i]-m.score[leaders[0]]) <= 1e-12:
			leaders = append(leaders, i)
		}
	}
	return leaders
}

type verdict struct {
	outcome       consensus.Outcome
	leaders       []string
	support, none float64
	confidence    float64
}

func (r *reference) reaches(m measured) bool {
	l := r.leaders(m)
	return len(l) == 1 && m.support[l[0]] >= r.b.Threshold()-1e-9 && m.more[l[0]]
}

// decide is the order of outcomes, without learned reliabilities.
func (r *reference) decide(strategy string) verdict {
	if strategy == "hierarchical" {
		return r.hierarchical()
	}
	return r.verdict(r.measure(strategy))
}

func (r *reference) hierarchical() verdict {
	ranks := map[int]bool{}
	for who := range r.votes {
		ranks[r.b.Rank(who)] = true
	}
	var order []int
	for rank := range ranks {
		order = append(order, rank)
	}
	slices.Sort(order)
	slices.Reverse(order)
	first, down := -1, map[string]bool{}
	for i, rank := range order {
		q := *r
		q.rank = &rank
		spoke, _, _ := q.voters()
		if spoke == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		m := q.measure("confidence-weighted")
		if m.rejected && m.none >= r.b.Threshold()-1e-9 {
			return q.verdict(m)
		}
		if q.reaches(m) && !down[r.b.Proposals()[q.leaders(m)[0]]] {
			return q.verdict(m)
		}
		_, _, none := q.voters()
		for _, p := range r.b.Proposals() {
			if _, s, against := q.sides(p); against > s+1e-12 && max(against, none) >= (r.b.Threshold()-1e-9)*(max(against, none)+s) {
				down[p] = true
			}
		}
	}
	q := *r
	if first >= 0 {
		q.rank = &order[first]
	}
	return q.verdict(q.measure("confidence-weighted"))
}

func (r *reference) verdict(m measured) verdict {
	l := r.leaders(m)
	v := verdict{none: m.none}
	lead := len(r.b.Proposals())
	for _, i := range l {
		lead = i
		v.support = m.support[i]
		v.leaders = append(v.leaders, r.b.Proposals()[i])
	}
	slices.Sort(v.leaders)
	undecided := consensus.Pending
	if r.b.Closed() {
		undecided = consensus.Deadlocked
	}
	switch {
	case len(r.votes) < r.b.Quorum():
		v.outcome = undecided
	case r.reaches(m):
		v.outcome = consensus.Reached
	case m.rejected && (r.b.Closed() || m.none >= r.b.Threshold()-1e-9):
		v.outcome = consensus.Rejected
		lead = len(r.b.Proposals())
	default:
		v.outcome = undecided
	}
	v.confidence = r.confidence(lead)
	if v.outcome != consensus.Rejected {
		for _, i := range l {
			v.confidence = min(v.confidence, r.confidence(i))
		}
	}
	return v
}

func (r *reference) confidence(i int) float64 {
	discounted, plain := r.softmax(r.rho), r.softmax(0)
	if discounted[i] < floats.Max(discounted)-1e-12 {
		return min(discounted[i], plain[i])
	}
	return discounted[i]
}
