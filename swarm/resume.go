package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// ErrLog is returned for a log from which no solve can continue: it does not begin
// with a task, has several threads, is already decided, or is not in order.
var ErrLog = errors.New("swarm: cannot resume from the log")

// question returns the question of an escalated solve.
func (r *solve) question() *Question {
	if r.result.Stop != StopEscalated {
		return nil
	}
	return questionOf(r.thread)
}

// Resume continues a solve from its log: with an answer from outside the swarm, one
// that escalated or ended undecided; with a nil answer, one that was interrupted.
//
// It needs only the log: [Result].Log, a log of [Swarm.Results], or one written
// elsewhere, also by another process (see [runlog.Kinds]). Agents remember what is in the
// log. Rounds and signals continue to be counted, the deadline begins anew. Options
// should be those of the swarm that wrote the log; the seed is that of the log.
//
// # Interrupted solves
//
// Wherever its process was killed, a solve in a journal continues where the journal
// ends, by the terms on record. Turns that are incomplete in the log are taken again,
// with the same input; their signals that are in the log are not published again. So
// no call is repeated whose result a recorder has in the journal
// ([journal.Recorder], package cassette). A solve that stopped for lack of time or
// money, because it was cancelled, or because of an error continues, too. For one
// that ended otherwise, or that waits for an answer, Resume returns the result that
// it had.
//
// # With an answer
//
// The answer is a signal of any kind that agents may publish, except an escalation.
// A consensus and the other kinds of the system are refused, and so is a vote on an
// unknown proposal. The answer's source is that of its header, or [Person]; it must
// not be the name of an agent, ignoring case and surrounding spaces. The answer
// replies to the question, if there is one. Every agent hears it in its next turn,
// whatever it listens to. Open conflicts count as answered. The source becomes a
// voter with weight 1: its vote counts like that of an agent, and decides if the
// strategy requires no others; a [signals.Memory] leaves the decision to the agents.
//
// A question is answered once: a second answer is refused with an [*AnsweredError]
// that says who was first.
//
// The error is a wrapped [ErrLog] for a log from which no solve can continue, or one
// of those of [Swarm.Solve]. An empty bus of the swarm is fed with the log; it is an
// error if the bus is not empty and does not have all of it. Signals that the bus has
// in the thread after the log count.
func (s *Swarm) Resume(ctx context.Context, log []signals.Any, answer signals.Any) (*Result, error) {
	return resultOf(s.StreamResume(ctx, log, answer))
}

// StreamResume is to [Swarm.Resume] what [Swarm.Stream] is to [Swarm.Solve].
// Signals already in the log are not shown again.
func (s *Swarm) StreamResume(ctx context.Context, log []signals.Any, answer signals.Any) iter.Seq2[Event, error] {
	return stream(ctx, func() (*solve, func(context.Context), error) {
		r, err := s.startAgain(ctx, log, answer)
		if err != nil {
			return nil, nil, err
		}
		return r, func(ctx context.Context) {
			switch {
			case answer != nil:
				r.answered(ctx, answer)
			case s.unrecorded(&r.thread.Stage) != nil:
				r.takeAnswer(ctx, s.unrecorded(&r.thread.Stage))
			}
		}, nil
	})
}

// startAgain opens a solve with the state of its log.
func (s *Swarm) startAgain(ctx context.Context, log []signals.Any, answer signals.Any) (*solve, error) {
	task, err := opening(log)
	if err == nil && answer != nil {
		err = s.mayAnswer(answer)
	}
	if err != nil {
		return nil, err
	}
	if err := s.catchUp(ctx, log); err != nil {
		return nil, fmt.Errorf("swarm: %w", err)
	}
	if err := s.reserveAgain(task.Thread); err != nil {
		return nil, err
	}
	s.resuming.RLock()
	log = s.whole(log)
	at := stageOf(log)
	err = s.kept(ctx, log)
	if err == nil && answer != nil {
		err = cmp.Or(s.mayBeAnswered(at), onRecord(log, answer))
	}
	if err != nil {
		s.resuming.RUnlock()
		s.release(task.Thread)
		s.running.Done()
		return nil, err
	}
	r, err := s.open(&Result{Thread: task.Thread, Task: task.Payload, Seed: s.opts.Seed})
	if err != nil {
		s.resuming.RUnlock()
		return nil, err
	}
	r.records.earlier = true
	if err := s.layer.Adopt(slices.Values(log)); err != nil {
		r.stop(StopError, "the coordination of the solve cannot be restored", err)
	}
	r.restore(ctx, log)
	if answer != nil || s.unrecorded(at) != nil {
		r.dropTurns()
	} else {
		r.ended(at)
	}
	return r, nil
}

