package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

var errDeadline = errors.New("swarm: deadline")

// A solve is one task being worked on, by one goroutine.
type solve struct {
	swarm   *Swarm
	opts    *Options
	result  *Result
	votes   *consensus.Round
	by      consensus.Strategy
	seats   []*seat
	system  *bus.Publisher
	log     *bus.Subscription // the thread as it is written
	yield   func(Event)
	watched bool
	began   time.Time

	proposals standings
	byID      map[string]*seat   // by the agent's
	weights   map[string]float64 // of agents' votes
	said      int                // signals of agents
	escalated *signals.Signal[signals.Escalation]
}

func (s *Swarm) start(ctx context.Context, task signals.Task) (*solve, error) {
	if err := signals.Validate(signals.New(signals.Header{}, task)); err != nil {
		return nil, fmt.Errorf("swarm: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	by, terms := s.opts.decideBy()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	s.solves++
	thread := fmt.Sprintf("solve-%08x-%d", uint32(s.opts.Seed), s.solves)
	r := &solve{
		swarm: s, opts: &s.opts, by: by, watched: true, system: s.bus.System(), began: time.Now(),
		result:    &Result{Thread: thread, Task: task, Seed: s.opts.Seed},
		proposals: standings{place: map[string]int{}},
		byID:      map[string]*seat{},
		weights:   map[string]float64{},
	}
	if err := r.sit(terms); err != nil {
		r.leave()
		return nil, fmt.Errorf("swarm: %w", err)
	}
	s.running.Add(1)
	return r, nil
}

// sit opens the votes and gives every agent its handle and its inbox.
func (r *solve) sit(terms *consensus.Options) (err error) {
	if r.votes, err = consensus.NewRound(r.by, terms); err != nil {
		return err
	}
	here := []string{r.result.Thread}
	if r.log, err = r.system.Subscribe(bus.SubscribeOptions{Threads: here}); err != nil {
		return err
	}
	for _, a := range r.opts.Agents {
		s := &seat{agent: a, most: r.opts.History}
		if s.mouth, err = r.swarm.bus.Agent(a.ID, bus.Permissions{CanEmit: a.CanEmit, Threads: here}); err != nil {
			return err
		}
		others := func(heard signals.Any) bool { return heard.Head().Source != a.ID }
		s.ears, err = s.mouth.Subscribe(bus.SubscribeOptions{Kinds: a.Listens, Threads: here, Where: others})
		if err != nil {
			return err
		}
		r.seats = append(r.seats, s)
		r.byID[a.ID] = s
		r.weights[a.ID] = a.VoteWeight()
	}
	return nil
}

// solve works until there is a reason to stop.
func (r *solve) solve(ctx context.Context) {
	defer r.swarm.running.Done()
	ctx, cancel := context.WithTimeoutCause(ctx, r.opts.Deadline, errDeadline)
	defer cancel()
	defer context.AfterFunc(r.swarm.ended, cancel)()
	ctx, end := agents.Start(agents.WithHook(ctx, r.opts.Hook), agents.Op{
		Name: agents.OpSolve, Target: r.opts.Name, Thread: r.result.Thread,
	})
	defer func() { end(r.result, r.result.Err) }()

	r.yield(Started{r.result.Thread, r.result.Task, r.result.Seed, r.opts.Agents})
	r.announce(ctx, signals.New(signals.Header{Confidence: 1}, r.result.Task))
	for r.result.Stop == 0 {
		r.round(ctx)
	}
	r.finish(context.WithoutCancel(ctx))
}

// announce publishes what the swarm itself has to say.
func (r *solve) announce(ctx context.Context, s signals.Any) {
	h := s.Head()
	h.Thread, h.Round = r.result.Thread, int32(r.result.Rounds)
	if err := r.publish(ctx, r.system, signals.With(s, h)); err != nil {
		r.stop(StopError, "the system's signal was refused", err)
	}
}

// publish commits one signal and folds what it brought into the log.
func (r *solve) publish(ctx context.Context, p *bus.Publisher, s signals.Any) error {
	h := s.Head()
	if h.Time.IsZero() {
		h.Time = r.swarm.now()
	}
	if h.TTL == 0 {
		h.TTL = 2 * r.opts.Deadline // nothing expires while the solve runs
	}
	if h.Trace == nil {
		h.Trace = agents.TraceOf(ctx)
	}
	_, err := p.Publish(ctx, signals.With(s, h))
	if errors.Is(err, bus.ErrClosed) {
		r.stop(StopError, "the bus was closed", err)
	}
	for {
		s, more := r.log.Poll()
		if !more {
			return err
		}
		r.fold(ctx, s)
	}
}

// stop ends the solve, unless something ended it before.
func (r *solve) stop(why StopReason, detail string, err error) {
	if r.result.Stop == 0 {
		r.result.Stop, r.result.Detail, r.result.Err = why, detail, err
	}
}

// interrupted stops the solve for the reason that ctx ended.
func (r *solve) interrupted(ctx context.Context) {
	cause := context.Cause(ctx)
	switch {
	case r.swarm.ended.Err() != nil:
		r.stop(StopCancelled, "the swarm was closed", ErrClosed)
	case errors.Is(cause, errDeadline):
		r.stop(StopDeadline, fmt.Sprintf("no decision within %v", r.opts.Deadline), nil)
	case errors.Is(cause, context.DeadlineExceeded):
		r.stop(StopDeadline, "the caller's deadline", nil)
	default:
		r.stop(StopCancelled, cause.Error(), cause)
	}
}

// finish announces the decision and completes the result.
func (r *solve) finish(ctx context.Context) {
	d := r.votes.Decision()
	r.result.Decision = d
	if r.result.Stop == StopConsensus {
		won := r.proposals.of(d.Choice).Proposal
		r.result.Answer = won.Payload.Content
		r.announce(ctx, signals.New(
			signals.Header{ReplyTo: won.ID, Confidence: d.Confidence},
			signals.Consensus{ProposalID: d.Choice, Decision: won.Payload.Content, Confidence: d.Confidence},
		))
	}
	r.leave()
	r.learn()
	r.result.Elapsed = time.Since(r.began)
	r.yield(Stopped{r.result})
}

// leave ends the solve's readers and adds up their books.
func (r *solve) leave() {
	for _, s := range r.seats {
		if s.ears != nil {
			s.ears.Close()
			r.result.Books = r.result.Books.Plus(s.ears.Books())
		}
	}
	if r.log != nil {
		r.log.Close()
	}
}
