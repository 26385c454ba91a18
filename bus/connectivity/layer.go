package connectivity

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Layer]. The zero value and nil mean the defaults.
type Options struct {
	Name        string // distinguishes the layers of one bus; "" means "main"
	Suppression Suppression
	Hook        Hook // called for escalations and critical signals; nil: none

	MaxLive int // live signals of a thread at which Emit returns ErrFull; 0: no cap
	Retain  int // ended signals kept per thread, those that ended last; 0 means 65536, <0 all

	Failure func(error) // called, possibly concurrently, with errors and panics of callbacks; nil: none
}

func (o *Options) withDefaults() (Options, error) {
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
	if r.MaxLive < 0 {
		return r, &ValidationError{Field: "MaxLive", Value: strconv.Itoa(r.MaxLive), Problem: "negative"}
	}
	return r, r.Suppression.normalize()
}

// A Layer lets the parts of a swarm signal to each other over a bus. It is for
// the operator of the swarm: it may emit for every source and end every signal.
// The parts themselves get a [Component] each.
//
// All its methods may be called concurrently, and inside observers, hooks,
// resolvers and the bus's handlers, but not inside the bus's clock or a
// subscription's predicate. It starts no goroutine. Make one with [New] or
// [Rebuild].
type Layer struct {
	bus  *bus.Bus
	log  *bus.Layer
	opts Options // never changes

	// mu protects the fields below. To change the fold or the registrations,
	// the bus's lock must be held too, and taken first. So a decision made at
	// the end of the log still holds when it is committed, and queries need
	// only mu. The bus is never called with mu held.
	mu      sync.Mutex
	fold    *fold
	idle    []*batch // for reuse
	places  lookup[string, *place]
	inboxes map[string][]*Inbox // open inboxes by component
	rebuilt uint64              // position of the newest entry that the layer was rebuilt from
	hooks   map[signals.ID]chan struct{}

	observers []*observer // replaced, never changed
	queue     []*telling  // ready for the observers, in log order
	waiting   map[string][]*telling
	untold    atomic.Bool // whether the queue is not empty; written with mu held
	draining  bool
}

// New returns a layer on b without any signals and reserves its kinds: from
// then on the bus refuses them from agents. Its error is a [*ValidationError]
// for invalid options, or a [*bus.PermissionError] if an agent has already
// published one of the kinds.
func New(b *bus.Bus, o *Options) (*Layer, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	log, err := b.Layer(opts.Name, kinds...)
	if err != nil {
		return nil, invalid(err)
	}
	return &Layer{
		bus: b, log: log, opts: opts, fold: newFold(opts.Retain),
		inboxes: map[string][]*Inbox{}, hooks: map[signals.ID]chan struct{}{}, waiting: map[string][]*telling{},
	}, nil
}

// errNothing ends a commit if there is nothing to write.
var errNothing = errors.New("connectivity: nothing to write")

// commit atomically appends the entries that decide puts into the batch to the
// log and folds them. decide runs with both locks held; committed, which may be
// nil, runs after the fold. The changes are valid only until committed returns.
func (l *Layer) commit(ctx context.Context, decide func(*batch) error, committed func([]change)) error {
	return l.write(ctx, true, decide, committed)
}

// record is commit for changes of signals that are in the log, which the bus does
// not refuse for lack of room.
func (l *Layer) record(ctx context.Context, decide func(*batch) error) error {
	return l.write(ctx, false, decide, nil)
}

func (l *Layer) write(ctx context.Context, waits bool, decide func(*batch) error, committed func([]change)) (err error) {
	var b *batch
	decided := func(at bus.Moment) ([]signals.Any, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		b = l.batchLocked()
		b.at, b.entries = at, b.entries[:0]
		err := decide(b)
		if err != nil {
			l.retireLocked(b)
		}
		return b.entries, err
	}
	folded := func(receipts []bus.Receipt) {
		l.mu.Lock()
		defer l.mu.Unlock()
		changes := l.foldLocked(b, receipts)
		if committed != nil {
			committed(changes)
		}
		l.fold.sweep()
		l.retireLocked(b)
	}
	if waits {
		err = l.log.Append(ctx, decided, folded)
	} else {
		err = l.log.Record(ctx, decided, folded)
	}
	if err == errNothing { //nolint:errorlint // it is never wrapped, and all suppressed emissions end here
		return nil
	}
	return err
}

func (l *Layer) foldLocked(b *batch, receipts []bus.Receipt) []change {
	changes := l.fold.changes[:0]
	for i, s := range b.entries {
		h := signals.HeadOf(s)
		h.Seq, h.ID, h.Time = receipts[i].Seq, receipts[i].ID, receipts[i].Time
		changes = l.fold.apply(s, changes)
	}
	l.fold.changes = changes
	return changes
}

// atEnd calls do with both locks held and the position of the log's next entry.
func (l *Layer) atEnd(do func(next uint64)) {
	_ = l.commit(context.Background(), func(b *batch) error {
		do(b.at.Seq)
		return errNothing
	}, nil)
}

// Get returns the signal with that id, and whether the layer holds it.
func (l *Layer) Get(id signals.ID) (Signal, bool) {
	if s, held := l.look(id); held {
		return s, true
	}
	l.bus.Last() // waits for a commit in progress: a reader of the bus may be ahead of the fold
	return l.look(id)
}

func (l *Layer) look(id signals.ID) (Signal, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.fold.find(id)
	if r == nil {
		return Signal{}, false
	}
	return r.signal(), true
}

// Query returns the signals that q selects: at most 50 live ones, newest first,
// if q names only the thread. It usually takes time linear in the result. Its
// error is a [*ValidationError] for a query that no signal can match.
func (l *Layer) Query(q Query) ([]Signal, error) {
	if err := q.check(); err != nil {
		return nil, invalid(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold.threads.get(q.Thread).query(&q), nil
}

// Converged reports whether a thread is ready for its answer, and the
// obstacles.
func (l *Layer) Converged(thread string) Convergence {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold.threads.get(thread).convergence()
}

// Unacknowledged returns the unanswered critical signals of a thread, oldest
// first. A signal leaves the list when it is resolved or when a critical
// signal, which then is on the list, replaces it.
func (l *Layer) Unacknowledged(thread string) []Signal {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold.threads.get(thread).unacknowledged()
}

// Mode returns the mode that the hook requested for the thread's newest signal
// for which it requested one, or 0.
func (l *Layer) Mode(thread string) Mode {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.fold.threads.get(thread); t != nil {
		return t.mode
	}
	return 0
}

// Step returns the current step of a thread, which begins at 0.
func (l *Layer) Step(thread string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold.stepOf(thread)
}

// fail reports an error of a callback.
func (l *Layer) fail(err error) {
	if l.opts.Failure != nil && err != nil {
		_ = guard(func() error { l.opts.Failure(err); return nil })
	}
}

func without[T comparable](all []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(y T) bool { return x == y })
}
