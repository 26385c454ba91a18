package agents

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A Turn is the input of an agent. The driver of the agent fills it in; a test
// builds one by hand, with the fields that its agent reads. It belongs to the
// goroutine that takes the turn. The elements of its slices are shared: they must
// not be modified, but may be kept.
type Turn struct {
	Agent  string
	Thread string
	Round  int          // of the solve, from 1
	Task   signals.Task // of the solve

	New   []signals.Any // new signals, in log order
	Heard []signals.Any // signals heard in earlier turns, oldest first; only the newest, up to a bound
	Said  []signals.Any // its own earlier signals, as in the log; bounded likewise
	// Proposals are all proposals at the beginning of the turn with their
	// votes, in log order, whether or not the agent listens to proposals.
	Proposals []Standing

	// Inbox are the coordination signals addressed to the agent that are live, oldest
	// first. An agent says that it has dealt with one by a [coordination.Resolution].
	Inbox []coordination.Signal

	Debate *Debate // the agent argues for a proposal; nil: an ordinary turn
	Ask    Ask     // what the agent has to give; 0: anything
	// Against is the id of the proposal that the votes have chosen, and that the agent is
	// asked to argue against, whatever it thinks of it, by a challenge; "": none.
	Against string

	Routed []Routed      // signals routed to custom actions, in log order
	State  routing.State // of the agent's strategy at the beginning of the turn; "": none

	Strategy string // chosen by the agent's Strategies; "": none

	Effort signals.Effort // how much thinking is asked for
	Try    int            // 0 for the first try of the turn, 1 for the first retry, and so on
	// Taking is how often the solve has stopped since the turn began, by its log, and so how
	// often the turn was taken before with the same input.
	Taking int

	Seed uint64    // of the run
	Time time.Time // the beginning of the turn, on the run's clock
	// Clock is the run's clock during the turn; a clock that is stepped by the driver
	// stands still meanwhile. It may be called concurrently. Nil: the machine's.
	Clock func() time.Time
	Most  int // maximum number of signals; 0 means 16

	// Cause is the trace context of the swarm's turn, where the agent takes it in another
	// process; nil: there is none.
	Cause *signals.Trace

	draws draws
	trace *signals.Trace // the turn's trace context
}

// Draws are the random numbers, ids and numbers that a turn has begun to draw.
type draws struct {
	random *rand.Rand
	mint   *signals.Mint
	ids    uint64
	calls  int
}

// Routed is a signal for a custom action of the agent.
type Routed struct {
	Action string
	Signal signals.Any
}

type turnKey struct{}

func withTurn(ctx context.Context, t *Turn) context.Context {
	if TurnOf(ctx) == t {
		return ctx
	}
	return context.WithValue(ctx, turnKey{}, t)
}

// TurnOf returns the turn that ctx belongs to, or nil. It is for reactors to
// single signals ([On], [Each]) and for functions that a reactor calls.
func TurnOf(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Standing returns the proposal with that id and its votes, and whether there
// is one. The id may be that of any equal proposal.
func (t *Turn) Standing(id string) (Standing, bool) {
	for _, s := range t.Proposals {
		if s.Is(id) {
			return s, true
		}
	}
	return Standing{}, false
}

// Rand returns the turn's random numbers: the same for the same seed, thread,
// agent and round.
func (t *Turn) Rand() *rand.Rand {
	if t.draws.random == nil {
		t.draws.random = rand.New(rand.NewPCG(t.Seed, t.hash()))
	}
	return t.draws.random
}

// NewID returns an id for a signal that others of the same turn refer to. Like
// Rand it is reproducible.
func (t *Turn) NewID() signals.ID {
	d := &t.draws
	if d.mint == nil {
		d.mint = signals.SeededMint(strconv.FormatUint(t.Seed, 10), t.Thread, t.Agent, strconv.Itoa(t.Round))
	}
	d.ids++
	// Only a log gives ids in the form of a mint's; with another prefix the
	// rest is just as unique.
	return signals.MustID("turn_" + strings.TrimPrefix(d.mint.ID(d.ids, t.Time).String(), "sig_"))
}

// NextCall returns the number of the next call that the turn makes of a tool, from 1: its
// place in a record of the turn.
func (t *Turn) NextCall() int {
	t.draws.calls++
	return t.draws.calls
}

func (t *Turn) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %d", t.Thread, t.Agent, t.Round)
	var b [8]byte
	return binary.BigEndian.Uint64(h.Sum(b[:0]))
}
