package view

import (
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Book is the state of the solves in the log of a run, by its fold. It may be used concurrently.
// Make one with [New].
type Book struct {
	run string
	of  *desk.Fold // its lock protects the fields below, too; reading a solve notes what it has shown

	solves map[string]*solve // by thread
	order  []*solve          // as they began
}

// New returns the book of a run by the fold of its log, of which the book has nothing yet.
func New(run string, of *desk.Fold) *Book {
	return &Book{run: run, of: of, solves: map[string]*solve{}}
}

// Apply takes a record that was just folded, as [desk.Watcher] gets it, and returns the frame of its
// signal for clients. ok is false for one that is not of a solve.
func (b *Book) Apply(record *journal.Record, said signals.Any, of *replay.Thread) (frame api.Frame, ok bool) {
	if key, took, ok := cassette.SpentBy(record); ok {
		if s := b.solves[key.Thread]; s != nil {
			s.spend(key.Agent, took)
		}
	}
	if of == nil {
		return frame, false
	}
	s := b.solves[of.Name]
	if s == nil {
		s = newSolve(b.run, of)
		b.solves[of.Name], b.order = s, append(b.order, s)
	}
	frame = s.apply(said)
	if frame.Solve.State == api.Waiting || frame.Kind == string(runlog.KindAnswered) || frame.Kind == string(asking.KindAnswered) {
		frame.Item = s.newest()
	}
	return frame, true
}

// Seq returns the position of the newest signal, and the error of the log.
func (b *Book) Seq() (uint64, error) { return b.of.Seq() }

// Solves returns the solves in the order in which they began.
func (b *Book) Solves() []api.Solve {
	b.of.Lock()
	defer b.of.Unlock()
	all := make([]api.Solve, 0, len(b.order))
	for _, s := range b.order {
		all = append(all, s.summary())
	}
	return all
}

// with calls f with the solve of a thread, and reports whether there is one.
func (b *Book) with(thread string, f func(*solve)) bool {
	b.of.Lock()
	defer b.of.Unlock()
	s := b.solves[thread]
	if s != nil {
		f(s)
	}
	return s != nil
}

// Solve returns the solve of a thread, and whether there is one.
func (b *Book) Solve(thread string) (got api.Solve, ok bool) {
	ok = b.with(thread, func(s *solve) { got = s.summary() })
	return got, ok
}

// Detail returns the whole state of a solve, but only those of its votes, steps and words
// that come after a position.
func (b *Book) Detail(thread string, after uint64) (got api.SolveDetail, ok bool) {
	ok = b.with(thread, func(s *solve) { got = s.detail(after) })
	return got, ok
}

// WhatIf returns the decision of a solve by every strategy and threshold, on the votes up
// to a position; 0: all.
func (b *Book) WhatIf(thread string, at uint64, thresholds []float64) (got api.WhatIf, ok bool, err error) {
	ok = b.with(thread, func(s *solve) { got, err = s.whatIf(at, thresholds) })
	return got, ok, err
}

// Conflicts returns the conflicts of all solves, or of one thread.
func (b *Book) Conflicts(thread string) (all []api.Conflict) {
	b.of.Lock()
	defer b.of.Unlock()
	for _, s := range b.order {
		if thread == "" || s.Name == thread {
			all = append(all, s.conflicts()...)
		}
	}
	return all
}

// Asked returns the solves that wait, or waited, for an answer to an escalation, with
// their questions and answers.
func (b *Book) Asked() (all []api.Item) {
	b.of.Lock()
	defer b.of.Unlock()
	for _, s := range b.order {
		all = append(all, s.asked()...)
	}
	return all
}

// Ledger returns the ledger of the agents' reliability; nil: there is none.
func (b *Book) Ledger() *reliability.Ledger {
	b.of.Lock()
	defer b.of.Unlock()
	return b.of.Replay.Ledger(runlog.Learner)
}

// Voters yields each agent that voted in a solve whose outcome is known, and whether it
// was right.
func (b *Book) Voters() iter.Seq2[string, Record] {
	b.of.Lock()
	defer b.of.Unlock()
	all := map[string]Record{}
	for _, s := range b.order {
		s.score(all)
	}
	return func(yield func(string, Record) bool) {
		for agent, r := range all {
			if !yield(agent, r) {
				return
			}
		}
	}
}

// newest returns the newest question of the solve as an item; nil: it has none.
func (s *solve) newest() (item *api.Item) {
	if all := s.asked(); len(all) > 0 {
		item = &all[len(all)-1]
	}
	return item
}

// Agent returns the cost of an agent in all solves, and when it last published a signal;
// nil: never.
func (b *Book) Agent(agent string) (cost api.Cost, last *time.Time) {
	b.of.Lock()
	defer b.of.Unlock()
	for _, s := range b.order {
		cost = plus(cost, s.costs[agent])
		for i := len(s.said) - 1; i >= 0; i-- {
			if s.said[i].By != agent {
				continue
			}
			if at := s.said[i].Time; last == nil || at.After(*last) {
				last = &at
			}
			break
		}
	}
	return cost, last
}
