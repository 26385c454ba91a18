package connectivity

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
)

// An Observer is told of every event of every signal: see [Layer.OnSignal].
type Observer func(context.Context, Signal, Event)

type observer struct{ see Observer }

// A telling is the events of one flight, for the observers.
type telling struct {
	events []happening
	held   bool // until the hook has returned
}

type happening struct {
	signal Signal
	event  Event
}

// OnSignal calls f for every event from the next one on. Observers are called
// one event at a time, and those of one signal in order: emitted before all
// else. Who observes when an event's turn comes sees it, in the order of
// registration, and a stop during it counts from the next one on.
//
// Whoever finds the observers idle calls them, usually the call that caused the
// event before it returns. f may call the layer: the events that it causes come
// after the present one. A panic of f is reported to [Options].Failure and
// harms nobody. Calling stop twice does nothing.
func (l *Layer) OnSignal(f Observer) (stop func()) {
	o := &observer{f}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.observers = append(slices.Clone(l.observers), o)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.observers = without(l.observers, o)
	}
}

// tellLocked queues what a flight did, as it is now.
func (l *Layer) tellLocked(f *flight, changes []change) {
	if len(l.observers) == 0 || len(changes) == 0 {
		return
	}
	f.told = &telling{held: f.held}
	for _, c := range changes {
		f.told.events = append(f.told.events, happening{c.record.signal(), c.event})
	}
	l.queue = append(l.queue, f.told)
	l.untold.Store(true)
}

// release lets the events of a flight go, after the hook.
func (l *Layer) release(f *flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.held = false
	if f.told != nil {
		f.told.held = false
	}
	l.retireLocked(f)
}

// drain calls the observers until nothing is left to tell, unless somebody
// does that already. Where the events of an escalation wait for its hook it
// stops; who called the hook goes on.
func (l *Layer) drain(ctx context.Context) {
	if !l.untold.Load() {
		return
	}
	l.mu.Lock()
	idle := !l.draining && l.readyLocked()
	if idle {
		l.draining = true
	}
	l.mu.Unlock()
	if !idle {
		return
	}
	finished := false
	defer func() {
		if !finished { // an observer ended this goroutine: the next caller goes on
			l.mu.Lock()
			l.draining = false
			l.mu.Unlock()
		}
	}()
	for l.tellNext(ctx) {
	}
	finished = true
}

func (l *Layer) readyLocked() bool { return len(l.queue) > 0 && !l.queue[0].held }

func (l *Layer) tellNext(ctx context.Context) bool {
	l.mu.Lock()
	if !l.readyLocked() {
		l.draining = false
		l.mu.Unlock()
		return false
	}
	head := l.queue[0]
	next := head.events[0]
	if head.events = head.events[1:]; len(head.events) == 0 {
		l.queue[0] = nil
		l.queue = l.queue[1:]
		l.untold.Store(len(l.queue) > 0)
	}
	watching := l.observers
	l.mu.Unlock()

	for _, o := range watching {
		l.fail(inside("observer", guard(func() error {
			o.see(ctx, next.signal.clone(), next.event)
			return nil
		})))
	}
	if next.event == WasEmitted && len(watching) > 0 {
		l.fail(l.activate(ctx, next.signal.ID))
	}
	return true
}

func (s *Signal) clone() Signal {
	c := *s
	c.Recipients = slices.Clone(s.Recipients)
	return c
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
