package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// ErrResuming is returned by [Swarm.Retain] while the swarm resumes a solve whose
// records might be dropped. Retain again when the solve has begun its next round.
var ErrResuming = errors.New("swarm: a solve is being resumed; retain again later")

// Retain is [solves.Retain] of the swarm's journal, while the swarm has it open. It drops
// nothing and returns [ErrResuming] while a solve is being resumed; a resumption that
// begins meanwhile waits for it. Without a journal it drops nothing.
func (s *Swarm) Retain(r journal.Retention) (dropped int, err error) {
	if s.opts.Journal == nil {
		return 0, nil
	}
	if !s.resuming.TryLock() {
		return 0, ErrResuming
	}
	defer s.resuming.Unlock()
	return solves.Retain(s.opts.Journal, r)
}

// Results is [solves.List] of the swarm's journal, with [Options].Kinds; empty without a
// journal.
func (s *Swarm) Results() ([]*solves.Result, error) {
	if s.opts.Journal == nil {
		return nil, nil
	}
	return solves.List(s.opts.Journal, s.opts.Kinds...)
}

// recorded returns the result that the log of a solve has: by what the swarm knew then if it has
// a journal, else by what that log says.
func (s *Swarm) recorded(log []signals.Any) (*solves.Result, error) {
	thread := log[0].Head().Thread
	all, err := s.Results()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(r *solves.Result) bool { return r.Thread == thread }); i >= 0 {
		return all[i], nil
	}
	past, err := replay.Trust(journal.Snapshot{})
	if err != nil {
		return nil, err
	}
	defer past.Close()
	for _, said := range log {
		if err := past.Next(said); err != nil {
			return nil, err
		}
	}
	return solves.Of(past.Thread(thread)), nil
}

// Replay returns what the log of a solve decides, from the log alone: the
// [solves.Result].Decision of the solve, with voting closed. It publishes nothing and
// calls no agents. A swarm that has learned something since then decides by what it
// knows now. The error wraps [runlog.ErrLog].
func (s *Swarm) Replay(log []signals.Any) (consensus.Decision, error) {
	task, err := runlog.Opening(log)
	if err != nil {
		return consensus.Decision{}, err
	}
	r := s.newSolve(&solves.Result{Thread: task.Thread, Task: task.Payload})
	if err := r.count.By(s.opts.decideBy()); err != nil {
		return consensus.Decision{}, fmt.Errorf("swarm: %w", err)
	}
	r.restore(context.Background(), log)
	r.seats.DropTurns()
	r.votes().Close()
	return r.count.Decide(), r.result.Err
}
