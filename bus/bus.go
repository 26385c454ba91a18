package bus

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A Bus is one ordered, bounded log of signals with its readers. All methods
// may be called concurrently and inside handlers, except those that say
// otherwise. Make one with [New].
type Bus struct {
	opts Options // never changes

	done   chan struct{}   // closed by Close
	inside context.Context // for handlers: marked with this bus, ended by Close
	cancel context.CancelFunc

	reserved atomic.Pointer[map[signals.Kind]bool] // kinds of layers; replaced, never changed
	required atomic.Pointer[[]*requirement]        // nil: none; replaced, never changed
	watched  atomic.Int32                          // number of observers; if there are any, readers report events
	awaiting atomic.Int32                          // number of callers that wait for readers

	_        apart
	readable atomic.Uint64 // readers that hold no lock see the entries before this position
	_        apart

	mu      sync.Mutex // protects the fields below; taken before a subscription's
	changed *sync.Cond // broadcast when a condition that somebody waits for may have become true
	state   state
	running int // goroutines of the bus
	clock   clock
	log     *store.Log

	rules    admission
	spoken   bool // an agent has published: layers can no longer reserve any kind
	fold     *conflict.Fold
	opened   []opening // by the signals being published; their conflict signals follow
	sweeping bool      // the sweeper runs

	subscriptions []*Subscription
	everyone      queue  // readers that wait for any signal
	checkAt       uint64 // position at which some subscription may reach a bound

	inline   inline
	watchdog watchdog

	observers []*observer // never changed in place
	events    []Event     // not yet passed to observers
	emitted   uint64      // number of events so far
	unseen    uint64      // number of events dropped because observers were too slow
	showing   *showing    // nil: no goroutine passes events to observers

	past Account // of readers that have ended
	kept uint64  // signals pending in past: unread by subscriptions that lagged
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

// New returns an empty bus. It starts goroutines only when they are needed. Its
// error is an [*OptionError] that names the invalid field.
func New(o *Options) (*Bus, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Bus{
		opts: opts, done: make(chan struct{}), checkAt: ^uint64(0),
		log:   store.New(opts.History, opts.Mint),
		rules: newAdmission(&opts),
		fold:  conflict.NewFold(opts.Conflicts),
	}
	reserved := map[signals.Kind]bool{}
	for _, k := range opts.Reserved {
		reserved[k] = true
	}
	b.reserved.Store(&reserved)
	b.clock.read = opts.Clock
	b.clock.drop()
	b.changed = sync.NewCond(&b.mu)
	b.inline.at = b.log.End()
	b.inside, b.cancel = context.WithCancel(context.WithValue(context.Background(), insideKey{}, b))
	if f := opts.OnError; f != nil {
		b.Observe(func(e Event) {
			if s, ok := e.(Settled); ok && s.Disposition == DeadFailed {
				f(s)
			}
		})
	}
	return b, nil
}

// Unsubscribe closes all subscriptions and inline handlers of an agent, and returns how
// many there were. It does not keep the agent from subscribing again.
func (b *Bus) Unsubscribe(agent string) (ended int) {
	b.mu.Lock()
	for _, h := range slices.Clone(b.inline.handlers) {
		if h.options.Agent == agent {
			h.closeLocked()
			ended++
		}
	}
	for _, s := range slices.Clone(b.subscriptions) {
		if s.options.Agent == agent {
			s.mu.Lock()
			s.closeLocked()
			s.mu.Unlock()
			ended++
		}
	}
	b.mu.Unlock()
	b.showEvents()
	return ended
}

// Close stops delivery at once: unread signals are dead-lettered, and reading
// and publishing return [ErrClosed] from then on. Close does not wait, works
// inside handlers, and may be called more than once. The history can still be
// read.
func (b *Bus) Close() {
	b.mu.Lock()
	if b.state != closed {
		b.closeLocked()
	}
	b.mu.Unlock()
	b.showEvents()
}

func (b *Bus) closeLocked() {
	b.state = closed
	close(b.done)
	b.cancel()
	for _, h := range slices.Clone(b.inline.handlers) {
		h.closeLocked()
	}
	for _, s := range slices.Clone(b.subscriptions) {
		s.mu.Lock()
		s.closeLocked()
		s.mu.Unlock()
	}
	b.past.settle(DeadClosed, b.kept) // their readers notice at the next call
	b.kept = 0
	b.changed.Broadcast()
}

// Shutdown refuses new signals, waits until every handler and subscription has
// received what was published, then closes the bus and waits for its goroutines.
// If ctx ends first, it closes the bus at once and returns the context's error.
// It does not wait for observers, and returns if the bus is closed meanwhile.
// Inside a handler it returns [ErrInline] and does nothing.
func (b *Bus) Shutdown(ctx context.Context) error {
	if b.insideHandler(ctx) {
		return ErrInline
	}
	b.mu.Lock()
	if b.state == open {
		b.state = draining
		b.changed.Broadcast()
	}
	err := b.waitLocked(ctx, b.drainedLocked)
	b.mu.Unlock()
	b.Close()
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waitLocked(ctx, func() bool { return b.running == 0 && !b.inline.driving })
}

func (b *Bus) drainedLocked() bool {
	if b.state == closed {
		return true
	}
	if b.inline.driving || b.inline.at.Pos < b.log.Next() {
		return false
	}
	return !slices.ContainsFunc(b.subscriptions, func(s *Subscription) bool { return s.accountLocked().Pending > 0 }) &&
		b.past.Pending == 0
}

// waitLocked waits until ready returns true or ctx ends. ready is called with the
// lock held.
func (b *Bus) waitLocked(ctx context.Context, ready func() bool) error {
	if ready() {
		return nil
	}
	b.awaiting.Add(1)
	defer b.awaiting.Add(-1)
	return b.sleepLocked(ctx, ready)
}

// sleepLocked is waitLocked for conditions that readers do not report after every
// read.
func (b *Bus) sleepLocked(ctx context.Context, ready func() bool) error {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changed.Broadcast()
	})
	defer stop()
	for !ready() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.changed.Wait()
	}
	return nil
}

