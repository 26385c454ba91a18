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
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// Person is the source of an answer without one.
const Person = "person"

// ErrLog is returned for a log that no solve can continue from: it does not
// begin with a task, has several threads, is already decided, or is not in
// order.
var ErrLog = errors.New("swarm: no solve can go on from the log")

// question returns the question of an escalated solve.
func (r *solve) question() *Question {
	if r.result.Stop != StopEscalated {
		return nil
	}
	q := &Question{Asks: r.escalated.Source, Reason: r.escalated.Payload.Reason, Context: r.escalated.Payload.Context}
	for _, p := range r.result.Proposals {
		q.Options = append(q.Options, p.ID())
	}
	return q
}

// Resume continues a solve from its log, such as an escalated one, with the
// answer of someone outside. The answer may be any signal; its source is the
// header's, or [Person] by default, and must not be an agent of the swarm.
// Every agent hears it in its next turn, whatever it listens to, and a vote
// counts as that of an additional voter. Open conflicts count as answered.
//
// Only the log is needed: [Result].Log, or a copy of it, in another process too
// (see [Kinds]). Agents remember what is in the log; one that was late hears the
// signals of its late turn again. Rounds and signals continue to count, and the
// deadline starts anew. Options should be those of the swarm that wrote the log.
//
// The error wraps [ErrLog] for a log that a solve cannot continue from, or is one
// of those of [Swarm.Solve]. If the swarm's bus is empty, it is fed with the log.
// Resuming on a bus that is not empty and does not have the whole log is an
// error, too.
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
		return r, func(ctx context.Context) { r.answered(ctx, answer) }, nil
	})
}

// startAgain opens a solve with the state of its log.
func (s *Swarm) startAgain(ctx context.Context, log []signals.Any, answer signals.Any) (*solve, error) {
	task, err := opening(log)
	if err == nil {
		err = s.mayAnswer(answer)
	}
	if err == nil && slices.ContainsFunc(log, decided) {
		err = fmt.Errorf("%w: it is decided", ErrLog)
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
	r, err := s.sitDown(&Result{Thread: task.Thread, Task: task.Payload, Seed: s.opts.Seed})
	if err != nil {
		return nil, err
	}
	r.restore(ctx, log)
	r.escalated = nil
	return r, nil
}

// Replay returns the decision of a solve, derived from its log alone: the
// [Result].Decision of the solve, with voting closed. It publishes nothing and
// calls no agents. A swarm that has learned something since decides by what it
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
	if err := r.recount(); err != nil {
		return consensus.Decision{}, fmt.Errorf("swarm: %w", err)
	}
	r.restore(context.Background(), log)
	r.requorum()
	r.votes.Close()
	return r.votes.Decision(), r.result.Err
}

// mayAnswer refuses an answer that is nil, or under the name of an agent.
func (s *Swarm) mayAnswer(answer signals.Any) error {
	if err := signals.Validate(answer); err != nil {
		return fmt.Errorf("swarm: answer: %w", err)
	}
	source := answer.Head().Source
	inside := source == bus.System
	for _, a := range s.opts.Agents {
		inside = inside || a.ID == source
	}
	if inside {
		return fmt.Errorf("swarm: answer: %w", &signals.FieldError{Field: "source", Value: source, Problem: "not somebody outside"})
	}
	return nil
}

func decided(s signals.Any) bool { return s.Kind() == signals.KindConsensus }

// opening returns the task of a log that a solve can continue from.
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
	r.yield = func(Event) {}
	for _, s := range log {
		h := s.Head()
		r.result.Log = append(r.result.Log, s)
		r.result.Rounds = max(r.result.Rounds, int(h.Round))
		if r.byID[h.Source] != nil {
			r.said++
		}
		if l, ok := signals.As[Late](s); ok {
			r.result.Late = append(r.result.Late, l.Payload)
		}
		if f, ok := signals.As[Failed](s); ok {
			r.result.Failed = append(r.result.Failed, f.Payload.turnFailed())
		}
		r.fold(ctx, s)
	}
	for _, s := range r.seats {
		r.remind(s)
	}
}

// remind restores the signals that an agent has heard and those that it has
// still to hear: those of the last round, or those since its late turn.
func (r *solve) remind(s *seat) {
	from := r.result.Rounds
	for _, l := range r.result.Late {
		if l.Agent == s.agent.ID {
			s.asked = true
			if !r.cameBack(l) {
				from = min(from, l.Round-1)
			}
		}
	}
	past := func(said signals.Any) bool { return int(said.Head().Round) < from }
	acted := map[uint64]bool{} // handled by an action of the agent, by sequence number
	s.routed = slices.DeleteFunc(s.routed, func(t agents.Routed) bool {
		acted[t.Signal.Head().Seq] = past(t.Signal)
		return past(t.Signal)
	})
	proposed := false
	for _, said := range r.result.Log {
		h := said.Head()
		proposed = proposed || said.Kind() == signals.KindProposal
		switch {
		case h.Source == s.agent.ID:
			s.asked = s.asked || said.Kind() == signals.KindProposal
		case acted[h.Seq]:
			s.remember(said)
		case !s.wants(said):
		case past(said):
			if !s.takeBack(said) {
				s.remember(said)
			}
			s.asked = s.asked || proposed
		default:
			s.before = append(s.before, said)
		}
	}
}

// cameBack reports whether the log has the signals of an agent's late turn.
func (r *solve) cameBack(l Late) bool {
	return slices.ContainsFunc(r.result.Log, func(s signals.Any) bool {
		h := s.Head()
		return h.Source == l.Agent && int(h.Round) == l.Round
	})
}

// answered publishes the answer.
func (r *solve) answered(ctx context.Context, answer signals.Any) {
	h := answer.Head()
	h.Source, h.Thread, h.Round = cmp.Or(h.Source, Person), r.result.Thread, int32(r.result.Rounds)
	h.ReplyTo = cmp.Or(h.ReplyTo, r.asked())
	for _, p := range slices.Clone(r.disputes) {
		r.resolve(ctx, p, h.Source+" was asked")
	}
	r.enfranchise(h.Source)
	mouth, err := r.swarm.bus.Agent(h.Source, bus.Permissions{Threads: []string{r.result.Thread}})
	if err == nil {
		err = r.publish(ctx, mouth, signals.With(answer, h))
	}
	if err != nil {
		r.stop(StopError, "the answer was refused", err)
		return
	}
	said := r.result.Log[len(r.result.Log)-1]
	for _, s := range r.seats {
		if s.agent.Listens != nil && !slices.Contains(s.agent.Listens, said.Kind()) {
			s.before = append(s.before, said)
		}
	}
}

// asked returns the signal that asks.
func (r *solve) asked() signals.ID {
	for _, s := range slices.Backward(r.result.Log) {
		if s.Kind() == signals.KindEscalation {
			return s.Head().ID
		}
	}
	return signals.ID{}
}

// enfranchise adds someone outside to the voters.
func (r *solve) enfranchise(voter string) {
	terms := *r.terms
	terms.Electorate = append(slices.Clone(terms.Electorate), voter)
	r.terms = &terms
	if err := r.recount(); err != nil {
		r.stop(StopError, "the answer was refused", err)
	}
}
