package swarm

import (
	"github.com/swarmbus/swarmbus/bus"
)

// A wake is what a solve waits for beside its turns.
type wake struct {
	back      chan struct{} // signaled when a turn returns
	outside   chan struct{} // signaled when a signal is published in the thread; nil: not observed
	unobserve func()
}

func newWake() wake { return wake{back: make(chan struct{}, 1)} }

// on signals outside from now on.
func (w *wake) on(b *bus.Bus, thread string) {
	outside := make(chan struct{}, 1)
	w.outside = outside
	w.unobserve = b.Observe(func(e bus.Event) {
		if said, ok := e.(bus.Published); ok && said.Signal.Head().Thread == thread {
			notify(outside)
		}
	})
}

func (w *wake) close() {
	if w.unobserve != nil {
		w.unobserve()
	}
}

// notify signals a channel of capacity one, unless it is signaled already.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
