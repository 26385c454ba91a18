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
)

// A Turn is what an agent is given to react to. Whoever drives agents fills it
// in; a test builds one by hand, with the fields that its agent reads. It belongs
// to the goroutine that takes the turn. What its slices hold is shared: it must
// not be modified, and may be kept.
type Turn struct {
	Agent  string
	Thread string
	Round  int          // of the solve, from 1
	Task   signals.Task // what the solve is about

	New   []signals.Any // what the agent hears for the first time, in log order
	Heard []signals.Any // what it heard in its turns before, oldest first; the newest of it, up to a bound
	Said  []signals.Any // what it said before, as the log has it; bounded likewise
	// Proposals are the proposals when the turn began, with the votes on them,
	// in log order, whether or not the agent listens to them.
	Proposals []Standing

	Routed []Routed      // what the agent's router has a custom action for, in log order
	State  routing.State // of the agent's strategy when the turn began; "": it has none

	Strategy string // how to go about it, chosen by the agent's Strategies; "": it has none

	Effort Effort // how much thought is asked for
	Try    int    // 1 where the turn is taken again, 2 the second time, and so on; 0 the first time

	Seed uint64    // of the run
	Time time.Time // when the turn began, on the run's clock
	Most int       // signals it may say; 0 means 16

	random *rand.Rand
	mint   *signals.Mint
	ids    uint64
	trace  *signals.Trace // where the turn is in a trace
}

// Routed is a signal for a custom action of the agent, by its name.
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

// TurnOf returns the turn that ctx is inside of, nil outside any. It is for
// reactors to single signals ([On], [Each]) and for what a reactor calls.
func TurnOf(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Standing returns the proposal of that id as it stands, also by the id under
// which somebody proposed the same, and whether there is one.
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
	// Only a log gives ids in the form of a mint's; what follows the prefix
	// is as unique.
	return signals.MustID("turn_" + strings.TrimPrefix(t.mint.ID(t.ids, t.Time).String(), "sig_"))
}

func (t *Turn) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %d", t.Thread, t.Agent, t.Round)
	var b [8]byte
	return binary.BigEndian.Uint64(h.Sum(b[:0]))
}
