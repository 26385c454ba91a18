package swarm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// finish announces the decision and completes the result.
func (r *solve) finish(ctx context.Context) {
	if !r.records.decided {
		r.settleByConsensus(ctx)
	}
	d := r.decision()
	if !r.records.decided && d.Outcome == consensus.Reached {
		d.Falls = r.thread.Votes.Margin()
	}
	if !r.records.decided && r.opts.Ledger != nil && d.Voters > 1 {
		worth := r.opts.Ledger.Worth(d.Ballots())
		d.Worth = &worth
	}
	r.result.Decision, r.result.Missing, r.result.Obstacles = d, r.count.Missing(d), r.thread.Obstacles()
	r.read()
	if r.records.decided {
		r.revise()
	} else {
		r.result.Detail = r.detail(d)
		r.record(ctx)
	}
	switch {
	case r.result.Stop == runlog.StopConsensus:
		r.reached(ctx, d)
	case r.result.Stop.Chose():
		r.result.Answer = r.thread.Votes.Content(d.Choice)
	}
	r.write(ctx)
	r.result.Groupthink = r.groupthink()
	if r.result.Stop == runlog.StopEscalated {
		r.result.Question = solves.QuestionOf(r.thread)
	}
	r.endCoordination(ctx)
	r.read()
	r.leave(ctx)
	r.result.Spent = r.spent.SoFar()
	r.keep(ctx)
	r.result.Elapsed = time.Since(r.span.Began)
	r.yield(solves.Stopped{Result: r.result})
}

// decision returns the decision on the votes. If it was recorded, it is the one on record:
// something may have been taken back since, and this swarm may have other terms.
func (r *solve) decision() consensus.Decision {
	if !r.records.decided {
		return r.count.Decide()
	}
	d := r.votes().Decision()
	if made := r.thread.Stage.Decided; made != nil {
		if recorded, err := made.Payload.Of(d); err == nil {
			return recorded
		}
	}
	return d
}

// revise fills in what was decided, and what the votes that are left decide, if something was
// taken back since.
func (r *solve) revise() {
	made := r.thread.Stage.Decided
	if made == nil || !slices.ContainsFunc(r.thread.Withdrawn.Said, func(s *signals.Signal[signals.Retraction]) bool { return s.Seq > made.Seq }) {
		return
	}
	past, err := r.swarm.recorded(r.thread.Log)
	if err != nil {
		r.unfit("what was taken back after the decision cannot be counted", err)
		return
	}
	r.result.Decision, r.result.Revision = past.Decision, past.Revision
}

// read fills in what the log says. Failed and Refused have the errors themselves, and the rounds of
// a running solve are counted as they begin.
func (r *solve) read() {
	says := solves.LoggedBy(r.thread)
	says.Failed, says.Refused, says.Rounds = r.result.Failed, r.result.Refused, max(r.result.Rounds, says.Rounds)
	r.result.Logged = says
}

// detail says why the solve stopped, with everything that the person who continues it needs.
func (r *solve) detail(d consensus.Decision) string {
	c := verdict.Case{
		Result: r.result, Alone: r.count.Alone(d), Unsettled: r.table().Unsettled(), Stopped: r.seats.Stopped(),
	}
	return c.Detail()
}

// reached fills in the answer and announces it, unless that has been done.
func (r *solve) reached(ctx context.Context, d consensus.Decision) {
	if r.records.announced {
		r.result.Answer = r.thread.Stage.Announced.Payload.Decision
		return
	}
	standing := r.thread.Votes.Of(d.Choice)
	if standing == nil {
		r.unfit("the decision on record cannot be announced", fmt.Errorf("%w: no proposal has the id %q", runlog.ErrLog, d.Choice))
		return
	}
	won := standing.Proposal
	r.result.Answer = won.Payload.Content
	r.announce(ctx, signals.New(
		signals.Header{ReplyTo: won.ID, Confidence: d.Confidence},
		signals.Consensus{ProposalID: d.Choice, Decision: won.Payload.Content, Confidence: d.Confidence},
	))
}

// leave ends the solve's turns and readers and adds up their accounts.
func (r *solve) leave(ctx context.Context) {
	turns := &r.result.Turns
	turns.Dropped = turns.Taken - turns.Committed - turns.Failed - turns.Asked
	for _, t := range r.seats.Turns() {
		if t.State != seat.Stopped {
			hooks.Note(ctx, hooks.TurnDropped{Agent: t.Agent, Round: t.Round})
		}
		if t.Cancel() {
			r.result.LeftBehind = append(r.result.LeftBehind, t.Agent)
		}
	}
	for _, s := range r.seats {
		r.result.Account = r.result.Account.Plus(s.Close())
	}
	if r.log != nil {
		r.log.Close()
	}
	r.wake.Close()
	// A solve that asks or goes on keeps its proposals and conflicts; records end threads themselves.
	if stop := r.result.Stop; stop != runlog.StopEscalated && !stop.GoesOn() && r.swarm.keeper == nil {
		r.swarm.bus.CloseThread(r.result.Thread)
	}
	r.swarm.names.Release(r.result.Thread)
}

// write has the answer written, unless there is no writer, the text is in the log, or the solve
// may go on. Its cost is booked under the writer's name.
func (r *solve) write(ctx context.Context) {
	w, stop := r.opts.Coordination.Writer, r.result.Stop
	written := func(s signals.Any) bool { return s.Kind() == claims.KindWritten }
	if w == nil || stop.GoesOn() || stop == runlog.StopEscalated || slices.ContainsFunc(r.thread.Log, written) {
		return
	}
	said := claims.Write(r.spent.Counting(ctx, w.Name()), w, r.result.Brief())
	h := signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}
	if err := r.tryAnnounce(ctx, signals.New(h, said)); err != nil {
		r.unfit("the answer cannot be recorded", err)
	}
}
