package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A fault is what may fall at a boundary.
type fault string

const (
	kill     fault = "kill"           // the process ends: nothing more is written or called
	term     fault = "term"           // the solve is cancelled, and another process goes on
	cancel   fault = "cancel"         // the solve is cancelled, and the same swarm goes on
	closing  fault = "close"          // the swarm is closed under the solve
	full     fault = "disk full"      // nothing can be written until the next process
	outage   fault = "outage"         // no model answers until the solve has stopped
	panicked fault = "tool panic"     // the next call of a tool that only reads panics
	slow     fault = "slow model"     // the next answer of a model takes a minute
	twice    fault = "answered twice" // a second answer follows the next one
	rival    fault = "rival"          // somebody else goes on with the solve, while it runs
	jump     fault = "clock jump"     // the clock goes an hour on, or back
)

var faults = []fault{kill, term, cancel, closing, full, outage, panicked, slow, twice, rival, jump}

// A schedule says which fault falls at which boundary, counted from the first of the solve.
type schedule map[int]fault

func (s schedule) String() string {
	var all []string
	for at := range 10_000 {
		if f, ok := s[at]; ok {
			all = append(all, fmt.Sprintf("%s at %d", f, at))
		}
	}
	return strings.Join(all, ", ")
}

// A world is one solve with its faults.
type world struct {
	policy settle.Policy
	faults schedule
	down   time.Duration // after which a call that failed in an outage may be repeated
	looks  *atomic.Int64 // at the contexts of the solve, until one ends; nil: nobody counts
	disk   *journal.Memory
	pool   *memory.Pool // what is known from earlier solves, which outlives processes like the disk

	rivals sync.WaitGroup

	mu      sync.Mutex // protects the fields below
	steps   int
	now     map[fault]bool // faults that last
	fallen  []string
	stop    context.CancelFunc // of the running solve
	swarm   *swarm.Swarm
	charged int
	allowed int
	ticks   int           // of the clock, in this process
	jumped  time.Duration // the clock, in all
}

// newWorld returns a world in which nothing has happened.
func newWorld(policy settle.Policy, down time.Duration, faults schedule) *world {
	w := &world{policy: policy, faults: faults, down: down, disk: new(journal.Memory), now: map[fault]bool{}}
	pool, err := memory.New(memory.Options{Store: new(memorytest.Twin), Quarantined: true, Clock: w.time})
	if err != nil {
		panic(err)
	}
	w.pool = pool
	return w
}

// time is the clock of a process: a millisecond later each time, but for its jumps.
func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticks++
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(w.ticks)*time.Millisecond + w.jumped)
}

// step crosses a boundary.
func (w *world) step(where string) {
	w.mu.Lock()
	w.steps++
	f, falls := w.faults[w.steps]
	if falls {
		w.now[f] = true
		w.fallen = append(w.fallen, fmt.Sprintf("%s at %d (%s)", f, w.steps, where))
		if f == jump {
			w.jumped += time.Duration(1-w.steps%2*2) * time.Hour
		}
	}
	stop, s := w.stop, w.swarm
	w.mu.Unlock()
	switch {
	case !falls:
	case f == closing || f == kill:
		s.Close()
	case f == term || f == cancel:
		stop()
	case f == rival:
		if logged := w.logged(); logged != nil {
			w.rivals.Go(func() { _, _ = s.Resume(context.Background(), logged.Log, nil) })
		}
	}
}

// has reports whether a fault lasts; take ends it as well.
func (w *world) has(f fault) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now[f]
}

func (w *world) take(f fault) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	took := w.now[f]
	delete(w.now, f)
	return took
}

// A disk is the journal as one process has it.
type disk struct {
	*journal.Memory
	w *world
}

var errKilled = errors.New("sim: the process has ended")

func (d disk) Append(records ...journal.Record) (uint64, error) {
	d.w.step("before a write")
	switch {
	case d.w.has(kill):
		return 0, errKilled
	case d.w.has(full):
		return 0, syscall.ENOSPC
	}
	seq, err := d.Memory.Append(records...)
	d.w.step("after a write")
	return seq, err
}

// A mind is the memory as one process has it, on the same disk.
type mind struct{ w *world }

// Brief implements [swarm.Memory].
func (m mind) Brief(ctx context.Context, task signals.Task) ([]signals.Any, error) {
	if m.w.step("recall"); m.w.has(kill) {
		return nil, errKilled
	}
	return m.w.pool.Brief(ctx, task)
}

// Keep implements [swarm.Memory].
func (m mind) Keep(ctx context.Context, log []signals.Any, group string) error {
	m.w.step("before a fact is kept")
	switch {
	case m.w.has(kill):
		return errKilled
	case m.w.has(full):
		return syscall.ENOSPC
	}
	err := m.w.pool.Keep(ctx, log, group)
	m.w.step("after a fact was kept")
	return err
}

var errDown = errors.New("sim: connection refused")

// asks is what an agent does first in a turn: it asks its model.
func (w *world) asks(ctx context.Context) error {
	w.step("model")
	switch {
	case w.has(kill):
		return errKilled
	case w.has(outage):
		return agents.Retryable(errDown, w.down)
	case w.take(slow):
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
