package seat

import (
	"github.com/swarmbus/swarmbus/bus"
)

// A Wake is what a solve waits for beside its turns.
type Wake struct {
	Back      chan struct{} // signaled when a turn returns
	Outside   chan struct{} // signaled when a signal is published in the thread; nil: not observed
	unobserve func()
}

// NewWake returns a wake without anything outside.
func NewWake() Wake { return Wake{Back: make(chan struct{}, 1)} }

// On signals Outside from now on: signals that are published in a thread.
func (w *Wake) On(b *bus.Bus, thread string) {
	outside := make(chan struct{}, 1)
	w.Outside = outside
	w.unobserve = b.Observe(func(e bus.Event) {
		if said, ok := e.(bus.Published); ok && said.Signal.Head().Thread == thread {
			notify(outside)
		}
	})
}

// Close ends that.
func (w *Wake) Close() {
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
