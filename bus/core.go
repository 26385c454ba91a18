package bus

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/bus/internal/watch"
	"github.com/swarmbus/swarmbus/signals"
)

var (
	// ErrClosed is returned if the bus or the subscription was closed.
	ErrClosed = errors.New("bus: closed")
	// ErrInline is returned if a handler tries to wait for handlers.
	ErrInline = errors.New("bus: waiting for handlers inside a handler")
)

// core is what all parts of a bus share: the lock, the log with its clock, the
// readers, and those who wait. The parts know it and not each other.
type core struct {
	done     chan struct{}   // closed by Close
	inside   context.Context // for handlers: marked with this core, ended by Close
	cancel   context.CancelFunc
	events   *watch.List[Event]
	awaiting atomic.Int32 // number of callers that wait for readers

	_        apart
	readable atomic.Uint64 // readers that hold no lock see the entries before this position
	_        apart

	mu      sync.Mutex // protects the fields below; taken before a subscription's
	changed *sync.Cond // broadcast when a condition that somebody waits for may have become true
	state   state
	running int // goroutines of the bus
	clock   *store.Clock
	log     *store.Log

	attached []reader // that have not ended, in the order in which they came
	past     ledger   // of readers that have ended
	kept     uint64   // signals pending in past: unread by subscriptions that lagged
}

// apart separates what some processors read from what others write, to avoid
// false sharing: moving a cache line between processors takes 40 to 170 ns.
type apart [128]byte

type state uint8

const (
	open state = iota
	draining
	closed
)

func (c *core) init(log *store.Log, read *store.Clock, onError func(Settled)) {
	c.done, c.log, c.clock, c.changed = make(chan struct{}), log, read, sync.NewCond(&c.mu)
	c.events = watch.New(func(n uint64) Event { return Missed{Events: n} })
	c.inside, c.cancel = context.WithCancel(context.WithValue(context.Background(), insideKey{}, c))
	if onError == nil {
		return
	}
	log.AddReader() // events point to signals
	c.events.Add(func(e Event) {
		if s, ok := e.(Settled); ok && s.Disposition == DeadFailed {
			onError(s)
		}
	}, watch.Here())
}

// insideKey marks the context of a handler with its bus.
type insideKey struct{}

func (c *core) insideHandler(ctx context.Context) bool { return ctx.Value(insideKey{}) == c }

// waitLocked waits until ready returns true or ctx ends. ready is called with the
// lock held.
func (c *core) waitLocked(ctx context.Context, ready func() bool) error {
	if ready() {
		return nil
	}
	c.awaiting.Add(1)
	defer c.awaiting.Add(-1)
	stop := context.AfterFunc(ctx, c.tellWaiting)
	defer stop()
	for !ready() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.changed.Wait()
	}
	return nil
}

// tellWaiting wakes all waiting callers to check their conditions again.
func (c *core) tellWaiting() {
	if c.awaiting.Load() > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	}
}

// removeLocked removes a reader that ends.
func (c *core) removeLocked(r reader) {
	i := slices.Index(c.attached, r)
	c.attached = slices.Delete(c.attached, i, i+1)
}

// goLocked runs f in a goroutine that Shutdown waits for.
func (c *core) goLocked(f func()) {
	c.running++
	go func() {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.running--
			c.changed.Broadcast()
		}()
		f()
	}()
}

func (c *core) emitLocked(e Event) {
	if c.events.Watched() {
		c.events.Emit(e)
	}
}

// settledLocked reports to observers what became of a signal for a reader.
func (c *core) settledLocked(reader string, s signals.Any, f Disposition, err error) {
	if c.events.Watched() {
		c.events.Emit(Settled{Signal: s, Reader: reader, Disposition: f, Err: err})
	}
}

// showFor passes events to observers for a publisher. Inside a handler it leaves
// them to another goroutine, since an observer may wait until the handler is done.
func (c *core) showFor(ctx context.Context) {
	if c.insideHandler(ctx) {
		c.events.ShowLater()
	} else {
		c.events.Show()
	}
}
