package bus

import (
	"context"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Bus]. The zero value and nil mean the defaults.
type Options struct {
	History   int           // signals kept; 0 means 1000
	TTL       time.Duration // of signals without one; 0 means 1m, <0 for ever
	Sweep     time.Duration // between sweeps; 0 means 10s, <0 only when [Bus.Sweep] is called
	Undrained int           // entries waiting for inline handlers at which Publish returns ErrBacklog; 0 means 65536
	Slow      time.Duration // a handler that takes longer is named; 0 means 100ms

	NoConflicts bool              // do not look for rival proposals
	Conflicts   *conflict.Options // nil means its defaults

	Limits signals.Limits   // of texts
	Clock  func() time.Time // called under the bus's lock; nil means time.Now
	Mint   *signals.Mint    // of ids; the bus's alone from here on; nil means signals.NewMint()
}

func (o *Options) withDefaults() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if r.History <= 0 {
		r.History = 1000
	}
	if r.TTL == 0 {
		r.TTL = time.Minute
	}
	if r.Sweep == 0 {
		r.Sweep = 10 * time.Second
	}
	if r.Undrained <= 0 {
		r.Undrained = 1 << 16
	}
	if r.Slow <= 0 {
		r.Slow = 100 * time.Millisecond
	}
	if r.Clock == nil {
		r.Clock = time.Now
	}
	if r.Mint == nil {
		r.Mint = signals.NewMint()
	}
	return r
}

// A Bus is one ordered, bounded log of signals with its readers. All methods
// may be called concurrently and inside handlers, but for those that say
// otherwise. Make one with [New].
type Bus struct {
	opts Options // never changes

	wg     sync.WaitGroup  // the sweeper
	done   chan struct{}   // closed by Close
	inside context.Context // for handlers: marked with this bus, ended by Close
	cancel context.CancelFunc

	mu       sync.Mutex // protects the fields below
	changed  *sync.Cond // broadcast when something that anyone waits for may have happened
	state    state
	sweeping bool // the sweeper runs

	last      uint64 // sequence number of the newest signal
	history   []signals.Any
	ids       map[signals.ID]signals.Any
	proposals map[proposalKey]*owner
	conflicts *conflict.Detector

	subscriptions []*Subscription
	handlers      []*Handler
	observers     []*observer
	steps         []step // not yet taken, see inline.go
	stepping      bool   // somebody takes steps
	undrained     int    // steps that have handlers to run
	handled       uint64 // every handler is done with signals up to this one
	through       uint64 // and will be up to this one after the step under way

	counts counts
	books  Books // of all readers there ever were
}

type state uint8

const (
	open state = iota
	draining
	closed
)

// New returns an empty bus. It starts no goroutine before one is needed.
func New(o *Options) *Bus {
	b := &Bus{
		opts:      o.withDefaults(),
		done:      make(chan struct{}),
		ids:       map[signals.ID]signals.Any{},
		proposals: map[proposalKey]*owner{},
	}
	b.changed = sync.NewCond(&b.mu)
	b.inside, b.cancel = context.WithCancel(context.WithValue(context.Background(), insideKey{}, b))
	b.conflicts = conflict.NewDetector(b.opts.Conflicts)
	return b
}

// Close stops delivery at once: what readers have not read is dead-lettered,
// their next read returns [ErrClosed], and so does publishing. It waits for
// nobody, works inside handlers, and may be called more than once. What is in
// the history can still be read.
func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == closed {
		return
	}
	b.state = closed
	close(b.done)
	b.cancel()
	for _, s := range b.subscriptions {
		s.endLocked(ErrClosed)
	}
	for _, h := range b.handlers {
		h.endLocked()
	}
	b.steps, b.undrained = nil, 0
	b.changed.Broadcast()
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
	if b.stepping || len(b.steps) > 0 {
		return false
	}
	for _, s := range b.subscriptions {
		if s.books.Pending > 0 {
			return false
		}
	}
	return true
}

// waitLocked waits until ready, which is asked with the lock held, or until
// ctx ends.
func (b *Bus) waitLocked(ctx context.Context, ready func() bool) error {
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
