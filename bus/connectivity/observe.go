package connectivity

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/signals/coordination"
)

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
	l.events.observers = append(slices.Clone(l.events.observers), o)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.events.observers = slices.DeleteFunc(slices.Clone(l.events.observers), func(x *observer) bool { return x == o })
	}
}

// drain calls the observers until no event is ready, unless another goroutine is already
// doing so.
func (l *Layer) drain(ctx context.Context) {
	l.mu.Lock()
	busy := len(l.events.ready) == 0 || l.events.draining
	l.events.draining = l.events.draining || !busy
	l.mu.Unlock()
	if busy {
		return
	}
	finished := false
	defer func() {
		if !finished { // an observer exited this goroutine: the next caller continues
			l.mu.Lock()
			l.events.draining = false
			l.mu.Unlock()
		}
	}()
	for l.notify(ctx) {
	}
	finished = true
}

// notify calls the observers for the next event, and reports whether there was one.
func (l *Layer) notify(ctx context.Context) bool {
	l.mu.Lock()
	next, more := l.events.next()
	observers := l.events.observers
	l.mu.Unlock()
	if !more {
		return false
	}
	seen := false
	for _, o := range observers {
		err := guard("observer", func() error {
			o.see(ctx, clone(next.signal), next.event)
			return nil
		})
		seen = seen || err == nil
		l.fail(err)
	}
	if seen && next.event == WasEmitted {
		l.fail(l.activate(ctx, next.signal.ID))
	}
	return true
}

func clone(s coordination.Signal) coordination.Signal {
	s.Recipients = slices.Clone(s.Recipients)
	return s
}
