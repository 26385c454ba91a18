package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// ErrSignals is the error for a signal beyond [Options].Signals.
var ErrSignals = errors.New("swarm: too many signals in the solve")

// runRound runs a turn of every agent with something to hear, and checks whether
// there is a reason to stop.
func (r *solve) runRound(ctx context.Context) {
	if r.fire(ctx); r.result.Stop != 0 || r.alarmed(ctx) {
		return
	}
	turns, begin := r.gather(ctx)
	late := slices.DeleteFunc(slices.Clone(turns), func(t *turn) bool { return t.state != stateLate })
	switch {
	case r.cancelled(ctx):
		r.interrupted(ctx)
	case len(turns) == 0:
		r.exhausted(ctx)
	case len(late) > 0 && (begin == 0 || r.timeIsUp(ctx)):
		r.await(ctx, late)
	case r.timeIsUp(ctx):
		r.interrupted(ctx)
	case r.result.Rounds == r.opts.Rounds:
		if open := r.thread.Conflicts.Open(); r.opts.Conflicts == EscalateConflicts && len(open) > 0 && r.thread.Stage.Asked == nil {
			r.escalate(ctx, open[0])
			return
		}
		r.votes().Close()
		r.stop(StopMaxRounds, fmt.Sprintf("no decision in %d rounds", r.opts.Rounds), nil)
	default:
		r.result.Rounds++
		ctx, end := agents.Start(ctx, agents.Op{Name: agents.OpRound, Thread: r.result.Thread, Round: r.result.Rounds})
		defer end(nil, nil)
		r.round = lastRound{begun: begin, saidBefore: r.said}
		r.begin(ctx, turns)
		r.commitAll(ctx, turns)
	}
}

// gather returns the turns of a round in the order of the agents: a new one for
// each agent with something in its inbox, and those that are late. begin is the
// number of new ones. In a step of a debate only its advocates begin turns, and after a
// handoff only those who continue.
func (r *solve) gather(ctx context.Context) (turns []*turn, begin int) {
	if r.step.Round == 0 {
		r.answerAttacks()
	}
	next := r.continuing()
	for _, s := range r.seats {
		s.release()
		if s.turn != nil {
			if s.turn.state == stateLate {
				turns = append(turns, s.turn)
			}
			continue
		}
		if r.step.Round > 0 && !r.argues(s) || r.step.Round == 0 && next != nil && !slices.Contains(next, s.agent.ID) {
			continue
		}
		if t := r.hear(ctx, s); t != nil {
			s.begin(t)
			turns = append(turns, s.turn)
			begin++
		}
	}
	return turns, begin
}

// release lets an agent take turns again after its abandoned turn has returned.
func (s *seat) release() {
	if s.turn == nil || s.turn.state < stateOver {
		return
	}
	if _, back := s.turn.poll(); back {
		s.turn = nil
	}
}

// await waits for the first of the late turns, or for the deadline. All other agents
// have spoken, or no longer can.
func (r *solve) await(ctx context.Context, turns []*turn) {
	for !slices.ContainsFunc(turns, func(t *turn) bool { return len(t.done) > 0 || t.state == stateStopped }) && ctx.Err() == nil {
		select {
		case <-r.wake.back:
		case <-r.wake.outside:
			r.drain(ctx)
		case <-ctx.Done():
		}
	}
	if r.cancelled(ctx) {
		return // handled by the next round
	}
	r.commitAll(ctx, turns)
}

func (r *solve) begin(ctx context.Context, turns []*turn) {
	var starting []*turn
	for _, t := range turns {
		if t.state == stateAwaited {
			starting = append(starting, t)
		}
	}
	r.yield(RoundStarted{r.result.Rounds, idsOf(starting)})
	if r.nextStep(ctx, starting); r.result.Stop != 0 {
		return
	}
	now, effort := r.swarm.now().UTC().Truncate(time.Millisecond), r.effort() // as the log has it
	r.sayBegan(ctx, starting, now, effort)
	if r.result.Stop != 0 {
		return
	}
	for _, t := range starting {
		r.give(t, now, effort)
		r.start(ctx, t)
	}
}

// start runs the turn in a goroutine of its own.
func (r *solve) start(ctx context.Context, t *turn) {
	r.result.Turns.Taken++
	t.limit(time.Now(), r.span)
	ctx, t.stop = context.WithCancelCause(ctx)
	ctx, t.cancel = context.WithDeadlineCause(ctx, t.ends, errTime)
	r.swarm.running.Go(func() {
		defer t.stop(nil)
		defer t.cancel()
		defer notify(r.wake.back)
		t.take(r.spent.counting(ctx, t.Agent), r.opts.Retries)
	})
}

