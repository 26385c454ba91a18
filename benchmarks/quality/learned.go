package main

import (
	"strconv"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// defaults choose nothing but what the labels are.
func (s *set) defaults() *reliability.Options {
	o := reliability.Options{Window: 1 << 20}
	if !s.own {
		o.Choices = s.labels
	}
	return &o
}

// learnt is the model that a ledger has learned from all votes and the known outcomes.
func (s *set) learnt(gold []int32) *reliability.Model {
	m, _ := s.ledger(gold).Models()
	return m
}

// newLedger returns an empty ledger about the set's labels.
func (s *set) newLedger() *reliability.Ledger {
	l, err := reliability.NewLedger(s.defaults())
	if err != nil {
		panic(err)
	}
	return l
}

// ledger has seen all votes and the known outcomes.
func (s *set) ledger(gold []int32) *reliability.Ledger {
	l := s.newLedger()
	for t := range s.tasks() {
		s.show(l, t, gold[t])
	}
	return l
}

func (s *set) show(b *reliability.Ledger, t int, known int32) {
	id := strconv.Itoa(t)
	if err := b.Observe(id, s.ballots(nil, s.votesOn(t))); err != nil {
		panic(err)
	}
	if known < 0 {
		return
	}
	if err := b.Resolve(id, s.labels[known]); err != nil {
		panic(err)
	}
}

// probable returns the probability of each label by a model.
func (s *set) probable(m *reliability.Model, b consensus.Ballots, p []float64) {
	clear(p)
	each, _ := m.Probabilities(b)
	for i, name := range b.Proposals() {
		p[s.place[name]] = each[i]
	}
}

// learned answers with the strategy of package reliability, with every default.
func learned(s *set, gold []int32) []float64 { return s.pooled(s.learnt(gold)) }

func (s *set) pooled(m *reliability.Model) []float64 {
	post := make([]float64, s.tasks()*s.k())
	for t := range s.tasks() {
		s.probable(m, s.ballots(nil, s.votesOn(t)), post[t*s.k():][:s.k()])
	}
	return post
}
