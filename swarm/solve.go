package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// errDeadline is the cause with which the context of a solve ends at its deadline.
var errDeadline = fmt.Errorf("swarm: deadline: %w", context.DeadlineExceeded)

// ErrStopped is the cause with which the context of a turn ends that a route
// stopped ([routing.ForceStop]), or whose agent left ([Swarm.Leave]).
var ErrStopped = seat.ErrStopped

// A solve is the state of solving one task, used by one goroutine. What its log says
// is the thread; the rest is of the running solve. Its methods are in files that build on
// each other: log, coordinate, settling, decide, commit, round, run. What the votes decide is
// the count.
type solve struct {
	swarm  *Swarm
	opts   *Options
	result *solves.Result
	thread *runlog.Thread
	count  verdict.Count

	known consensus.Reliabilities // at the beginning; nil: nothing

	seats  seat.Roster
	desk   seat.Coordination
	system *bus.Publisher
	log    *bus.Subscription // the log of the thread
	wake   seat.Wake
	yield  func(solves.Event)

	span     seat.Span
	emitted  int // number of signals of agents
	fired    int // number of their timers' signals
	round    lastRound
	step     nextStep
	spent    seat.Spent
	returned seat.Returned
	records  records
}

// A nextStep is what the next round is; the zero value is an ordinary round.
type nextStep struct {
	debate  settle.Debate
	against string // the proposal that the advocate argues against; "": none
	plan    mode.Step

	speakers []mode.Speaker // who was selected of those with something to hear; nil: all are
}

// hasTheFloor reports whether only agents that argue have turns in the next round.
func (n *nextStep) hasTheFloor() bool { return n.debate.Round > 0 || n.against != "" }

// argues reports whether an agent argues in the next round: in a step of a debate, or
// against what the votes have chosen.
func (n *nextStep) argues(agent, advocate string) bool {
	_, _, argues := n.debate.Side(agent)
	return argues && n.debate.Round > 0 || n.against != "" && agent == advocate
}

// A lastRound has the numbers of the last round.
type lastRound struct {
	begun         int      // number of its turns
	emittedBefore int      // number of signals of agents before it
	stopped       bool     // the solve stopped in it, and continues
	asking        []string // questions of its turns to a person
}

// Records say which records of the solve are in the log.
type records struct {
	opened    bool   // its terms
	decided   bool   // its decision
	announced bool   // its consensus
	last      uint64 // the last signal that it published, also if the log was closed before it came back
	earlier   bool   // those of an earlier log, which the journal must keep until the new terms are in it
	abandoned string // why the solve stops when its terms are on record; "": nobody cancelled it while it waited
}

// newSolve returns a solve that has not started.
func (s *Swarm) newSolve(result *solves.Result) *solve {
	r := &solve{
		swarm: s, opts: &s.opts, span: seat.Span{Began: time.Now()}, thread: runlog.New(result.Thread),
		result: result, wake: seat.NewWake(),
		yield: func(solves.Event) {},
		desk: seat.Coordination{
			Layer: s.layer, Thread: result.Thread, Coordinator: s.opts.Coordination.Coordinator, Continues: s.opts.Coordination.Continues, Tick: func() { s.clock.Now() },
		},
	}
	r.count = verdict.Count{Thread: r.thread, Weights: map[string]float64{}, Quorum: s.opts.Quorum}
	if s.opts.Ledger != nil {
		r.known = s.opts.Ledger.Reliabilities()
	}
	for _, a := range s.opts.Agents {
		r.seats = append(r.seats, seat.New(a, s.opts.Limits.History))
		r.count.Weights[a.ID] = a.VoteWeight()
	}
	r.count.Seats = r.seats
	return r
}

