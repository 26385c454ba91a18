package agents

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// ErrTurnFull is returned by a turn that had more to say than it may.
var ErrTurnFull = errors.New("agents: more signals than a turn may have")

// A Turn is one agent's turn: what it may draw on beside its inbox. It belongs
// to the goroutine that takes the turn.
type Turn struct {
	Agent  string
	Thread string
	Round  int
	Seed   uint64    // of the run
	Time   time.Time // when the turn began, on the run's clock
	Most   int       // signals it may say; 0 means 16
	Left   int       // signals of the inbox still to come; 0 with the last one

	random *rand.Rand
	mint   *signals.Mint
	ids    uint64
	trace  *signals.Trace // where the turn is in a trace
}

type turnKey struct{}

// TurnOf returns the turn that ctx is inside of, nil outside any.
func TurnOf(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Rand returns the turn's random numbers: the same for the same seed, thread,
// agent and round.
func (t *Turn) Rand() *rand.Rand {
	if t.random == nil {
		t.random = rand.New(rand.NewPCG(t.Seed, t.hash()))
	}
	return t.random
}

// NewID returns an id for a signal that others of the same turn refer to. It
// repeats as Rand does.
func (t *Turn) NewID() signals.ID {
	if t.mint == nil {
		t.mint = signals.SeededMint(strconv.FormatUint(t.Seed, 10), t.Thread, t.Agent, strconv.Itoa(t.Round))
	}
	t.ids++
	return t.mint.ID(t.ids, t.Time)
}

func (t *Turn) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %d", t.Thread, t.Agent, t.Round)
	var b [8]byte
	return binary.BigEndian.Uint64(h.Sum(b[:0]))
}

// Take runs one turn: the agent reacts to each signal of the inbox in order,
// and Take returns what it said. An error, a panic ([*PanicError]), the end of
// ctx or more than t.Most signals ([ErrTurnFull]) end the turn; what was said
// before that is returned with the error.
//
// A [Hook] that ctx carries sees the turn as an [OpTurn], and what is said in it
// carries the turn's place in the trace.
func (a *Agent) Take(ctx context.Context, t *Turn, inbox []signals.Any) (said []signals.Any, err error) {
	ctx, end := Start(ctx, Op{Name: OpTurn, Target: a.ID, Thread: t.Thread, Round: t.Round, Heard: inbox})
	defer func() { end(said, err) }()
	t.trace = TraceOf(ctx)
	return a.take(ctx, t, inbox)
}

func (a *Agent) take(ctx context.Context, t *Turn, inbox []signals.Any) (said []signals.Any, err error) {
	if a.TurnTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.TurnTimeout)
		defer cancel()
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{a.ID, v, debug.Stack()}
		}
	}()
	most := t.Most
	if most <= 0 {
		most = 16
	}
	ctx = context.WithValue(ctx, turnKey{}, t)
	for i, heard := range inbox {
		t.Left = len(inbox) - 1 - i
		for s, err := range a.Reactor.React(ctx, heard) {
			switch {
			case err != nil:
				return said, fmt.Errorf("agents: %s: %w", a.ID, err)
			case ctx.Err() != nil:
				return said, context.Cause(ctx)
			case s == nil:
				continue
			case len(said) == most:
				return said, fmt.Errorf("agents: %s: %w: %d", a.ID, ErrTurnFull, most)
			}
			said = append(said, t.complete(s, heard))
		}
	}
	return said, ctx.Err()
}

// complete fills in what the turn knows of a signal. What the agent claims
// itself stays, for the log to judge.
func (t *Turn) complete(s, heard signals.Any) signals.Any {
	h := s.Head()
	h.Source, h.Thread = cmp.Or(h.Source, t.Agent), cmp.Or(h.Thread, t.Thread)
	h.Round = int32(t.Round)
	if h.Trace == nil {
		h.Trace = t.trace
	}
	if h.ReplyTo.IsZero() {
		h.ReplyTo = heard.Head().ID
	}
	return signals.With(s, h)
}