// whole returns the log followed by what the bus has of the thread after it.
func (s *Swarm) whole(log []signals.Any) []signals.Any {
	last := log[len(log)-1].Head()
	log = slices.Clip(log)
	for said := range s.bus.History(bus.Filter{Threads: []string{last.Thread}, After: last.Seq}) {
		log = append(log, said)
	}
	return log
}

// kept refuses a log that is not completely in the journal: decisions on it could not
// be derived from the journal.
func (s *Swarm) kept(ctx context.Context, log []signals.Any) error {
	if s.writer == nil {
		return nil
	}
	last := log[len(log)-1].Head()
	if err := s.writer.Sync(ctx, last.Seq); err != nil {
		return fmt.Errorf("swarm: %w", err)
	}
	for {
		missing, err := s.missing(log)
		var dropped *journal.DroppedError
		switch {
		case errors.As(err, &dropped):
			continue // dropped by [Retain] meanwhile
		case err != nil:
			return fmt.Errorf("swarm: %w", err)
		case missing > 0:
			return fmt.Errorf("%w: the journal does not have %d of its %d signals: they were dropped, or are another journal's", ErrLog, missing, len(log))
		}
		return nil
	}
}

// missing returns how many signals of a log the journal does not have.
func (s *Swarm) missing(log []signals.Any) (int, error) {
	codec, err := newCodec()
	if err != nil {
		return 0, err
	}
	snapshot, err := s.opts.Journal.Snapshot()
	if err != nil {
		return 0, err
	}
	for said, err := range journal.Signals(s.opts.Journal, codec, snapshot.Through) {
		if err != nil {
			return 0, err
		}
		if h := said.Head(); len(log) > 0 && h.ID == log[0].Head().ID && h.Seq == log[0].Head().Seq {
			log = log[1:]
		}
	}
	return len(log), nil
}

// Replay returns what the log of a solve decides, from the log alone: the
// [Result].Decision of the solve, with voting closed. It publishes nothing and
// calls no agents. A swarm that has learned something since then decides by what it
// knows now. The error wraps [ErrLog].
func (s *Swarm) Replay(log []signals.Any) (consensus.Decision, error) {
	task, err := opening(log)
	if err != nil {
		return consensus.Decision{}, err
	}
	r := s.newSolve(&Result{Thread: task.Thread, Task: task.Payload})
	for _, a := range s.opts.Agents {
		r.seat(a)
	}
	if err := r.countBy(s.opts.decideBy()); err != nil {
		return consensus.Decision{}, fmt.Errorf("swarm: %w", err)
	}
	r.restore(context.Background(), log)
	r.dropTurns()
	r.requorum()
	r.votes().Close()
	return r.votes().Decision(), r.result.Err
}

// opening returns the task of a log from which a solve can continue.
func opening(log []signals.Any) (*signals.Signal[signals.Task], error) {
	if len(log) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrLog)
	}
	task, ok := signals.As[signals.Task](log[0])
	if !ok {
		return nil, fmt.Errorf("%w: it begins with %s, not with a task", ErrLog, log[0].Kind())
	}
	for i, s := range log {
		switch h := s.Head(); {
		case h.Thread != task.Thread:
			return nil, fmt.Errorf("%w: signal %s is of thread %q, not %q", ErrLog, h.ID, h.Thread, task.Thread)
		case i > 0 && h.Seq <= log[i-1].Head().Seq:
			return nil, fmt.Errorf("%w: signal %s has sequence number %d after %d", ErrLog, h.ID, h.Seq, log[i-1].Head().Seq)
		}
	}
	return task, nil
}

// catchUp ensures that the next signal published comes after the log.
func (s *Swarm) catchUp(ctx context.Context, log []signals.Any) error {
	last := log[len(log)-1].Head().Seq
	switch at := s.bus.Last(); {
	case at >= last:
		return nil
	case at == 0:
		return s.bus.Feed(ctx, log...)
	default:
		return fmt.Errorf("%w: it ends at %d and the bus at %d", ErrLog, last, at)
	}
}

// restore folds a log without publishing its signals again.
func (r *solve) restore(ctx context.Context, log []signals.Any) {
	p := past{seat: -1}
	r.result.Seed = cmp.Or(seedOf(log), r.result.Seed)
	for _, s := range log {
		if k := s.Kind(); r.byID[s.Head().Source] != nil && k != agents.KindPassed && k != coordination.KindTransition {
			r.said++
		}
		r.recall(ctx, s, &p)
	}
	for _, f := range r.thread.Turns.Failed {
		r.result.Failed = append(r.result.Failed, TurnFailed{f.Agent, f.Round, f.Err()})
	}
	r.closeTurns(p)
	r.swarm.advance(log[len(log)-1].Head().Time)
}
