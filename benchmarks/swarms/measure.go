package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A score has the results of a contender on the questions of one team.
type score struct {
	N                  int
	Leads, Right, Open float64 // the right answer leads; it was decided; nothing was
	Cost               float64
	Sure               [10]struct{ N, Confidence, Right float64 } // decided, by confidence
	Modes              map[string]int
}

// A row has the results of a contender in a world with a budget.
type row struct {
	World, By string
	Budget    int
	Accuracy  float64 // share of questions in which the right answer leads, in %
	Interval  float64 // half of that of 95 %, over teams
	Right     float64 // decided and right
	Wrong     float64 // decided and wrong
	Open      float64 // not decided
	Cost      float64 // calls, with what they read
	ECE       float64 // mean distance of confidence and share right, of the decided
	Modes     map[string]int
	Teams     []float64 // accuracy of each
}

// play asks a team its questions and scores them.
func (c *contender) play(w *world, seed uint64, budget int, questions part) (score, error) {
	size := c.size(len(w.skill), budget)
	s, team := c.sit(w, size, budget)
	o := swarm.Options{Agents: team, Seed: seed + 1, Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond)}
	o.Limits.Signals, o.Limits.Deadline = 4000, time.Hour
	if c.known > 0 {
		ledger, err := c.history(w, seed)
		if err != nil {
			return score{}, err
		}
		o.Ledger = ledger
	}
	if c.set(&o, w, budget); o.Strategy == nil && o.Ledger == nil {
		o.Ledger = new(reliability.Ledger)
		o.Ledger.DeferLearning()
	}
	sw, err := swarm.New(o)
	if err != nil {
		return score{}, err
	}
	defer sw.Close()
	var sc score
	sc.Modes = map[string]int{}
	for i := questions.from; i < questions.to; i++ {
		q := w.question(seed<<20 + uint64(i))
		c.seat(s, q)
		r, err := sw.Solve(context.Background(), signals.Task{Task: fmt.Sprint("question ", i)})
		if err != nil {
			return score{}, err
		}
		sc.add(q, r, s.cost)
	}
	return sc, nil
}

// history has a team vote on questions whose outcomes are revealed, and returns the ledger of
// the swarm.
func (c *contender) history(w *world, seed uint64) (*reliability.Ledger, error) {
	ledger := new(reliability.Ledger)
	ledger.DeferLearning()
	voting := contender{size: all, set: poll}
	s, team := voting.sit(w, len(w.skill), 0)
	o := swarm.Options{Agents: team, Seed: seed + 1, Ledger: ledger, Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond)}
	poll(&o, w, 0)
	o.Threshold = 1 // no voter is left out
	o.Limits.Deadline = time.Hour
	sw, err := swarm.New(o)
	if err != nil {
		return nil, err
	}
	defer sw.Close()
	for i := range c.known {
		q := w.question(seed<<20 + 1<<19 + uint64(i))
		q.told = true
		voting.seat(s, q)
		r, err := sw.Solve(context.Background(), signals.Task{Task: fmt.Sprint("known ", i)})
		if err != nil {
			return nil, err
		}
		right := ""
		for _, p := range r.Proposals {
			if q.answers[p.Proposal.Payload.Content] == 0 {
				right = p.ID()
			}
		}
		if err := sw.RecordOutcome(r, right); err != nil {
			return nil, err
		}
	}
	return ledger, nil
}

// add scores a result. Of k answers that are tied, each counts as 1/k of the one that leads.
func (sc *score) add(q *question, r *solves.Result, cost float64) {
	d := r.Decision
	sc.N++
	sc.Cost += cost
	if r.Planned != nil {
		sc.Modes[r.Planned.Mode.String()]++
	}
	is := func(id string) float64 {
		for _, p := range r.Proposals {
			if p.Is(id) && q.answers[p.Proposal.Payload.Content] == 0 {
				return 1
			}
		}
		return 0
	}
	for _, id := range d.Leaders {
		sc.Leads += is(id) / float64(len(d.Leaders))
	}
	if r.Stop != runlog.StopConsensus {
		sc.Open++
		return
	}
	right := is(d.Choice)
	sc.Right += right
	b := &sc.Sure[min(9, int(10*d.Confidence))]
	b.N++
	b.Confidence += d.Confidence
	b.Right += right
}

// plus returns the score of the questions of both.
func (sc score) plus(more score) score {
	sc.N += more.N
	sc.Leads, sc.Right, sc.Open, sc.Cost = sc.Leads+more.Leads, sc.Right+more.Right, sc.Open+more.Open, sc.Cost+more.Cost
	modes := maps.Clone(more.Modes)
	for m, n := range sc.Modes {
		modes[m] += n
	}
	sc.Modes = modes
	for i, b := range more.Sure {
		sc.Sure[i].N += b.N
		sc.Sure[i].Confidence += b.Confidence
		sc.Sure[i].Right += b.Right
	}
	return sc
}

// row adds up the scores of teams.
func rowOf(world, by string, budget int, all []score) row {
	r := row{World: world, By: by, Budget: budget}
	var sum score
	for _, s := range all {
		r.Teams = append(r.Teams, 100*s.Leads/float64(s.N))
		sum = sum.plus(s)
	}
	r.Modes = sum.Modes
	n := float64(sum.N) / 100
	r.Accuracy, r.Interval = interval(r.Teams)
	r.Right, r.Open, r.Cost = sum.Right/n, sum.Open/n, sum.Cost/float64(sum.N)
	r.Wrong = 100 - r.Right - r.Open
	for _, b := range sum.Sure {
		r.ECE += math.Abs(b.Confidence-b.Right) / max(1, float64(sum.N)-sum.Open)
	}
	r.ECE *= 100
	return r
}

// interval returns the mean, and half of its interval of 95 %.
func interval(all []float64) (mean, half float64) {
	for _, x := range all {
		mean += x / float64(len(all))
	}
	if len(all) < 2 {
		return mean, 0
	}
	v := 0.0
	for _, x := range all {
		v += (x - mean) * (x - mean)
	}
	const t = 2.13 // of sixteen teams
	return mean, t * math.Sqrt(v/float64(len(all)-1)/float64(len(all)))
}
