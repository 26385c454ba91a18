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
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// The causes with which contexts of solves and turns end.
var (
	errDeadline = fmt.Errorf("swarm: deadline: %w", context.DeadlineExceeded)
	errTime     = fmt.Errorf("swarm: out of time: %w", context.DeadlineExceeded)
)

// forever is a TTL without end, in the unit of the wire.
const forever = -time.Millisecond

// A solve is the state of solving one task, used by one goroutine. What its log says
// is the thread; the rest is of the running solve.
type solve struct {
	swarm   *Swarm
	opts    *Options
	result  *Result
	thread  *runlog.Thread
	weights map[string]float64      // factors on agents' votes
	known   consensus.Reliabilities // at the beginning; nil: nothing

	seats   []*seat
	byID    map[string]*seat // by the agent's id
	system  *bus.Publisher
	log     *bus.Subscription // the log of the thread
	wake    wake
	yield   func(Event)
	watched bool

	span    span
	said    int // number of signals of agents
	round   lastRound
	step    settle.Debate // that the next round is; zero: an ordinary round
	spent   spent
	refused []Refused
	resized bool // the default quorum may have changed
	records records
}

// A span is the time of a solve.
type span struct{ began, deadline time.Time }

// A lastRound has the numbers of the last round.
type lastRound struct {
	begun      int  // number of its turns
	saidBefore int  // number of signals of agents before it
	stopped    bool // the solve stopped in it, and continues
}

// Records say which records of the solve are in the log.
type records struct {
	opened    bool // its terms
	decided   bool // its decision
	announced bool // its consensus
	enrolled  bool // who takes part, for the layer; an earlier process may have written it
	earlier   bool // those of an earlier log, which the journal must keep until the new terms are in it
}

func (s *Swarm) start(ctx context.Context, task signals.Task) (*solve, error) {
	if err := signals.Validate(signals.New(signals.Header{}, task)); err != nil {
		return nil, fmt.Errorf("swarm: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	thread, err := s.reserve()
	if err != nil {
		return nil, err
	}
	return s.open(&Result{Thread: thread, Task: task, Seed: s.opts.Seed})
}

// newSolve returns a solve that has not started.
func (s *Swarm) newSolve(result *Result) *solve {
	r := &solve{
		swarm: s, opts: &s.opts, watched: true, span: span{began: time.Now()}, thread: runlog.New(result.Thread),
		result: result, byID: map[string]*seat{}, weights: map[string]float64{}, wake: newWake(), spent: spent{by: map[string]agents.Spending{}},
		yield: func(Event) {},
	}
	if s.opts.Ledger != nil {
		r.known = s.opts.Ledger.Reliabilities()
	}
	return r
}

// open opens a solve in a reserved thread.
func (s *Swarm) open(result *Result) (*solve, error) {
	r := s.newSolve(result)
	if err := r.sit(); err != nil {
		r.leave()
		s.running.Done()
		return nil, fmt.Errorf("swarm: %w", err)
	}
	return r, nil
}

// sit opens the voting and gives every agent its handle and its inbox.
func (r *solve) sit() (err error) {
	if err = r.countBy(r.opts.decideBy()); err != nil {
		return err
	}
	r.system = r.swarm.bus.System()
	here := []string{r.result.Thread}
	if r.log, err = r.system.Subscribe(bus.SubscribeOptions{Threads: here}); err != nil {
		return err
	}
	for _, a := range r.opts.Agents {
		s := r.seat(a)
		if s.publisher, err = r.swarm.bus.Agent(a.ID, bus.Permissions{CanEmit: emits(a), Threads: here}); err != nil {
			return err
		}
		if err = s.listen(r.result.Thread); err != nil {
			return err
		}
	}
	r.overhear()
	return nil
}

// emits returns the kinds that an agent may emit: it may always pass.
func emits(a *agents.Agent) []signals.Kind {
	if a.CanEmit == nil {
		return nil
	}
	return append(published(a), agents.KindPassed)
}

// published returns the kinds of CanEmit that an agent publishes itself: what it says to
// coordinate goes through the layer.
func published(a *agents.Agent) []signals.Kind {
	return slices.DeleteFunc(slices.Clone(a.CanEmit), coordinates)
}

func (r *solve) seat(a *agents.Agent) *seat {
	s := &seat{agent: a, most: r.opts.History}
	if a.Router != nil {
		s.machine, s.withheld = a.Router.Machine(), map[uint64]bool{}
	}
	r.seats = append(r.seats, s)
	r.byID[a.ID] = s
	r.weights[a.ID] = a.VoteWeight()
	return s
}

// solve runs until there is a reason to stop. open publishes the first signals.
func (r *solve) solve(ctx context.Context, open func(context.Context)) {
	defer r.swarm.running.Done()
	ctx, cancel := context.WithTimeoutCause(ctx, r.opts.Deadline, errDeadline)
	defer cancel()
	r.span.deadline, _ = ctx.Deadline()
	defer context.AfterFunc(r.swarm.ended, cancel)()
	ctx, end := agents.Start(agents.WithHook(ctx, r.opts.Hook), agents.Op{
		Name: agents.OpSolve, Target: r.opts.Name, Thread: r.result.Thread,
	})
	defer func() { end(r.result, r.result.Err) }()

	r.yield(Started{r.result.Thread, r.result.Task, r.result.Seed, r.opts.Agents})
	open(ctx)
	r.recordTerms(ctx)
	if r.records.earlier {
		r.keep(ctx)
		r.swarm.resuming.RUnlock()
	}
	r.finishRound(ctx)
	for r.result.Stop == 0 {
		r.runRound(ctx)
	}
	r.finish(ctx)
}

// announce publishes a signal of the swarm itself.
func (r *solve) announce(ctx context.Context, s signals.Any) {
	err := r.tryAnnounce(ctx, s)
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		r.interrupted(ctx) // time was up while the bus was full
	default:
		r.stop(StopError, "the system's signal was refused", err)
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
		h.Time = r.swarm.now()
	}
	if h.TTL == 0 {
		h.TTL = forever // nothing expires during the solve, however fast the clock runs
	}
	if h.Trace == nil {
		h.Trace = agents.TraceOf(ctx)
	}
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	_, err := p.Publish(inTime, signals.With(s, h))
	if errors.Is(err, bus.ErrClosed) {
		r.busClosed(err)
	}
	r.drain(ctx)
	return err
}

// inTime returns ctx, or a short extension if it has ended.
func (r *solve) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), returns)
}

