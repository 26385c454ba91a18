package view

import (
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/spending"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Book is the state of the solves in the log of a run. It may be used concurrently. Make one with [New].
type Book struct {
	run string

	mu     sync.Mutex // protects the fields below; reading a solve notes what it has shown
	replay *replay.Replay
	solves map[string]*solve // by thread
	order  []*solve          // as they began
	seq    uint64
	err    error // the log cannot be read any further
}

// New returns the book of a run whose log begins after a snapshot.
func New(run string, from journal.Snapshot) (*Book, error) {
	r, err := replay.Trust(from)
	return &Book{run: run, replay: r, solves: map[string]*solve{}}, err
}

// Close releases the book's memory.
func (b *Book) Close() { b.replay.Close() }

// Apply takes the next signal of the log, and returns its frame for clients. ok is false
// for a signal that is not one of a solve.
func (b *Book) Apply(s signals.Any) (frame api.Frame, ok bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return frame, false, b.err
	}
	if b.err = b.replay.Next(s); b.err != nil {
		return frame, false, b.err
	}
	h := s.Head()
	b.seq = h.Seq
	of := b.solves[h.Thread]
	if of == nil {
		if of = b.begin(s); of == nil {
			return frame, false, nil
		}
	}
	return of.apply(s), true, nil
}

// begin opens a solve with its first signal; nil: it is not one of a solve.
func (b *Book) begin(s signals.Any) *solve {
	if s.Kind() != signals.KindTask && s.Kind() != runlog.KindTerms {
		return nil
	}
	thread := s.Head().Thread
	of := newSolve(b.run, b.replay.Thread(thread))
	b.solves[thread], b.order = of, append(b.order, of)
	return of
}

// Seq returns the position of the newest signal, and the error of the log.
func (b *Book) Seq() (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seq, b.err
}

// Solves returns the solves in the order in which they began.
func (b *Book) Solves() []api.Solve {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]api.Solve, 0, len(b.order))
	for _, s := range b.order {
		all = append(all, s.summary())
	}
	return all
}

// with calls f with the solve of a thread, and reports whether there is one.
func (b *Book) with(thread string, f func(*solve)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
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
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.order {
		if thread == "" || s.Name == thread {
			all = append(all, s.conflicts()...)
		}
	}
	return all
}

// Log returns the log of a solve. The slice is shared.
func (b *Book) Log(thread string) (log []signals.Any) {
	b.with(thread, func(s *solve) { log = slices.Clip(s.Log) })
	return log
}

// Asks returns the question of a solve that waits for an answer to an escalation, as an
// item without an id.
func (b *Book) Asks(thread string) (item api.Item, ok bool) {
	b.with(thread, func(s *solve) { item, ok = s.asks() })
	return item, ok
}

// Asked returns the solves that wait, or waited, for an answer to an escalation, with
// their questions and answers.
func (b *Book) Asked() (all []api.Item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.order {
		all = append(all, s.asked()...)
	}
	return all
}

// Spend adds the cost of a call to that of an agent in a solve.
func (b *Book) Spend(thread, agent string, cost spending.Cost) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.solves[thread]; s != nil {
		s.spend(agent, cost)
	}
}

// Ledger returns the ledger of the agents' reliability; nil: there is none.
func (b *Book) Ledger() *reliability.Ledger {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.replay.Ledger(runlog.Learner)
}

// Voters yields each agent that voted in a solve whose outcome is known, and whether it
// was right.
func (b *Book) Voters() iter.Seq2[string, Record] {
	b.mu.Lock()
	defer b.mu.Unlock()
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

// Newest returns the newest question of a solve as an item; nil: it has none.
func (b *Book) Newest(thread string) (item *api.Item) {
	b.with(thread, func(s *solve) {
		if all := s.asked(); len(all) > 0 {
			item = &all[len(all)-1]
		}
	})
	return item
}

// Agent returns the cost of an agent in all solves, and when it last published a signal;
// nil: never.
func (b *Book) Agent(agent string) (cost api.Cost, last *time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
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