// seat gives the agents that join their seats, and lets the votes count by the terms of the whole
// team. It reports whether there were some.
func (r *solve) seat() bool {
	joining, bench, after := r.thread.Joining(r.seats.IDs()), r.swarm.benched(), r.swarm.bus.Last()
	if len(joining) == 0 {
		return false
	}
	grown := *r.opts
	grown.Agents = slices.Clone(grown.Agents)
	for _, id := range joining {
		i := slices.IndexFunc(bench, func(a *agents.Agent) bool { return a.ID == id })
		if i < 0 {
			err := &signals.FieldError{Kind: runlog.KindMember, Field: "agent", Value: id, Problem: "joined the solve, and is not on the bench of the swarm that goes on with it"}
			r.fail("an agent is missing", err)
			return false
		}
		s := seat.New(bench[i], r.opts.Limits.History)
		var err error
		if s.Publisher, err = r.swarm.bus.Agent(id, bus.Permissions{CanEmit: emits(s.Agent), Threads: []string{r.result.Thread}}); err == nil {
			err = s.Join(r.result.Thread, r.thread.Log, after, r.result.Seed)
		}
		if err != nil {
			r.fail("an agent cannot join", err)
			return false
		}
		grown.Agents, r.seats = append(grown.Agents, s.Agent), append(r.seats, s)
		r.count.Weights[id] = s.Agent.VoteWeight()
	}
	if r.seats.Route() {
		r.wake.On(r.swarm.bus, r.result.Thread)
	}
	r.opts, r.count.Seats = &grown, r.seats
	r.desk.Joined()
	if err := r.count.By(r.opts.decideBy()); err != nil {
		r.fail("the votes cannot be counted", err)
	}
	return true
}

// votes returns the votes so far.
func (r *solve) votes() *consensus.Round { return r.count.Votes() }

// stop ends the solve, unless it has already ended.
func (r *solve) stop(why runlog.StopReason, detail string, err error) {
	if r.result.Stop == 0 {
		r.result.Stop, r.result.Detail, r.result.Err = why, detail, err
	}
}

// fail ends the solve with an error, unless it has already ended.
func (r *solve) fail(what string, err error) {
	r.stop(runlog.StopError, what+": "+err.Error(), err)
}

// unfit makes a solve that has ended one that ended with an error: what it ended with is
// not in the log.
func (r *solve) unfit(what string, err error) {
	r.result.Stop = 0
	r.fail(what, err)
}

// over reports whether the solve has ended.
func (r *solve) over() bool { return r.result.Stop != 0 }

// roundsLeft returns the number of rounds that the solve may still take.
func (r *solve) roundsLeft() int { return r.opts.Limits.Rounds - r.result.Rounds }

// signalsLeft returns the number of signals that agents and their timers may still publish.
func (r *solve) signalsLeft() int { return max(0, r.opts.Limits.Signals-r.emitted-r.fired) }

// inTime returns ctx, or a short extension if it has ended.
func (r *solve) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), seat.Returns)
}

// cancelled reports whether the solve was canceled by a caller, rather than by
// the deadline.
func (r *solve) cancelled(ctx context.Context) bool {
	return ctx.Err() != nil && (r.swarm.ended.Err() != nil || !errors.Is(ctx.Err(), context.DeadlineExceeded))
}

// timeIsUp reports whether it is too late to begin a turn.
func (r *solve) timeIsUp(ctx context.Context) bool {
	return ctx.Err() != nil || !time.Now().Before(r.span.Turns())
}

// interrupted stops the solve because it was canceled or its time is up.
func (r *solve) interrupted(ctx context.Context) {
	cause := context.Cause(ctx)
	switch deadline := r.opts.Limits.Deadline; {
	case r.swarm.ended.Err() != nil:
		r.stop(runlog.StopCancelled, "the swarm was closed", ErrClosed)
	case r.cancelled(ctx):
		r.stop(runlog.StopCancelled, cause.Error(), cause)
	case r.span.Length() < deadline && !errors.Is(cause, errDeadline):
		r.stop(runlog.StopDeadline, "the caller's deadline", nil)
	default:
		r.stop(runlog.StopDeadline, fmt.Sprintf("no decision within %v", deadline), nil)
	}
}
