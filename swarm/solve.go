package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// The causes with which contexts of solves and turns end.
var (
	errDeadline = fmt.Errorf("swarm: deadline: %w", context.DeadlineExceeded)
	errTime     = fmt.Errorf("swarm: out of time: %w", context.DeadlineExceeded)
)

// forever is a TTL without end, in the unit of the wire.
const forever = -time.Millisecond

// A solve is the state of solving one task, used by one goroutine.
type solve struct {
	swarm    *Swarm
	opts     *Options
	result   *Result
	terms    *consensus.Options
	by       consensus.Strategy
	seats    []*seat
	byID     map[string]*seat // by the agent's id
	system   *bus.Publisher
	log      *bus.Subscription // the log of the thread
	yield    func(Event)
	watched  bool
	began    time.Time
	deadline time.Time
	known    consensus.Reliabilities // at the beginning; nil: nothing
	back     chan struct{}           // signaled when a turn returns
	outside  chan struct{}           // signaled when a signal is published in the thread; nil without routers
	deafen   func()                  // ends the signaling; nil without routers

	votes     *consensus.Round
	proposals *standings
	aliases   map[string]string // proposal id to the id of an equal earlier one
	quorum    int               // last set; 0: that of the terms
	resized   bool              // the default quorum may have changed
	repeats   repeats
	weights   map[string]float64 // factors on agents' votes
	made      []*signals.Signal[signals.Proposal]
	said      int // number of signals of agents
	escalated *signals.Signal[signals.Escalation]

	disputes []conflict.Pair // open conflicts
	needless []conflict.Pair // conflicts between equal proposals, not resolved yet

	spending sync.Mutex // protects spent
	spent    map[string]agents.Spending

	begun      int // number of turns of the last round
	saidBefore int // number of signals of agents before the last round
	refused    []Refused
	opened     bool // the terms are on record
	recorded   bool // the decision is on record
	announced  bool // the consensus has been announced

	resumed       bool     // it has an earlier log, which the journal must keep until its terms are in it
	progress      progress // of that log
	stoppedBefore bool     // it stopped in its last round, and continues
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
	return s.sitDown(&Result{Thread: thread, Task: task, Seed: s.opts.Seed})
}

// newSolve returns a solve that has not started.
func (s *Swarm) newSolve(result *Result) *solve {
	by, terms := s.opts.decideBy()
	r := &solve{
		swarm: s, opts: &s.opts, by: by, terms: terms, watched: true, began: time.Now(),
		result: result, byID: map[string]*seat{}, weights: map[string]float64{}, aliases: map[string]string{},
		back: make(chan struct{}, 1), spent: map[string]agents.Spending{},
		repeats: newRepeats(),
	}
	if s.opts.Ledger != nil {
		r.known = s.opts.Ledger.Reliabilities()
	}
	return r
}

// sitDown opens a solve in a reserved thread.
func (s *Swarm) sitDown(result *Result) (*solve, error) {
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
	if err = r.recount(); err != nil {
		return err
	}
	r.system = r.swarm.bus.System()
	here := []string{r.result.Thread}
	if r.log, err = r.system.Subscribe(bus.SubscribeOptions{Threads: here}); err != nil {
		return err
	}
	for _, a := range r.opts.Agents {
		s := r.seat(a)
		if s.mouth, err = r.swarm.bus.Agent(a.ID, bus.Permissions{CanEmit: emits(a), Threads: here}); err != nil {
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
	return append(slices.Clip(a.CanEmit), agents.KindPassed)
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
	r.deadline, _ = ctx.Deadline()
	defer context.AfterFunc(r.swarm.ended, cancel)()
	ctx, end := agents.Start(agents.WithHook(ctx, r.opts.Hook), agents.Op{
		Name: agents.OpSolve, Target: r.opts.Name, Thread: r.result.Thread,
	})
	defer func() { end(r.result, r.result.Err) }()

	r.yield(Started{r.result.Thread, r.result.Task, r.result.Seed, r.opts.Agents})
	open(ctx)
	r.recordTerms(ctx)
	if r.resumed {
		r.keep(ctx)
		r.swarm.resuming.RUnlock()
	}
	r.goOn(ctx)
	for r.result.Stop == 0 {
		r.round(ctx)
	}
	r.finish(ctx)
}

// announce publishes a signal of the swarm itself.
func (r *solve) announce(ctx context.Context, s signals.Any) {
	err := r.tell(ctx, s)
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		r.interrupted(ctx) // time was up while the bus was full
	default:
		r.stop(StopError, "the system's signal was refused", err)
	}
}

// tell is announce, for callers that stop the solve otherwise.
func (r *solve) tell(ctx context.Context, s signals.Any) error {
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

// drain folds what is new in the log.
func (r *solve) drain(ctx context.Context) {
	for s, _ := r.log.Poll(); s != nil; s, _ = r.log.Poll() {
		r.result.Log = append(r.result.Log, s)
		r.yield(Spoke{s})
		r.fold(ctx, s)
	}
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
	return ctx.Err() != nil && (r.swarm.ended.Err() != nil || !errors.Is(context.Cause(ctx), context.DeadlineExceeded))
}

// timeIsUp reports whether it is too late to begin a turn.
func (r *solve) timeIsUp(ctx context.Context) bool {
	return ctx.Err() != nil || !time.Now().Before(r.deadline.Add(-moment(r.deadline.Sub(r.began))))
}

// interrupted stops the solve because it was canceled or its time is up.
func (r *solve) interrupted(ctx context.Context) {
	cause := context.Cause(ctx)
	switch {
	case r.swarm.ended.Err() != nil:
		r.stop(StopCancelled, "the swarm was closed", ErrClosed)
	case r.cancelled(ctx):
		r.stop(StopCancelled, cause.Error(), cause)
	case r.deadline.Sub(r.began) < r.opts.Deadline && !errors.Is(cause, errDeadline):
		r.stop(StopDeadline, "the caller's deadline", nil)
	default:
		r.stop(StopDeadline, fmt.Sprintf("no decision within %v", r.opts.Deadline), nil)
	}
}

// finish announces the decision and completes the result.
func (r *solve) finish(ctx context.Context) {
	d := r.votes.Decision()
	r.result.Decision, r.result.Missing = d, r.missing(d)
	if !r.recorded {
		r.result.Detail = r.detail()
		r.record(ctx)
	}
	if r.result.Stop == StopConsensus {
		won := r.proposals.of(d.Choice).Proposal
		r.result.Answer = won.Payload.Content
		r.say(ctx, d, won)
	}
	r.result.Proposals = r.proposals.show("")
	r.result.Question = r.question()
	for _, s := range r.seats {
		if s.turn != nil && s.turn.state != stateStopped {
			agents.Note(ctx, agents.TurnDropped{Agent: s.agent.ID, Round: s.turn.Round})
		}
	}
	r.leave()
	r.result.Spent = r.spentSoFar()
	r.keep(ctx)
	r.result.Elapsed = time.Since(r.began)
	r.yield(Stopped{r.result})
}

// say announces the decision, unless that has been done.
func (r *solve) say(ctx context.Context, d consensus.Decision, won *signals.Signal[signals.Proposal]) {
	if r.announced {
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
	if r.deafen != nil {
		r.deafen()
	}
	// An escalated solve keeps its proposals for the answer; records end threads themselves.
	if r.result.Stop != StopEscalated && r.swarm.writer == nil {
		r.swarm.bus.CloseThread(r.result.Thread)
	}
	r.swarm.release(r.result.Thread)
}
