package rooms

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// The limits of an agent's urgent messages.
const (
	Quota      = 5
	QuotaTurns = 20
)

// ResultBytes is the maximum length of a tool's result in the log. A longer one is cut,
// with a note at its end.
const ResultBytes = 1 << 20

var (
	// ErrFull is returned for a message that can be queued for no agent.
	ErrFull = errors.New("rooms: the queues of all who should answer are full")
	// ErrNone is wrapped by the errors for unknown rooms, agents and sections.
	ErrNone = errors.New("rooms: not found")
	// ErrLagged ends a feed whose reader did not keep up. The reader can continue from the
	// last position that it read.
	ErrLagged = errors.New("rooms: the feed lagged")
	// ErrDropped is wrapped by the error of [New] for a journal from which records were dropped:
	// chains and the numbers of sections begin with the first event, so all records have to be
	// kept.
	ErrDropped = errors.New("rooms: the journal is not whole")
	// ErrClosed is returned by a router that was closed.
	ErrClosed = errors.New("rooms: closed")
)

// Standing is an agent with the rooms that it is a member of. It hears the events that it listens to
// (room.user, room.dialogue, …), and with a CanEmit that lacks room.say it may not speak. When its turn
// begins, its Router decides about what is new, whatever it listens to: the strategy first, then the
// agent's own routes, then those of plugins. What is rejected is not in the turn, and a turn with nothing new is a pass;
// a custom action is one of the agent's Actions; an agent that is stopped passes until it is restarted.
// The state of its strategy is in the records of its turns. A Router with timers is refused.
type Standing struct {
	Agent *agents.Agent
	Rooms []string
}

// A Stubber writes the line that stands for a tool's result in later prompts. It is called
// by the goroutine of the call, possibly concurrently. If it fails, the first line of the
// result is taken.
type Stubber func(ctx context.Context, call events.Tool) (string, error)

// Options of a Router. Nil and zero fields mean the defaults.
type Options struct {
	Agents []Standing    // the roster
	Rooms  []string      // without a member at first
	Store  journal.Store // where the log is; nil: in memory
	Keys   *events.Keys  // required

	Turns  int           // that run at once; 0 means 4
	Queue  int           // messages that wait for an agent, at each level; 0 means 64
	Mail   int           // that waits for an agent; 0 means 64
	Hops   int           // messages of agents that answer each other; 0 means 8
	Budget int           // turns that agents' messages cause for one message of the user; 0 means 64
	Tries  int           // turns of an agent for a message that fail before it is set aside; 0 means 10
	Pause  time.Duration // of an agent after its first failure, doubled by each further one; 0 means 1s
	Most   time.Duration // maximum pause; 0 means 5m
	Stub   Stubber       // nil: the first line
	// Result is the maximum length of a tool's result in the log; 0 means ResultBytes, which is
	// the most.
	Result int

	Mint  *signals.Mint    // of the ids of records; nil means signals.NewMint()
	Clock func() time.Time // nil means the machine's
	// After returns a channel that delivers when the clock has advanced by a duration; nil
	// means time.After.
	After func(time.Duration) <-chan time.Time
}

func (o *Options) withDefaults() (Options, error) {
	r := *o
	for _, d := range []struct {
		field string
		value *int
		def   int
	}{{"turns", &r.Turns, 4}, {"queue", &r.Queue, 64}, {"mail", &r.Mail, 64}, {"hops", &r.Hops, 8}, {"budget", &r.Budget, 64}, {"tries", &r.Tries, 10}, {"result", &r.Result, ResultBytes}} {
		if err := signals.AtLeastZero(d.field, float64(*d.value)); err != nil {
			return r, err
		}
		if *d.value == 0 {
			*d.value = d.def
		}
	}
	r.Result = min(r.Result, ResultBytes)
	if r.Keys == nil {
		return r, &signals.FieldError{Field: "keys", Problem: "missing"}
	}
	if r.Store == nil {
		r.Store = new(journal.Memory)
	}
	if r.Pause == 0 {
		r.Pause = time.Second
	}
	if r.Most == 0 {
		r.Most = 5 * time.Minute
	}
	if r.Clock == nil {
		r.Clock = time.Now
	}
	if r.After == nil {
		r.After = time.After
	}
	if r.Stub == nil {
		r.Stub = FirstLine
	}
	return r, r.check()
}

// Validate returns the error that [New] would return for the options, without making a router:
// a [*signals.FieldError], or the error of an agent's own Validate.
func (o *Options) Validate() error {
	_, err := o.withDefaults()
	return err
}

func (o *Options) check() error {
	names := map[string]string{}
	for _, s := range o.Agents {
		if s.Agent == nil {
			return &signals.FieldError{Field: "agent", Problem: "missing"}
		}
		if err := errors.Join(s.Agent.Validate(), events.CheckAgent("agent", s.Agent.ID)); err != nil {
			return err
		}
		if r := s.Agent.Router; r != nil && r.Timed() {
			return &signals.FieldError{Field: "agent.router", Value: s.Agent.ID, Problem: "has timers, which run in solves and not in rooms"}
		}
		// Key files and mentions do not distinguish cases.
		folded := strings.ToLower(s.Agent.ID)
		if other, taken := names[folded]; taken {
			return &signals.FieldError{Field: "agent", Value: s.Agent.ID, Problem: "there is " + other + " already"}
		}
		names[folded] = s.Agent.ID
		for _, room := range s.Rooms {
			if err := events.CheckName("room", room); err != nil {
				return err
			}
		}
	}
	for _, room := range o.Rooms {
		if err := events.CheckName("room", room); err != nil {
			return err
		}
	}
	return nil
}

// FirstLine is a [Stubber] that takes the first line of the result.
func FirstLine(_ context.Context, call events.Tool) (string, error) {
	return roomlog.FirstLine(*call.Result), nil
}
