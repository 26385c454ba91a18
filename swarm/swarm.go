package swarm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/keep"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// ErrClosed is returned by solves started after the swarm was closed.
var ErrClosed = errors.New("swarm: closed")

// A Swarm is a team of agents that solves tasks. Solves may run concurrently:
// each has its own thread and they do not see each other. Make one with [New].
type Swarm struct {
	opts  Options // never changes
	bus   *bus.Bus
	own   bool // the bus is the swarm's own
	layer *connectivity.Layer
	names *keep.Namer
	clock *keep.Clock

	ended   context.Context // canceled by Close
	end     context.CancelFunc
	running sync.WaitGroup // counts solves, and turns that may outlive them

	keeper    *keep.Keeper // of the journal; nil: there is none
	resuming  sync.RWMutex // held by resumed solves until the journal says that they continue
	answering sync.Mutex   // held while an answer about a call is said, and while an agent joins or leaves, so that the first counts
	recording sync.Mutex   // makes the order of records that of learning, and protects what keeper folds

	mu     sync.Mutex // protects the fields below
	closed bool
	bench  []*agents.Agent
}

// New returns a swarm, or all errors in the options.
func New(o Options) (*Swarm, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("swarm: %w", err)
	}
	s := &Swarm{opts: o.withDefaults(), clock: keep.NewClock(o.Clock), bench: o.team(true)}
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
		if s.bus, err = bus.New(&bus.Options{History: 4 * s.opts.Limits.Signals, Sweep: -1, Clock: s.clock.Last, Mint: mint}); err != nil {
			return nil, err
		}
	}
	s.names = keep.NewNamer(s.bus, s.opts.Seed)
	err := s.openLayer()
	if err == nil {
		err = s.admitAgents()
	}
	if err == nil && s.opts.Journal != nil {
		s.keeper, err = keep.Open(keep.Of{Journal: s.opts.Journal, Bus: s.bus, Ledger: s.opts.Ledger, Clock: s.clock, Names: s.names, Kinds: s.opts.Kinds})
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
	for _, a := range append(slices.Clone(s.opts.Agents), s.bench...) {
		_, err := s.bus.Agent(a.ID, bus.Permissions{CanEmit: published(a)})
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// openLayer opens the layer of the swarm, unless it was given one.
func (s *Swarm) openLayer() (err error) {
	if s.layer = s.opts.Coordination.Layer; s.layer == nil {
		s.layer, err = connectivity.New(s.bus, &connectivity.Options{Name: "swarm"})
	}
	return err
}

// emits returns the kinds that an agent may emit: it may always say how its turn went.
func emits(a *agents.Agent) []signals.Kind {
	if a.CanEmit == nil {
		return nil
	}
	return append(published(a), agents.Records()...)
}

// published returns the kinds of CanEmit that an agent publishes itself: what it says to
// coordinate goes through the layer.
func published(a *agents.Agent) []signals.Kind {
	return slices.DeleteFunc(slices.Clone(a.CanEmit), seat.Coordinates)
}

// benched returns the agents that may join.
func (s *Swarm) benched() []*agents.Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bench)
}

func namesOf(all []*agents.Agent) (ids runlog.Insiders) {
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	return ids
}

// Bus returns the bus that carries the swarm's signals, to watch it.
func (s *Swarm) Bus() *bus.Bus { return s.bus }

// Close ends running solves with [runlog.StopCancelled] and refuses new ones, without
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

// closeJournal waits until everything is written, or until ctx ends.
func (s *Swarm) closeJournal(ctx context.Context) error {
	if s.keeper == nil {
		return nil
	}
	return s.keeper.Close(ctx)
}

// enter counts a solve as running, unless the swarm is closed.
func (s *Swarm) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.running.Add(1)
	return nil
}

func (s *Swarm) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// StepClock returns a clock that begins at start and advances by step with each
// call. It may be called concurrently.
func StepClock(start time.Time, step time.Duration) func() time.Time {
	var calls atomic.Int64
	return func() time.Time { return start.Add(time.Duration(calls.Add(1)-1) * step) }
}
