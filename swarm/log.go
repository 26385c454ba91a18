package swarm

import (
	"context"
	"errors"
	"slices"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// announce publishes a signal of the swarm itself.
func (r *solve) announce(ctx context.Context, s signals.Any) {
	err := r.tryAnnounce(ctx, s)
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		r.interrupted(ctx) // time was up while the bus was full
	default:
		r.fail("the system's signal was refused", err)
	}
}

// tryAnnounce is announce, for callers that stop the solve otherwise.
func (r *solve) tryAnnounce(ctx context.Context, s signals.Any) error {
	h := s.Head()
	h.Thread, h.Round = r.result.Thread, int32(r.result.Rounds)
	return r.publish(ctx, r.system, signals.With(s, h))
}

// publish commits one signal and folds what is new in the log. It does so after
// the deadline too, because finished turns count.
func (r *solve) publish(ctx context.Context, p *bus.Publisher, s signals.Any) error {
	h := s.Head()
	if h.Time.IsZero() {
		h.Time = r.swarm.clock.Now()
	}
	h.TTL = runlog.Forever // nothing expires during the solve, whatever its agents say and however fast the clock runs
	if h.Trace == nil {
		h.Trace = hooks.TraceOf(ctx)
	}
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	receipt, err := p.Publish(inTime, signals.With(s, h))
	r.records.last = max(r.records.last, receipt.Seq)
	if errors.Is(err, bus.ErrClosed) {
		r.busClosed(err)
	}
	r.drain(ctx)
	return err
}

// busClosed stops a solve that can no longer publish.
func (r *solve) busClosed(err error) {
	if r.swarm.ended.Err() != nil {
		r.stop(runlog.StopCancelled, "the swarm was closed", ErrClosed)
		return
	}
	r.fail("the bus was closed", err)
}

// drain folds what is new in the log.
func (r *solve) drain(ctx context.Context) {
	s, err := r.log.Poll()
	for ; s != nil; s, err = r.log.Poll() {
		r.yield(solves.Spoke{Signal: s})
		r.apply(ctx, s)
		r.remember(ctx, r.thread.Log)
	}
	switch { // what was published last may be in the log and not here
	case err == nil:
	case errors.Is(err, bus.ErrClosed):
		r.busClosed(err)
	default:
		r.fail("the log cannot be read", err)
	}
}

// apply takes the next signal of the log.
func (r *solve) apply(ctx context.Context, s signals.Any) {
	if spoke := r.seats.Of(s.Head().Source); spoke != nil && s.Kind() != coordination.KindTransition {
		spoke.Spoke(s)
	}
	for _, seat := range r.seats {
		r.route(ctx, seat, s)
	}
	for _, seat := range r.seats {
		seat.Time(s, r.result.Seed)
	}
	if m, ok := runlog.MemberOf(s); ok && m.Leaves {
		r.left(ctx, r.seats.Of(m.Agent))
	}
	before := r.thread.Mark()
	r.thread.Apply(s)
	if err := r.thread.Votes.Err(); err != nil {
		r.fail("a proposal or vote was not accepted", err)
	}
	now := r.thread.Mark()
	if now.Votes != before.Votes {
		r.yield(solves.Weighed{Decision: r.votes().Decision()})
	}
	if now.Conflict != before.Conflict && !r.thread.Conflicts.IsNeedless(now.Conflict) {
		hooks.Note(ctx, now.Conflict)
	}
	if s.Kind() == signals.KindEscalation {
		hooks.Note(ctx, s)
	}
}

// route lets an agent's router decide about a signal of the log, and carries out
// its decision. So decisions are ordered by position in the log: a turn that
// is stopped before it is committed is dropped, even if it has returned.
func (r *solve) route(ctx context.Context, s *seat.Seat, said signals.Any) {
	d, routed := s.Route(said)
	if !routed {
		return
	}
	if s.Out {
		r.count.Resized()
	}
	if d.Action.Verb == routing.VerbForceStop {
		r.dropTurn(ctx, s)
	}
	if d.Err != nil || d.Action != routing.Unrouted && d.Action != routing.Continue {
		routed := solves.Routed{Agent: s.Agent.ID, Signal: said, Decision: d}
		r.yield(routed)
		hooks.Note(ctx, routed)
	}
}

// left takes the seat of an agent, which may have none yet.
func (r *solve) left(ctx context.Context, s *seat.Seat) {
	if s != nil {
		s.Leave()
		r.count.Resized()
		r.dropTurn(ctx, s)
	}
}

// dropTurn ends the agent's turn, if one runs.
func (r *solve) dropTurn(ctx context.Context, s *seat.Seat) {
	if t := s.Turn; t.Interrupt() {
		hooks.Note(ctx, hooks.TurnDropped{Agent: t.Agent, Round: t.Round})
	}
}

// brief publishes what the solve begins with, but for what its log has already.
func (r *solve) brief(ctx context.Context) {
	if r.opts.Memory == nil || r.over() {
		return
	}
	known, err := r.opts.Memory.Brief(ctx, r.result.Task)
	if err != nil {
		r.fail("the memory could not be recalled", err)
		return
	}
	for _, fact := range known {
		if !r.over() && !knows(r.thread.Log, fact) {
			r.announce(ctx, fact)
		}
	}
}

// knows reports whether the system has said the content of a fact in a log.
func knows(log []signals.Any, fact signals.Any) bool {
	m, ok := signals.As[signals.Memory](fact)
	return ok && slices.ContainsFunc(log, func(s signals.Any) bool {
		said, ok := signals.As[signals.Memory](s)
		return ok && said.Source == bus.System && said.Payload.Content == m.Payload.Content
	})
}

// remember gives the newest signal of a log to the memory, if it states a fact.
func (r *solve) remember(ctx context.Context, log []signals.Any) {
	last := log[len(log)-1]
	if k := last.Kind(); r.opts.Memory == nil || k != signals.KindDiscovery && k != signals.KindMemory {
		return
	}
	group := ""
	if of := r.seats.Of(last.Head().Source); of != nil {
		group = of.Agent.Group
	}
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	if err := r.opts.Memory.Keep(inTime, log, group); err != nil {
		r.fail("the memory did not accept a fact", err)
	}
}
