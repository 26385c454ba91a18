package seat

import (
	"context"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Wake is what a solve waits for beside its turns.
type Wake struct {
	Back    chan struct{} // signaled when a turn returns
	Outside chan struct{} // signaled when something is published in the thread that must not wait for a turn

	members   *bus.Handler
	unobserve func() // nil: only changes of the team are observed
}

// NewWake returns a wake without anything outside.
func NewWake() Wake {
	return Wake{Back: make(chan struct{}, 1), Outside: make(chan struct{}, 1)}
}

// Open signals Outside from now on when an agent joins the solve of a thread or leaves it.
func (w *Wake) Open(b *bus.Bus, thread string) (err error) {
	outside := w.Outside
	w.members, err = bus.Handle(b, bus.HandleOptions{Agent: bus.System}, func(_ context.Context, m signals.Signal[runlog.Member]) error {
		if m.Thread == thread {
			notify(outside)
		}
		return nil
	})
	return err
}

// On signals Outside from now on for all signals that are published in a thread.
func (w *Wake) On(b *bus.Bus, thread string) {
	if w.unobserve != nil {
		return
	}
	outside := w.Outside
	w.unobserve = b.Observe(func(e bus.Event) {
		if said, ok := e.(bus.Published); ok && said.Signal.Head().Thread == thread {
			notify(outside)
		}
	})
}

// Close ends that.
func (w *Wake) Close() {
	if w.members != nil {
		w.members.Close()
	}
	if w.unobserve != nil {
		w.unobserve()
	}
}

// Returned signals Back.
func (w *Wake) Returned() { notify(w.Back) }

// notify signals a channel of capacity one, unless it is signaled already.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
