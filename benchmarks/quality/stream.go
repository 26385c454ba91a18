package main

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// streamed has the cost and the accuracy of deciding one task after the other.
type streamed struct {
	Votes    float64 `json:"votes"`   // share of all votes that were asked for
	PerTask  float64 `json:"perTask"` // votes a task
	Accuracy float64 `json:"accuracy"`
	Majority float64 `json:"majority"` // of all votes on the same tasks
	Gap      float64 `json:"gap"`      // mean confidence less accuracy
}

// engine decides tasks one by one.
type engine interface {
	// next is the place in rest, the votes that can still be asked for, or -1 to stop.
	next(seen, rest []int32) int
	// decide answers from the votes seen, and learns from them.
	decide(seen []int32) (p []float64, confidence float64)
}

// learner asks the voter that its model chooses, or a random one, and stops when its model does.
type learner struct {
	s      *set
	ledger *reliability.Ledger
	stop   reliability.Stop
	pick   bool
}

func (e *learner) next(seen, rest []int32) int {
	m, _ := e.ledger.Models()
	b := e.s.ballots(nil, seen)
	names := make([]string, len(rest))
	for n, i := range rest {
		names[n] = e.s.names[e.s.voter[i]]
	}
	if m.Enough(b, names, e.stop) {
		return -1
	}
	if !e.pick {
		return 0
	}
	return max(0, slices.Index(names, m.Next(b, names, nil)))
}

func (e *learner) decide(seen []int32) ([]float64, float64) {
	p := make([]float64, e.s.k())
	b := e.s.ballots(nil, seen)
	m, _ := e.ledger.Models()
	e.s.probable(m, b, p)
	if err := e.ledger.Observe("", b); err != nil {
		panic(err)
	}
	return p, slices.Max(p)
}

// voting asks until a strategy has reached a decision.
type voting struct {
	s  *set
	st consensus.Strategy
	o  *consensus.Options
}

func (e voting) next(seen, _ []int32) int {
	if e.st.Decide(e.s.ballots(e.o, seen)).Outcome == consensus.Reached {
		return -1
	}
	return 0
}

func (e voting) decide(seen []int32) ([]float64, float64) {
	d := e.st.Decide(e.s.ballots(e.o, seen))
	p := make([]float64, e.s.k())
	for _, l := range d.Leaders {
		p[e.s.place[l]] = 1
	}
	return p, d.Confidence
}

// stream draws an order of tasks and of votes in each. The tasks with known outcomes come first, with all
// their votes.
func (s *set) stream(e engine, gold []int32, seed uint64) streamed {
	r := newRandom(seed*7919 + 13)
	if l, ok := e.(*learner); ok {
		for _, t := range r.permutation(s.tasks()) {
			if gold[t] >= 0 {
				s.show(l.ledger, int(t), gold[t])
			}
		}
	}
	var out streamed
	tasks, used, all := 0.0, 0.0, 0.0
	for _, t := range r.permutation(s.tasks()) {
		if gold[t] >= 0 || s.truth[t] < 0 {
			continue
		}
		rest := s.votesOn(int(t))
		r.shuffle(rest)
		all += float64(len(rest))
		out.Majority += hit(s.counts(rest), s.truth[t])
		seen := make([]int32, 0, len(rest))
		for len(rest) > 0 {
			i := e.next(seen, rest)
			if i < 0 {
				break
			}
			seen = append(seen, rest[i])
			rest = slices.Delete(rest, i, i+1)
		}
		p, confidence := e.decide(seen)
		used += float64(len(seen))
		tasks++
		out.Gap += confidence
		out.Accuracy += hit(p, s.truth[t])
	}
	tasks = math.Max(tasks, 1)
	out.Votes, out.PerTask = used/math.Max(all, 1), used/tasks
	out.Gap = (out.Gap - out.Accuracy) / tasks
	out.Accuracy, out.Majority = out.Accuracy/tasks, out.Majority/tasks
	return out
}

func meanOfOrders(orders []streamed) (m streamed) {
	n := float64(len(orders))
	for _, x := range orders {
		m.Votes, m.PerTask, m.Gap = m.Votes+x.Votes/n, m.PerTask+x.PerTask/n, m.Gap+x.Gap/n
		m.Accuracy, m.Majority = m.Accuracy+x.Accuracy/n, m.Majority+x.Majority/n
	}
	return m
}

func (s *set) counts(which []int32) []float64 {
	p := make([]float64, s.k())
	for _, i := range which {
		p[s.label[i]]++
	}
	return p
}

// hit is 1 for the right label, shared among those that tie with it.
func hit(p []float64, truth int32) float64 {
	most, ties := slices.Max(p), 0.0
	for _, x := range p {
		if x >= most-same {
			ties++
		}
	}
	if p[truth] < most-same {
		return 0
	}
	return 1 / ties
}

// streams are the engines to stream, by name. The thrifty ones want twice the default's gain from a vote: with the
// default their results lie on both sides of majority's accuracy.
func (s *set) streams() map[string]engine {
	thrifty := reliability.Stop{Worth: 0.02}
	return map[string]engine{
		"learned":                  &learner{s: s, ledger: s.newLedger()},
		"learned, asking":          &learner{s: s, ledger: s.newLedger(), pick: true},
		"learned, thrifty":         &learner{s: s, ledger: s.newLedger(), stop: thrifty},
		"learned, asking, thrifty": &learner{s: s, ledger: s.newLedger(), stop: thrifty, pick: true},
		"voting":                   voting{s: s, st: consensus.Voting{}, o: &consensus.Options{Quorum: 3}},
		"bayesian":                 voting{s: s, st: consensus.Bayesian{}, o: &consensus.Options{Threshold: 0.95}},
	}
}
