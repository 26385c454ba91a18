package bus

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A Bus is one ordered, bounded log of signals with its readers. All methods
// may be called concurrently and inside handlers, but for those that say
// otherwise. Make one with [New].
type Bus struct {
	opts Options // never changes

	wg     sync.WaitGroup  // the sweeper
	done   chan struct{}   // closed by Close
	inside context.Context // for handlers: marked with this bus, ended by Close
	cancel context.CancelFunc

	reserved atomic.Pointer[map[signals.Kind]bool] // kinds of layers; replaced, never changed
	watched  atomic.Int32                          // observers, for whom readers take the lock
	awaiting atomic.Int32                          // who waits until readers have read, for whom they do too

	_        apart
	shown    atomic.Uint64 // position behind the last entry for who reads without the lock
	_        apart
	mu       sync.Mutex // protects the fields below
	changed  *sync.Cond // broadcast when something that anyone waits for may have happened
	state    state
	sweeping bool // the sweeper runs
	clock    clock

	last      uint64 // sequence number of the newest signal
	evictedTo uint64 // greatest sequence number that was evicted
	log       log
	lanes     map[signals.Kind]*lane
	sources   names
	threads   names
	foreign   map[signals.ID]uint64 // position of signals whose id is not the mint's
	echoes    bool                  // some of these look like the mint's
	replies   map[signals.ID]uint64 // position of a signal's newest reply, counted from 1
	proposals map[proposalKey]*owner
	conflicts *conflict.Detector
	opened    []opening // by what is being published; their signals follow
	buckets   map[string]*bucket
	limited   bool // there are limits

	subscriptions []*Subscription
	fading        []*Subscription // closed, with signals not settled
	borrowers     int             // open subscriptions and iterations, which read without the lock
	checkAt       uint64          // position at which some backlog may reach a bound
	everyone      queue           // readers that wait for anything

	handlers    []*Handler
	inline      uint64 // position of the next entry for the handlers
	inlineChunk *chunk // that holds it; nil: not known yet
	handled     uint64 // every handler is done with signals up to this one
	undrained   int    // entries that wait for handlers
	driving     bool   // somebody moves the inline cursor
	run         run
	endings     uint64 // handlers that ended
	drives      uint64 // runs that began
	watching    bool   // the watchdog is awake
	slowSince   time.Time

	observers []*observer // never changed in place
	events    []Event     // not shown yet
	showing   bool        // somebody shows them

	counts counts
	past   Books // of closed readers
}

// apart keeps what some processors read far enough from what others write:
// a line of the cache that both use takes 40 to 170 ns to travel.
type apart [128]byte

type state uint8

const (
	open state = iota
	draining
	closed
)

// New returns an empty bus. It starts no goroutine before one is needed. Its
// error is an [*OptionError] that names the field.
func New(o *Options) (*Bus, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Bus{
		opts:      opts,
		done:      make(chan struct{}),
		lanes:     map[signals.Kind]*lane{},
		sources:   names{byText: map[string]*name{}},
		threads:   names{byText: map[string]*name{}},
		foreign:   map[signals.ID]uint64{},
		replies:   map[signals.ID]uint64{},
		proposals: map[proposalKey]*owner{},
		buckets:   map[string]*bucket{},
		checkAt:   ^uint64(0),
	}
	b.clock.read = b.opts.Clock
	b.clock.drop()
	b.limited = b.opts.Rate > 0 || b.opts.Bytes > 0
	b.changed = sync.NewCond(&b.mu)
	b.inside, b.cancel = context.WithCancel(context.WithValue(context.Background(), insideKey{}, b))
	b.conflicts = conflict.NewDetector(b.opts.Conflicts)
	return b, nil
}

// Close stops delivery at once: what readers have not read is dead-lettered,
// their next read returns [ErrClosed], and so does publishing. It waits for
// nobody, works inside handlers, and may be called more than once. What is in
// the history can still be read.
func (b *Bus) Close() {
	subscriptions, first := b.stop()
	if !first {
		return
	}
	for _, s := range subscriptions {
		b.endSubscription(s)
	}
	b.mu.Lock()
	b.everyone.rouseAll() // the taps
	b.mu.Unlock()
	b.showEvents()
}

func (b *Bus) stop() ([]*Subscription, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == closed {
		return nil, false
	}
	b.state = closed
	close(b.done)
	b.cancel()
	for _, h := range b.handlers {
		h.endLocked()
	}
	b.handlers, b.undrained = nil, 0
	b.changed.Broadcast()
	return slices.Clone(b.subscriptions), true
}

// Shutdown refuses new signals, waits until every handler and subscription
// has what was published, then closes the bus and waits for its goroutines.
// When ctx ends first it closes the bus at once and returns the context's
// error. Inside a handler it returns [ErrInline] and does nothing.
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
	b.wg.Wait()
	return err
}

func (b *Bus) drainedLocked() bool {
	if b.driving || b.inline < b.log.next || len(b.events) > 0 {
		return false
	}
	for _, s := range slices.Concat(b.subscriptions, b.fading) {
		if s.booksLocked().Pending > 0 {
			return false
		}
	}
	return true
}

// waitLocked waits until ready, which is asked with the lock held, or until
// ctx ends.
func (b *Bus) waitLocked(ctx context.Context, ready func() bool) error {
	b.awaiting.Add(1)
	defer b.awaiting.Add(-1)
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
