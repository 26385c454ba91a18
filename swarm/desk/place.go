package desk

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Records are a log that can be read, and followed from wherever a reader is.
type Records interface {
	journal.Reader
	Last() uint64 // position of the newest record; 0: there is none
}

// A Place has the log of a team, and drives its solves. A desk calls Keep, Seat and Begin, in this
// order and once, and the other methods concurrently after that; Close is the last one.
type Place interface {
	// Log returns what is on record; nil: nothing is kept.
	Log() Records
	// Keep returns what keeps the answers of models and tools.
	Keep(ctx context.Context) (Keep, error)
	// Seat takes a team, and returns the options of its swarm. It does not wait for what takes
	// long, such as reading the log.
	Seat(Seat) (swarm.Options, error)
	// Begin makes ready what drives the solves, and may read the whole log.
	Begin(ctx context.Context) error
	// Drive solves a task; a place where the task is on record may continue or repeat its solve.
	Drive(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error]
	// Resume continues a solve from its log, with an answer or, for nil, without one: see
	// [swarm.Swarm.StreamResume].
	Resume(ctx context.Context, log []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error]
	// Say publishes a signal of the system, or of a person, who is its source, and returns its position.
	Say(ctx context.Context, s signals.Any) (seq uint64, err error)
	// Tell records which proposal of a solve turned out to be right.
	Tell(ctx context.Context, thread, right string) error
	// Health returns how the place is doing, without waiting for long.
	Health(ctx context.Context) Health
	// Close ends what Begin has made, and what Log has.
	Close(ctx context.Context) error
}

// A Shared place has a log that other processes write, too.
type Shared interface {
	Place
	// Fits returns why a solve, whose log it gets, is not one of the team by its terms now: it
	// is shown, and neither answered nor continued.
	Fits(log []signals.Any) error
	// Driver returns the process that drives the solve of a task; "": none does. One that was
	// killed drives it for some seconds more. The error is [ErrWatched] where nothing is driven.
	Driver(ctx context.Context, task signals.Task) (process string, err error)
}

// A Seat is what a place needs to let a team work.
type Seat struct {
	// Build returns the options of a swarm whose answers are kept so.
	Build func(k Keep) (swarm.Options, error)
	// Budget is what the models spend from; nil: nothing books.
	Budget *limits.Budget
	// Watch is called for each bus before its first solve, and what it returns after the last
	// one. Nil: no bus is watched.
	Watch func(*bus.Bus) (stop func(), err error)
}

// Health is how a place is doing.
type Health struct {
	Bus    bus.Stats // of the bus of this process; zero: there is none
	Stream *Stream   // nil: the log is not on servers
	Full   error     // why what is written waits for room on the disk; nil: it does not
}

// Outage says why what is written waits, on a full disk or because no server answers; it is empty if
// it does not.
func (h *Health) Outage() string {
	switch {
	case h.Full != nil:
		return fmt.Sprintf("the journal finds no room on the disk, and goes on when there is some: %v", h.Full)
	case h.Stream != nil:
		return h.Stream.Outage()
	}
	return ""
}

// A Stream is how a log on servers is doing.
type Stream struct {
	Name      string
	Connected bool      // there is a connection, and the servers answer
	Since     time.Time // of that, or of its absence
	Problem   string    // why it is not connected
	Behind    *uint64   // messages that were not read yet; nil: nobody knows
	Dead      map[string]uint64
	Retried   uint64
	Alarms    uint64
	Compared  uint64
}

// Outage says that no server answers; it is empty if one does.
func (s *Stream) Outage() string {
	if s.Connected {
		return ""
	}
	return fmt.Sprintf("the stream %s does not answer since %s: %s", s.Name, s.Since.Format(time.RFC3339), s.Problem)
}
