package bustest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Start is the time at which the clock of every bus of this package stands at
// first.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A Bus is a bus for one test.
type Bus struct {
	*bus.Bus
	t     testing.TB
	clock *Clock
}

// New returns a bus with a clock that stands still and fixed ids, and closes
// it when the test ends; the test fails if its account does not balance then. o may be
// nil; its clock, mint and sweep are replaced.
func New(t testing.TB, o *bus.Options) *Bus {
	t.Helper()
	var options bus.Options
	if o != nil {
		options = *o
	}
	clock := NewClock(Start)
	options.Clock, options.Mint, options.Sweep = clock.Now, signals.SeededMint("bustest"), -1
	log, err := bus.New(&options)
	if err != nil {
		t.Fatalf("bus: %v", err)
	}
	b := &Bus{log, t, clock}
	t.Cleanup(func() {
		b.Close()
		if account := b.Stats().Account; !account.Balanced() {
			t.Errorf("the account does not balance: %+v", account)
		}
	})
	return b
}

// Advance moves the clock and sweeps.
func (b *Bus) Advance(d time.Duration) {
	b.clock.Advance(d)
	b.Sweep()
}

// Inject publishes as the agent with that id, which may do everything, or as
// the system, and fails the test if that is refused.
func (b *Bus) Inject(agent string, all ...signals.Any) []bus.Receipt {
	b.t.Helper()
	from := b.System()
	if agent != bus.System {
		var err error
		if from, err = b.Agent(agent, bus.Permissions{}); err != nil {
			b.t.Fatalf("inject as %q: %v", agent, err)
		}
	}
	receipts, err := from.PublishAll(context.Background(), all...)
	if err != nil {
		b.t.Fatalf("inject as %q: %v", agent, err)
	}
	return receipts
}

// A Clock stands still until it is moved. It may be used concurrently.
type Clock struct {
	mu  sync.Mutex // protects the field below
	now time.Time
}

// NewClock returns a clock that stands at start.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now returns where the clock stands; it is a [bus.Options] Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
