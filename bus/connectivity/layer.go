package connectivity

import (
	"cmp"
	"context"
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
	r.Name = cmp.Or(r.Name, "main")
	r.Retain = cmp.Or(r.Retain, 1<<16)
	if r.MaxLive < 0 {
		return r, &ValidationError{Field: "MaxLive", Value: strconv.Itoa(r.MaxLive), Problem: "negative"}
	}
	return r, r.Suppression.normalize()
}

// A Hook is called for every escalation and every critical signal, by Emit,
// after the signal is in the log and before inboxes deliver it and observers
// are called. The mode that it returns is kept for the thread: see
// [Layer.Mode]; 0 requests none. It may call the layer, but must not wait for
// the signal to be delivered. An error or panic is reported to
// [Options].Failure and has no other effect.
type Hook func(context.Context, coordination.Signal) (signals.Effort, error)

// kinds are reserved for layers.
var kinds = coordination.Kinds()

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

	// mu protects the fields below. To change the fold, the bus's lock must be
	// held too, and taken first. So a decision made at the end of the log still
	// holds when it is committed, and queries need only mu. The bus is never called
	// with mu held.
	mu        sync.Mutex
	fold      *coordination.Fold
	resolvers map[string]Resolver
	events    events
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
		bus: b, log: log, opts: opts, fold: coordination.NewFold(opts.Name, opts.Retain), resolvers: map[string]Resolver{},
		events: events{waiting: map[string][]*happened{}, hooked: map[signals.ID]*happened{}},
	}, nil
}

// view returns the result of get for a thread, which may be empty.
func view[T any](l *Layer, thread string, get func(*coordination.Thread) T) T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return get(l.fold.Thread(thread))
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
	if r := l.fold.Get(id); r != nil {
		return r.Snapshot(), true
	}
	return coordination.Signal{}, false
}

// Query returns the signals of a thread that q selects: at most 50 live ones, newest first,
// if q is zero. It usually takes time linear in the result. Its error is a
// [*ValidationError] for a value that is none of its type, such as an unknown class.
func (l *Layer) Query(thread string, q coordination.Query) (found []coordination.Signal, err error) {
	if err := checkNames("", thread); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err = l.fold.Thread(thread).Query(q)
	return found, invalid(err)
}

// Converged is [coordination.Thread.Converged] of a thread.
func (l *Layer) Converged(thread string) coordination.Convergence {
	return view(l, thread, (*coordination.Thread).Converged)
}

// Unacknowledged is [coordination.Thread.Unacknowledged] of a thread.
func (l *Layer) Unacknowledged(thread string) []coordination.Signal {
	return view(l, thread, (*coordination.Thread).Unacknowledged)
}

// Mode is [coordination.Thread.Mode] of a thread.
func (l *Layer) Mode(thread string) signals.Effort {
	return view(l, thread, (*coordination.Thread).Mode)
}

// Step is [coordination.Thread.Step] of a thread.
func (l *Layer) Step(thread string) int { return view(l, thread, (*coordination.Thread).Step) }

// fail reports an error of a callback.
func (l *Layer) fail(err error) {
	if l.opts.Failure != nil && err != nil {
		_ = guard("failure", func() error { l.opts.Failure(err); return nil })
	}
}