// busClosed stops a solve that can no longer publish.
func (r *solve) busClosed(err error) {
	if r.swarm.ended.Err() != nil {
		r.stop(StopCancelled, "the swarm was closed", ErrClosed)
		return
	}
	r.stop(StopError, "the bus was closed", err)
}

// stop ends the solve, unless it has already ended.
func (r *solve) stop(why StopReason, detail string, err error) {
	if r.result.Stop == 0 {
		r.result.Stop, r.result.Detail, r.result.Err = why, detail, err
	}
}

// cancelled reports whether the solve was canceled by a caller, rather than by
// the deadline.
func (r *solve) cancelled(ctx context.Context) bool {
	return ctx.Err() != nil && (r.swarm.ended.Err() != nil || !errors.Is(ctx.Err(), context.DeadlineExceeded))
}

// timeIsUp reports whether it is too late to begin a turn.
func (r *solve) timeIsUp(ctx context.Context) bool {
	return ctx.Err() != nil || !time.Now().Before(r.span.deadline.Add(-moment(r.span.deadline.Sub(r.span.began))))
}

// interrupted stops the solve because it was canceled or its time is up.
func (r *solve) interrupted(ctx context.Context) {
	cause := context.Cause(ctx)
	switch {
	case r.swarm.ended.Err() != nil:
		r.stop(StopCancelled, "the swarm was closed", ErrClosed)
	case r.cancelled(ctx):
		r.stop(StopCancelled, cause.Error(), cause)
	case r.span.deadline.Sub(r.span.began) < r.opts.Deadline && !errors.Is(cause, errDeadline):
		r.stop(StopDeadline, "the caller's deadline", nil)
	default:
		r.stop(StopDeadline, fmt.Sprintf("no decision within %v", r.opts.Deadline), nil)
	}
}

// finish announces the decision and completes the result.
func (r *solve) finish(ctx context.Context) {
	d := r.votes().Decision()
	r.result.Decision, r.result.Missing = d, r.missing(d)
	r.result.read(r.thread)
	if !r.records.decided {
		r.result.Detail = r.detail()
		r.record(ctx)
	}
	if r.result.Stop == StopConsensus {
		won := r.thread.Votes.Of(d.Choice).Proposal
		r.result.Answer = won.Payload.Content
		r.say(ctx, d, won)
	}
	r.result.Groupthink = r.groupthink()
	r.result.Question = r.question()
	for _, s := range r.seats {
		if s.turn != nil && s.turn.state != stateStopped {
			agents.Note(ctx, agents.TurnDropped{Agent: s.agent.ID, Round: s.turn.Round})
		}
	}
	r.endCoordination(ctx)
	r.result.read(r.thread)
	r.leave()
	r.result.Spent = r.spent.soFar()
	r.keep(ctx)
	r.result.Elapsed = time.Since(r.span.began)
	r.yield(Stopped{r.result})
}

// say announces the decision, unless that has been done.
func (r *solve) say(ctx context.Context, d consensus.Decision, won *signals.Signal[signals.Proposal]) {
	if r.records.announced {
		return
	}
	r.announce(ctx, signals.New(
		signals.Header{ReplyTo: won.ID, Confidence: d.Confidence},
		signals.Consensus{ProposalID: d.Choice, Decision: won.Payload.Content, Confidence: d.Confidence},
	))
}

// leave ends the solve's turns and readers and adds up their books.
func (r *solve) leave() {
	now := time.Now()
	turns := &r.result.Turns
	turns.Dropped = turns.Taken - turns.Committed - turns.Failed
	for _, s := range r.seats {
		if s.turn != nil && s.turn.cancel != nil {
			s.turn.cancel()
			if len(s.turn.done) == 0 && !now.Before(s.turn.lost) {
				r.result.LeftBehind = append(r.result.LeftBehind, s.agent.ID)
			}
		}
		r.result.Books = r.result.Books.Plus(s.leave())
	}
	if r.log != nil {
		r.log.Close()
	}
	r.wake.close()
	// An escalated solve keeps its proposals for the answer; records end threads themselves.
	if r.result.Stop != StopEscalated && r.swarm.writer == nil {
		r.swarm.bus.CloseThread(r.result.Thread)
	}
	r.swarm.release(r.result.Thread)
}
