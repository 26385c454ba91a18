package connectivity

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Layer]. The zero value and nil mean the defaults.
type Options struct {
	Name        string // tells the layers of one bus apart; "" means "main"
	Suppression Suppression
	Hook        Hook // called for escalations and critical signals; nil: none

	MaxLive int // live signals of a thread at which Emit returns ErrFull; 0: no cap
	Retain  int // ended signals kept of each thread, newest ends; 0 means 65536, <0 all

	Clock   func() time.Time // called under the layer's lock; nil: the system's, which then never goes back
	Mint    *signals.Mint    // of ids, but for those of steps; the layer's alone from here on; nil means signals.NewMint()
	Failure func(error)      // told of panics and errors that harm nobody; may be called concurrently; nil: nobody is
}

func (o *Options) withDefaults() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if r.Name == "" {
		r.Name = "main"
	}
	if r.Retain == 0 {
		r.Retain = 1 << 16
	}
	if r.Clock == nil {
		start := time.Now()
		r.Clock = func() time.Time { return start.Add(time.Since(start)) }
	}
	if r.Mint == nil {
		r.Mint = signals.NewMint()
	}
	r.Suppression = r.Suppression.withDefaults()
	return r
}

// A Layer lets the parts of a swarm signal to each other over a bus. All its
// methods may be called concurrently, and inside observers, hooks, resolvers
// and the bus's handlers. It starts no goroutine. Make one with [New] or
// [Rebuild].
type Layer struct {
	bus  *bus.Bus
	opts Options // never changes

	// mu protects the fields below. It is never held while something is
	// published, for publishing may run handlers that call the layer.
	mu      sync.Mutex
	fold    *fold
	now     time.Time
	flights []*flight // not in the fold yet
	landed  uint64    // the greatest place in the log that is known: what departs lands after it
	idle    []*flight // over, to be used again
	paper   []signals.Any
	places  map[string]*place

	publishers map[string]*bus.Publisher // by source
	system     *bus.Publisher            // never changes

	observers []*observer // replaced, never changed
	queue     []*telling
	untold    atomic.Bool // whether the queue has something; written with the lock
	draining  bool
}

// New returns a layer on b without any signals.
func New(b *bus.Bus, o *Options) *Layer {
	opts := o.withDefaults()
	return &Layer{
		bus: b, opts: opts, fold: newFold(opts.Name, opts.Retain, opts.Mint), places: map[string]*place{},
		publishers: map[string]*bus.Publisher{}, system: b.System(), landed: b.Last(),
	}
}

// lock takes the lock and folds what meanwhile got into the log.
func (l *Layer) lock() {
	l.mu.Lock()
	if len(l.flights) > 0 {
		l.landAllLocked()
	}
}

// Get returns the signal with that id, and whether the layer holds it.
func (l *Layer) Get(id signals.ID) (Signal, bool) {
	l.lock()
	defer l.mu.Unlock()
	r := l.fold.byID.find(id)
	if r == nil {
		return Signal{}, false
	}
	return r.signal(), true
}

// Query returns the signals that q picks: at most 50 live ones, newest first,
// if q names the thread alone. It costs what it returns.
func (l *Layer) Query(q Query) []Signal {
	l.lock()
	defer l.mu.Unlock()
	return l.fold.threads[q.Thread].query(&q)
}

// Converged says whether a thread is ready for its answer, and what is in the
// way. A thread without signals is ready.
func (l *Layer) Converged(thread string) Convergence {
	l.lock()
	defer l.mu.Unlock()
	return l.fold.threads[thread].convergence()
}

// Unacknowledged returns the critical signals of a thread that are live: the
// coordinator acknowledges one by resolving it. Oldest first.
func (l *Layer) Unacknowledged(thread string) []Signal {
	l.lock()
	defer l.mu.Unlock()
	return l.fold.threads[thread].unacknowledged()
}

// Mode returns what the hook asked for at the thread's newest signal that made
// it ask, 0 if it never did.
func (l *Layer) Mode(thread string) Mode {
	l.lock()
	defer l.mu.Unlock()
	if t := l.fold.threads[thread]; t != nil {
		return t.mode
	}
	return 0
}

// Step returns the step that a thread is at, from 0.
func (l *Layer) Step(thread string) int {
	l.lock()
	defer l.mu.Unlock()
	return l.stepLocked(thread)
}

func (l *Layer) stepLocked(thread string) int {
	if t := l.fold.threads[thread]; t != nil {
		return t.step
	}
	return 0
}

// nowLocked never goes back, so that windows of time mean what they say.
func (l *Layer) nowLocked() time.Time {
	if now := l.opts.Clock(); now.After(l.now) {
		l.now = now
	}
	return l.now
}

func (l *Layer) idLocked(at time.Time) signals.ID {
	l.fold.byID.raise(l.fold.byID.last + 1)
	return l.opts.Mint.ID(l.fold.byID.last, at)
}

// headerLocked returns the header of the next signal in a thread.
func (l *Layer) headerLocked(now time.Time, source, thread string, to signals.Recipients, about signals.ID) signals.Header {
	return signals.Header{
		ID: l.idLocked(now), Source: source, Thread: thread, ReplyTo: about,
		Time: now, TTL: -1, Confidence: 1, Recipients: to,
	}
}

// fail reports what harms nobody.
func (l *Layer) fail(err error) {
	if l.opts.Failure != nil && err != nil {
		_ = guard(func() error { l.opts.Failure(err); return nil })
	}
}

func without[T comparable](all []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(y T) bool { return x == y })
}