// tellWaitingLocked wakes all waiting callers to check their conditions again.
func (b *Bus) tellWaitingLocked() {
	if b.awaiting.Load() > 0 {
		b.changed.Broadcast()
	}
}

// goLocked runs f in a goroutine that Shutdown waits for.
func (b *Bus) goLocked(f func()) {
	b.running++
	go func() {
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.running--
			b.changed.Broadcast()
		}()
		f()
	}()
}

// Sweep frees the room of expired signals and reports them to observers. The bus
// does so regularly by itself; expired signals are never returned or delivered,
// swept or not. Sweep takes next to no time if nothing has expired. Otherwise it
// checks each of the history's blocks of 1024 and the segments in which something
// has expired. Publishers wait for one block at most.
func (b *Bus) Sweep() {
	b.sweep()
	b.showEvents()
}

func (b *Bus) sweep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.now()
	due := b.log.Due(now)
	for pos := b.log.Floor(); due && pos < b.log.Next(); {
		var due bool
		if pos, due = b.log.Expire(pos, now, b.inline.at.Pos, b.lostLocked()); due {
			b.mu.Unlock()
			b.mu.Lock()
			pos = max(pos, b.log.Floor()) // publishers may have moved it
		}
	}
	b.conflictsEndedLocked(b.fold.Expire(now), false)
	b.rules.forgetIdle(now)
}

func (b *Bus) startSweeperLocked() {
	if b.sweeping || b.opts.Sweep < 0 || b.state == closed {
		return
	}
	b.sweeping = true
	b.goLocked(func() {
		tick := time.NewTicker(b.opts.Sweep)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.sweep()
				b.showLater()
			case <-b.done:
				return
			}
		}
	})
}

// lostLocked returns what the log calls for entries that leave the history,
// nil if nobody needs to know.
func (b *Bus) lostLocked() func(*store.Segment, int, bool) {
	if !b.observed() && b.opts.Bytes == 0 {
		return nil
	}
	return func(s *store.Segment, i int, expired bool) {
		b.rules.lost(s.Head(i).Source, s.Signal[i])
		if expired {
			b.emitLocked(Expired{s.Signal[i]})
		} else {
			b.emitLocked(Evicted{s.Signal[i]})
		}
	}
}
