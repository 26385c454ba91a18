package swarm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// ErrClosed is returned by solves started after the swarm was closed.
var ErrClosed = errors.New("swarm: closed")

// A Swarm is a team of agents that solves tasks. Solves may run concurrently:
// each has its own thread and they do not see each other. Make one with [New].
type Swarm struct {
	opts   Options // never changes
	bus    *bus.Bus
	own    bool // the bus is the swarm's own
	layer  *connectivity.Layer
	waited atomic.Int64 // nanoseconds by which [Swarm.advance] has advanced the given clock
	time   atomic.Int64 // the latest time read from the given clock, for the bus

	ended   context.Context // canceled by Close
	end     context.CancelFunc
	running sync.WaitGroup // counts solves, and turns that may outlive them

	writer    *journal.Writer           // nil: there is no journal
	standing  map[string]*standingTerms // by thread: of solves that the journal did not see end; never changes
	resuming  sync.RWMutex              // held by resumed solves until the journal says that they continue
	recording sync.Mutex                // makes the order of records that of learning
	folded    folded                    // protected by recording

	mu     sync.Mutex // protects the fields below
	closed bool
}

// New returns a swarm, or all errors in the options.
func New(o Options) (*Swarm, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("swarm: %w", err)
	}
	s := &Swarm{opts: o.withDefaults()}
	s.ended, s.end = context.WithCancel(context.Background())
	mint := signals.NewMint()
	if s.opts.Seed == 0 {
		s.opts.Seed = rand.Uint64()
	} else {
		mint = signals.SeededMint("swarm", strconv.FormatUint(s.opts.Seed, 10))
	}
	s.bus, s.own = s.opts.Bus, s.opts.Bus == nil
	if s.own {
		var err error
		if s.bus, err = bus.New(&bus.Options{History: 4 * s.opts.Signals, Sweep: -1, Clock: s.busClock, Mint: mint}); err != nil {
			return nil, err
		}
	}
	err := s.openLayer()
	if err == nil {
		err = s.admitAgents()
	}
	if err == nil {
		err = s.openJournal()
	}
	if err != nil {
		if s.own {
			s.bus.Close()
		}
		return nil, fmt.Errorf("swarm: %w", err)
	}
	return s, nil
}

// admitAgents reserves the swarm's own kinds and requests every agent's handle,
// so that errors show now rather than later.
func (s *Swarm) admitAgents() error {
	if _, err := s.bus.Layer("swarm", runlog.Reserved()...); err != nil {
		return err
	}
	var problems []error
	for _, a := range s.opts.Agents {
		_, err := s.bus.Agent(a.ID, bus.Permissions{CanEmit: published(a)})
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// Bus returns the bus that carries the swarm's signals, to watch it.
func (s *Swarm) Bus() *bus.Bus { return s.bus }

// Close ends running solves with [StopCancelled] and refuses new ones, without
// waiting. It closes the swarm's own bus.
func (s *Swarm) Close() {
	s.refuse()
	s.end()
	_ = s.closeJournal(s.ended) // each solve has reported its own failures to write
	if s.own {
		s.bus.Close()
	}
}

// Shutdown refuses new solves and waits for running ones, and for turns that
// were left behind; then it closes the swarm. If ctx ends first it closes the
// swarm at once and returns the cause.
func (s *Swarm) Shutdown(ctx context.Context) error {
	s.refuse()
	idle := make(chan struct{})
	go func() {
		s.running.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	err = errors.Join(err, s.closeJournal(ctx))
	s.Close()
	return err
}

func (s *Swarm) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Solve works on a task until there is a reason to stop. It returns an error if
// a solve could not start or failed; then Result.Stop is [StopError], or the
// result is nil if nothing ran. Every other end, including a deadline, is a
// result without an error.
func (s *Swarm) Solve(ctx context.Context, task signals.Task) (*Result, error) {
	return resultOf(s.Stream(ctx, task))
}

// Stream is [Swarm.Solve] as a sequence of events, in order, [Stopped] last.
// Ending the loop early ends the solve. If the solve could not start, it yields
// only an error.
func (s *Swarm) Stream(ctx context.Context, task signals.Task) iter.Seq2[Event, error] {
	return stream(ctx, func() (*solve, func(context.Context), error) {
		r, err := s.start(ctx, task)
		return r, func(ctx context.Context) {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1}, task))
		}, err
	})
}

// stream runs the solve that start returns.
func stream(ctx context.Context, start func() (*solve, func(context.Context), error)) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		run, open, err := start()
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		run.yield = func(e Event) {
			if run.watched = run.watched && yield(e, nil); !run.watched {
				cancel() // the loop has ended
			}
		}
		run.solve(ctx, open)
	}
}

// resultOf returns the result at the end of a stream.
func resultOf(events iter.Seq2[Event, error]) (*Result, error) {
	for event, err := range events {
		if err != nil {
			return nil, err
		}
		if stopped, ok := event.(Stopped); ok {
			if stopped.Result.Stop == StopError {
				err = stopped.Result.Err
			}
			return stopped.Result, err
		}
	}
	panic("swarm: a solve ended without a result")
}

// now returns the time of the next signal.
func (s *Swarm) now() time.Time {
	if s.opts.Clock == nil {
		return time.Now()
	}
	t := s.opts.Clock().Add(time.Duration(s.waited.Load()))
	s.time.Store(t.UnixNano())
	return t
}

// advance ensures that the given clock has reached a time: one for which a solve has
// waited, or that of a log which continues.
func (s *Swarm) advance(to time.Time) {
	if s.opts.Clock == nil {
		return
	}
	if behind := to.Sub(s.now()); behind > 0 {
		s.waited.Add(int64(behind))
	}
}

// busClock does not advance the given clock: only commits do, so that readers
// cannot affect the log.
func (s *Swarm) busClock() time.Time {
	if s.opts.Clock == nil {
		return time.Now()
	}
	return time.Unix(0, s.time.Load()).UTC()
}

// StepClock returns a clock that begins at start and advances by step with each
// call. It may be called concurrently.
func StepClock(start time.Time, step time.Duration) func() time.Time {
	var calls atomic.Int64
	return func() time.Time { return start.Add(time.Duration(calls.Add(1)-1) * step) }
}