// commitAll publishes the signals of the turns in the order of the agents, as
// each is done or out of time, and checks after each whether there is a reason
// to stop.
func (r *solve) commitAll(ctx context.Context, turns []*turn) {
	missed := false
	for i, t := range turns {
		o, done := r.wait(ctx, t)
		switch {
		case r.result.Stop != 0: // the bus is closed
		case r.cancelled(ctx):
			r.interrupted(ctx)
		case t.state == stateStopped:
			missed = true
		case done:
			r.commit(ctx, t, o)
			r.decide(ctx, toCome(turns[i+1:]))
		default:
			r.miss(ctx, t)
			missed = true
		}
		if r.result.Stop != 0 {
			return
		}
	}
	if missed {
		r.decide(ctx, nil)
	}
	r.roundOver(ctx)
}

// miss continues without a turn. Unless the turn is left behind, its result is
// accepted when it arrives.
func (r *solve) miss(ctx context.Context, t *turn) {
	if t.state == stateAwaited {
		r.result.Turns.Late++
		t.state = stateLate
		late := runlog.Late{Agent: t.Agent, Round: t.Round}
		agents.Note(ctx, agents.TurnLate{Agent: t.Agent, Round: t.Round})
		r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, late))
	}
	if ctx.Err() != nil || !time.Now().Before(t.lost) {
		t.state = stateOver
	}
}

// commit publishes the signals of one turn, as far as allowed.
func (r *solve) commit(ctx context.Context, t *turn, o outcome) {
	s := t.seat
	t.state, s.turn = stateOver, nil
	r.result.Turns.Retried += o.tries
	if o.err != nil {
		r.result.Turns.Failed++
		failed := TurnFailed{s.agent.ID, t.Round, o.err}
		r.result.Failed = append(r.result.Failed, failed)
		s.fail(t, o.err)
		r.yield(failed)
		if !t.failed {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, runlog.FailedBy(s.agent.ID, t.Round, o.err)))
		}
		if miss := (*journal.MissError)(nil); errors.As(o.err, &miss) {
			r.stop(StopError, "the replay differs from the recording", o.err)
		}
	} else {
		r.result.Turns.Committed++
	}
	if o.strategy != "" {
		r.result.Chosen = append(r.result.Chosen, Chosen{t.Agent, t.Round, o.strategy})
	}
	for _, said := range o.said {
		if r.result.Stop != 0 {
			break
		}
		if t.has(said) {
			r.admitted(ctx, said)
			continue
		}
		if err := r.admit(ctx, s, said); err != nil {
			r.refuse(ctx, Refused{s.agent.ID, said, err})
		}
	}
	r.takeOver(ctx, t)
}

// admit publishes a signal of an agent, or returns why it is refused.
func (r *solve) admit(ctx context.Context, s *seat, said signals.Any) error {
	if said.Kind() == agents.KindPassed {
		h := said.Head()
		h.Recipients = signals.To(bus.System)
		return r.publish(ctx, s.publisher, signals.With(said, h))
	}
	if r.said == r.opts.Signals {
		return ErrSignals
	}
	if coordinates(said.Kind()) {
		entered, err := r.coordinate(ctx, s, said)
		if entered {
			r.said++
		}
		return err
	}
	vote, votes := signals.As[signals.Vote](said)
	if votes && vote.Payload.Weight == 0 && vote.Confidence == 0 && vote.Payload.Stance != signals.Abstain {
		return &signals.FieldError{
			Kind: signals.KindVote, Field: "weight", Value: "0", Problem: "the vote states neither a weight nor a confidence",
		}
	}
	if err := r.publish(ctx, s.publisher, said); err != nil {
		return err
	}
	r.said++
	r.admitted(ctx, said)
	return nil
}

// admitted updates the state for an agent's signal that entered the log.
func (r *solve) admitted(ctx context.Context, said signals.Any) {
	if p, ok := signals.As[signals.Proposal](said); ok {
		r.compare(ctx, p.Payload)
		r.resolveNeedless(ctx)
	}
}

func (r *solve) refuse(ctx context.Context, refused Refused) {
	if r.result.Stop != 0 {
		return // the bus is closed
	}
	r.result.Turns.Refused++
	r.refused = append(r.refused, refused)
	r.yield(refused)
	agents.Note(ctx, refused)
}

func idsOf(turns []*turn) []string {
	var all []string
	for _, t := range turns {
		all = append(all, t.Agent)
	}
	return all
}
