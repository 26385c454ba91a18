package main

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// answer is an engine's answer to one task.
type answer struct {
	leads      float64 // 1 where the leader is right, shared among those that tie
	decided    bool
	right      bool // of what is decided
	confidence float64
	sure       float64 // 1 where the answer that confidence is about is right
}

// engine decides task after task; learn is called for each once it is decided, with whether its outcome is known.
type engine interface {
	decide(w *world, f form, t task) answer
	learn(w *world, f form, n int, told bool)
}

// named is an engine with its name.
type named struct {
	name string
	engine
}

// engines are those compared, each knowing nothing yet.
func engines(w *world) []named {
	all := []named{
		{"default", &byLedger{ledger: new(reliability.Ledger)}},
		{"majority", fixed{consensus.Voting{}}},
		{"weight", fixed{consensus.ConfidenceWeighted{}}},
		{"best voter", &byBest{count: map[string]*record{}}},
	}
	if w.right != nil && w.labels != nil {
		all = append(all, named{"who knows all rates", oracle{}})
	}
	return all
}

// fixed decides by a strategy that learns nothing.
type fixed struct{ consensus.Strategy }

func (e fixed) decide(w *world, f form, t task) answer {
	return read(f, e.Decide(f.ballots(w, t)), t.truth)
}

func (fixed) learn(*world, form, int, bool) {}

// byLedger is the default.
type byLedger struct{ ledger *reliability.Ledger }

func (e *byLedger) decide(w *world, f form, t task) answer {
	return read(f, e.ledger.Strategy().Decide(f.ballots(w, t)), t.truth)
}

func (e *byLedger) learn(w *world, f form, n int, told bool) {
	id := strconv.Itoa(n)
	if err := e.ledger.Observe(id, f.ballots(w, w.tasks[n])); err != nil {
		panic(err)
	}
	if !told {
		return
	}
	if err := e.ledger.Resolve(id, w.tasks[n].truth); err != nil {
		panic(err)
	}
}

// read scores a decision. With one proposal, rejecting it decides too.
func read(f form, d consensus.Decision, truth string) answer {
	a := answer{decided: d.Outcome == consensus.Reached, right: d.Choice == truth, confidence: d.Confidence}
	if f.approval {
		yes := d.Support > d.None
		a.leads = number(yes == (truth == "1"))
		if d.Support == d.None {
			a.leads = 0.5
		}
		if d.Outcome == consensus.Rejected {
			a.decided, a.right = true, truth != "1"
		}
		a.sure = a.leads
		return a
	}
	if slices.Contains(d.Leaders, truth) {
		a.leads = 1 / float64(len(d.Leaders))
	}
	a.sure = a.leads
	return a
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// byBest follows the voter with the best record on known outcomes or, without any, the one who agrees with the
// plurality most.
type byBest struct{ count map[string]*record }

type record struct{ told, right, agreed, all float64 }

func (e *byBest) decide(_ *world, _ form, t task) answer {
	best, top := "", math.Inf(-1)
	for _, v := range t.cast {
		x := 0.0
		if r := e.count[v.Voter]; r != nil {
			x = (r.right+1)/(r.told+2) + 1e-3*(r.agreed+1)/(r.all+2)
		}
		if x > top {
			best, top = v.Label, x
		}
	}
	a := answer{leads: number(best == t.truth), decided: true, right: best == t.truth, confidence: 1}
	a.sure = a.leads
	return a
}

func (e *byBest) learn(w *world, _ form, n int, told bool) {
	t := w.tasks[n]
	votes := map[string]float64{}
	for _, v := range t.cast {
		votes[v.Label]++
	}
	most := slices.Max(slices.Collect(maps.Values(votes)))
	for _, v := range t.cast {
		r := e.count[v.Voter]
		if r == nil {
			r = new(record)
			e.count[v.Voter] = r
		}
		r.all++
		r.agreed += number(votes[v.Label] == most)
		if told {
			r.told++
			r.right += number(v.Label == t.truth)
		}
	}
}

// oracle knows how often each is right and takes them for independent.
type oracle struct{}

func (oracle) decide(w *world, _ form, t task) answer {
	k := float64(len(w.labels))
	odds := make([]float64, len(w.labels))
	for _, v := range t.cast {
		p := w.right[slices.Index(w.voters, v.Voter)]
		odds[slices.Index(w.labels, v.Label)] += math.Log(p * (k - 1) / (1 - p))
	}
	top, sum := slices.Max(odds), 0.0
	for _, x := range odds {
		sum += math.Exp(x - top)
	}
	leader := w.labels[slices.Index(odds, top)]
	a := answer{leads: number(leader == t.truth), confidence: 1 / sum}
	a.decided, a.right, a.sure = a.confidence >= 0.7, leader == t.truth, a.leads
	return a
}

func (oracle) learn(*world, form, int, bool) {}
