package connectivity

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
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

	// mu protects the fields below. To change the threads, the bus's lock must be
	// held too, and taken first. So a decision made at the end of the log still
	// holds when it is committed, and queries need only mu. The bus is never called
	// with mu held.
	mu        sync.Mutex
	threads   map[string]*Thread
	ids       *index
	order     []*Thread // in the order in which they began; closed ones are dropped from the front
	last      uint64    // position of the newest entry
	resolvers map[string]Resolver
	hooks     map[signals.ID]chan struct{}
	tellings  tellings
}

// New returns a layer on b without any signals and reserves its kinds: from
// then on the bus refuses them from agents. Its error is a [*ValidationError]
// for invalid options, or a [*bus.PermissionError] if agents have already published
// and no other layer has reserved the kinds.
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
		bus: b, log: log, opts: opts, threads: map[string]*Thread{}, ids: newIndex(),
		resolvers: map[string]Resolver{}, hooks: map[signals.ID]chan struct{}{}, tellings: tellings{waiting: map[string][]*telling{}},
	}, nil
}

// errNothing ends a commit if there is nothing to write.
var errNothing = errors.New("connectivity: nothing to write")

// commit atomically appends the entries that decide puts into the batch to the
// log and folds them. decide runs with both locks held; committed, which may be nil, runs
// after the fold.
func (l *Layer) commit(ctx context.Context, decide func(*batch) error, committed func([]change)) error {
	return l.write(ctx, true, decide, committed)
}

// record is commit for changes of signals that are in the log, which the bus does
// not refuse for lack of room.
func (l *Layer) record(ctx context.Context, decide func(*batch) error) error {
	return l.write(ctx, false, decide, nil)
}

func (l *Layer) write(ctx context.Context, waits bool, decide func(*batch) error, committed func([]change)) (err error) {
	b := batches.Get().(*batch)
	decided := func(at bus.Moment) ([]signals.Any, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		*b = batch{layer: l.opts.Name, at: at, last: l.last, since: l.sinceLocked(nil, at.Seq), entries: b.entries[:0]}
		err := decide(b)
		return b.entries, err
	}
	folded := func(entries []signals.Any) {
		l.mu.Lock()
		defer l.mu.Unlock()
		var changes []change
		for _, s := range entries {
			changes = l.applyLocked(s, changes)
		}
		if committed != nil {
			committed(changes)
		}
	}
	if waits {
		err = l.log.Append(ctx, decided, folded)
	} else {
		err = l.log.Record(ctx, decided, folded)
	}
	b.retire()
	if err == errNothing { //nolint:errorlint // it is never wrapped, and all suppressed emissions end here
		return nil
	}
	return err
}

// applyLocked folds the next entry of the layer's log.
func (l *Layer) applyLocked(s signals.Any, changes []change) []change {
	h := s.Head()
	l.last = max(l.last, h.Seq)
	t := l.threads[h.Thread]
	if t == nil {
		t = newThread(h.Thread, l.opts.Retain, l.ids)
		l.threads[h.Thread] = t
		if len(l.order) > 2*len(l.threads) {
			l.order = slices.DeleteFunc(l.order, func(t *Thread) bool { return t.began == 0 })
		}
		l.order = append(l.order, t)
	}
	changes = t.apply(s, changes)
	if s.Kind() == KindClosed {
		delete(l.threads, h.Thread)
	}
	return changes
}

// threadLocked returns a thread, or an empty one that the layer does not hold.
func (l *Layer) threadLocked(name string) *Thread {
	if t := l.threads[name]; t != nil {
		return t
	}
	return newThread(name, l.opts.Retain, l.ids)
}

// sinceLocked returns the position at which the oldest open thread other than not
// began, or next if there is none.
func (l *Layer) sinceLocked(not *Thread, next uint64) uint64 {
	for len(l.order) > 0 && l.order[0].began == 0 {
		l.order = l.order[1:]
	}
	for _, t := range l.order {
		if t != not && t.began > 0 {
			return t.began
		}
	}
	return next
}

// view calls do with the state of a thread, which may be empty.
func (l *Layer) view(thread string, do func(t *Thread)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do(l.threadLocked(thread))
}

// Get returns the signal with that id, and whether the layer holds it.
func (l *Layer) Get(id signals.ID) (coordination.Signal, bool) {
	if s, held := l.look(id); held {
		return s, true
	}
	l.bus.Last() // waits for a commit in progress: a reader of the bus may be ahead of the fold
	return l.look(id)
}

func (l *Layer) look(id signals.ID) (coordination.Signal, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.ids.get(id); r != nil {
		return r.snapshot(), true
	}
	return coordination.Signal{}, false
}

// Query returns the signals that q selects: at most 50 live ones, newest first,
// if q names only the thread. It usually takes time linear in the result. Its
// error is a [*ValidationError] for a query that no signal can match.
func (l *Layer) Query(q Query) (found []coordination.Signal, err error) {
	if err := q.check(); err != nil {
		return nil, invalid(err)
	}
	l.view(q.Thread, func(t *Thread) { found = t.query(&q) })
	return found, nil
}

// Converged is [Thread.Converged] of a thread.
func (l *Layer) Converged(thread string) (c Convergence) {
	l.view(thread, func(t *Thread) { c = t.Converged() })
	return c
}

// Unacknowledged is [Thread.Unacknowledged] of a thread.
func (l *Layer) Unacknowledged(thread string) (all []coordination.Signal) {
	l.view(thread, func(t *Thread) { all = t.Unacknowledged() })
	return all
}

// Mode is [Thread.Mode] of a thread.
func (l *Layer) Mode(thread string) (m signals.Effort) {
	l.view(thread, func(t *Thread) { m = t.mode })
	return m
}

// Step is [Thread.Step] of a thread.
func (l *Layer) Step(thread string) (step int) {
	l.view(thread, func(t *Thread) { step = t.step })
	return step
}

// fail reports an error of a callback.
func (l *Layer) fail(err error) {
	if l.opts.Failure != nil && err != nil {
		_ = guard(func() error { l.opts.Failure(err); return nil })
	}
}
