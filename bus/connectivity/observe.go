package connectivity

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// An Observer is called for every event of every signal: see [Layer.OnSignal].
type Observer func(context.Context, coordination.Signal, Event)

type observer struct{ see Observer }

// Tellings are the events that the observers have not seen yet. The layer's lock protects
// them.
type tellings struct {
	observers []*observer // replaced, never changed
	queue     []*telling  // ready for the observers, in log order
	waiting   map[string][]*telling
	draining  bool
}

// A telling is the events of one commit, for the observers.
type telling struct {
	events []happening
	one    [1]happening  // backing array for the usual single event
	over   chan struct{} // closed when the hook has returned; nil: no hook to wait for
}

type happening struct {
	signal coordination.Signal
	event  Event
}

// OnSignal calls f for every event from the next one on. Observers are called
// for one event at a time, and for the events of one thread in order, a
// signal's Emitted first. The observers registered when an event is delivered
// see it, in the order of registration; a stop during an event takes effect
// from the next one.
//
// The call that finds the observers idle runs them: usually the one that caused
// the event, before it returns. f may call the layer: events that it causes are
// delivered after the present one. A panic of f is reported to
// [Options].Failure and has no other effect. Calling stop twice does nothing.
func (l *Layer) OnSignal(f Observer) (stop func()) {
	o := &observer{f}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tellings.observers = append(slices.Clone(l.tellings.observers), o)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.tellings.observers = slices.DeleteFunc(slices.Clone(l.tellings.observers), func(x *observer) bool { return x == o })
	}
}

// tellLocked queues the events of a commit in a thread, with the signals in
// their current state. Events that a hook is called for wait until it has
// returned, and so do later events of the same thread; other threads do not
// wait.
func (l *Layer) tellLocked(thread string, changes []change, hooked bool) *telling {
	observed := len(l.tellings.observers) > 0 && len(changes) > 0
	if !observed && !hooked {
		return nil
	}
	t := &telling{}
	t.events = t.one[:0]
	if hooked {
		t.over = make(chan struct{})
	}
	if !observed {
		return t
	}
	for _, c := range changes {
		t.events = append(t.events, happening{c.record.snapshot(), c.event})
	}
	if waiting := l.tellings.waiting[thread]; hooked || len(waiting) > 0 {
		l.tellings.waiting[thread] = append(waiting, t)
	} else {
		l.tellings.queue = append(l.tellings.queue, t)
	}
	return t
}

// release lets the events that waited for the hook be delivered.
func (l *Layer) release(thread string, id signals.ID, t *telling) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(t.over)
	t.over = nil
	delete(l.hooks, id)
	waiting := l.tellings.waiting[thread]
	for len(waiting) > 0 && waiting[0].over == nil {
		l.tellings.queue = append(l.tellings.queue, waiting[0])
		waiting = waiting[1:]
	}
	if l.tellings.waiting[thread] = waiting; len(waiting) == 0 {
		delete(l.tellings.waiting, thread)
	}
}

// drain calls the observers until the queue is empty, unless another goroutine
// is already doing so.
func (l *Layer) drain(ctx context.Context) {
	l.mu.Lock()
	busy := len(l.tellings.queue) == 0 || l.tellings.draining
	l.tellings.draining = l.tellings.draining || !busy
	l.mu.Unlock()
	if busy {
		return
	}
	finished := false
	defer func() {
		if !finished { // an observer exited this goroutine: the next caller continues
			l.mu.Lock()
			l.tellings.draining = false
			l.mu.Unlock()
		}
	}()
	for l.tellNext(ctx) {
	}
	finished = true
}

// next returns the next event and its observers. If there is none, draining
// ends.
func (l *Layer) next() (h happening, watching []*observer, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := &l.tellings
	if len(q.queue) == 0 {
		q.queue, q.draining = nil, false
		return h, nil, false
	}
	head := q.queue[0]
	h = head.events[0]
	if head.events = head.events[1:]; len(head.events) == 0 {
		q.queue[0] = nil
		q.queue = q.queue[1:]
	}
	return h, l.tellings.observers, true
}

func (l *Layer) tellNext(ctx context.Context) bool {
	h, watching, more := l.next()
	seen := false
	for _, o := range watching {
		err := guard(func() error {
			o.see(ctx, clone(h.signal), h.event)
			return nil
		})
		seen = seen || err == nil
		l.fail(inside("observer", err))
	}
	if seen && h.event == WasEmitted {
		l.fail(l.activate(ctx, h.signal.ID))
	}
	return more
}

func clone(s coordination.Signal) coordination.Signal {
	s.Recipients = slices.Clone(s.Recipients)
	return s
}

func inside(where string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("connectivity: %s: %w", where, err)
}

// guard turns a panic of f into an error.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &bus.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
