package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A contender is a way to answer questions at a price.
type contender struct {
	name   string
	size   func(n, budget int) int // agents, if the world has n
	minds  seating
	checks func(budget int) int // of its own answer that an agent makes; nil: none
	known  int                  // outcomes revealed before
	fixed  bool                 // it does the same with any budget of 10 calls or more
	beyond bool                 // it may cost more than the budget, so that it is no rival
	set    func(o *swarm.Options, w *world, budget int)
}

// A seating assigns minds to the agents of a team, question by question.
type seating int

const (
	own   seating = iota // each agent has the mind of its number
	drawn                // random ones, none of them twice before each has been drawn
	one                  // the same random one
)

func all(n, _ int) int    { return n }
func budget(_, b int) int { return b }

// talkers returns how many agents may draft and then talk for one round.
func talkers(n, b int) int {
	m := 1
	for next := 2; next <= n && float64(next)*(2+mode.Reading*float64(next)) <= float64(b); next++ {
		m = next
	}
	return m
}

// poll makes a swarm count one round of votes, the most of which decide.
func poll(o *swarm.Options, _ *world, _ int) {
	o.Strategy, o.Threshold, o.Quorum, o.Limits.Rounds = consensus.Voting{}, consensus.Plurality, 1, 1
}

func by(m mode.Mode) func(o *swarm.Options, w *world, budget int) {
	return func(o *swarm.Options, w *world, budget int) {
		o.Mode, o.Limits.Calls = m, budget
		o.Traits = func(context.Context, signals.Task) mode.Traits {
			return mode.Traits{FactsDiffer: w.differ, Checkable: w.checkable}
		}
	}
}

func deliberates(p settle.Policy) func(o *swarm.Options, w *world, budget int) {
	return func(o *swarm.Options, _ *world, _ int) {
		o.Strategy, o.Conflicts, o.Limits.Rounds = consensus.ConfidenceWeighted{}, p, 8
	}
}

// talks makes a swarm talk for so many rounds unless all agree.
func talks(rounds int) func(o *swarm.Options, w *world, budget int) {
	return func(o *swarm.Options, _ *world, _ int) {
		o.Strategy, o.Threshold, o.Limits.Rounds = consensus.Voting{}, 1, 1+rounds
	}
}

// selfChecks returns how many checks of its own answer an agent can pay, at most three.
func selfChecks(budget int) int {
	price, n := 1.0, 0
	for n < 3 && price+1+mode.Reading*float64(n+1) <= float64(budget) {
		n++
		price += 1 + mode.Reading*float64(n)
	}
	return n
}

const (
	plain    = "Vote, plain"
	ours     = "Vote"
	choosing = "Auto"
	learned  = "Auto, 40 outcomes"
	sameTeam = "Talk, all, one round"
)

var contenders = []contender{
	{name: "Single", size: all, set: by(mode.Single), fixed: true},
	{name: "Self-check", size: all, set: by(mode.Single), checks: selfChecks, fixed: true},
	{name: "Self-consistency", size: budget, minds: one, set: poll},
	{name: plain, size: budget, minds: drawn, set: poll},
	{name: ours, size: all, set: by(mode.Vote)},
	{name: "Vote, 40 outcomes", size: all, set: by(mode.Vote), known: 40},
	{name: "Facts first", size: all, set: by(mode.FactsFirst)},
	{name: "Check", size: all, set: by(mode.Check)},
	{name: "Deliberate, debate", size: talkers, minds: drawn, set: deliberates(settle.ByDebate), beyond: true},
	{name: "Deliberate, majority", size: talkers, minds: drawn, set: deliberates(settle.ByMajority), beyond: true},
	{name: "Deliberate, escalate", size: talkers, minds: drawn, set: deliberates(settle.ByEscalation), beyond: true},
	{name: "Unanimous", size: talkers, minds: drawn, set: talks(4), beyond: true},
	{name: "Talk, one round", size: talkers, minds: drawn, set: talks(1)},
	{name: sameTeam, size: all, set: talks(1), beyond: true, fixed: true},
	{name: choosing, size: all, set: by(mode.Auto)},
	{name: learned, size: all, set: by(mode.Auto), known: 40},
}

// sit returns a team of so many agents of a world.
func (c *contender) sit(w *world, size, budget int) (*session, []*agents.Agent) {
	s := new(session)
	if c.checks != nil {
		s.checks = c.checks(budget)
	}
	var team []*agents.Agent
	for i := range size {
		m := &mind{session: s, name: fmt.Sprintf("agent%d", i), who: i % len(w.skill), again: i / len(w.skill)}
		s.minds = append(s.minds, m)
		team = append(team, m.agent(w))
	}
	return s, team
}

// seat gives the agents their minds for a question.
func (c *contender) seat(s *session, q *question) {
	r := rand.New(rand.NewPCG(q.seed, 2))
	order := r.Perm(len(q.skill))
	for i, m := range s.minds {
		switch c.minds {
		case drawn:
			m.who = order[i%len(order)]
		case one:
			m.who, m.again = order[0], i
		}
	}
	s.ask(q)
}
