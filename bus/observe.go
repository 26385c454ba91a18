package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/watch"
	"github.com/swarmbus/swarmbus/signals"
)

// Observe calls f for every event from the next one on, one at a time and in the
// order in which they happened, concurrently with handlers, so that a blocked
// handler can be observed. The call that causes an event, such as Publish or Next,
// passes it to the observers before it returns, unless another goroutine is doing
// so: another caller, or one of the bus, which takes over events that handlers, the
// sweeper and other callers cause meanwhile. So f may be called after Publish, and
// even Shutdown, have returned; it is not called after stop has returned, except
// for a call that is running.
//
// f must be quick: one that blocks delays the other observers and the caller that
// it runs in, and is named in [Bus.Stats]. Other callers do not wait for it: beyond
// 65536 waiting events, further ones are dropped and counted in a [Missed]. A panic
// of f is recovered and ignored. Without observers, events cost nothing.
func (b *Bus) Observe(f func(Event)) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	remove := b.events.Add(f, watch.Here())
	b.log.AddReader() // events point to signals
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if remove() {
			b.log.RemoveReader()
		}
	}
}

// Require makes the bus refuse signals for which check returns an error, until release
// is called; the publisher gets that error. A journal uses it to refuse signals that it
// cannot write. The bus calls check concurrently, sometimes under its lock, and
// before it has filled in the signal's header; check must not call the bus.
func (b *Bus) Require(check func(signals.Any) error) (release func()) {
	added := &requirement{check}
	b.require(func(all []*requirement) []*requirement { return append(all, added) })
	return func() {
		b.require(func(all []*requirement) []*requirement {
			return slices.DeleteFunc(all, func(r *requirement) bool { return r == added })
		})
	}
}

// require replaces the checks with what change makes of a copy of them.
func (a *admission) require(change func([]*requirement) []*requirement) {
	a.folds.mu.Lock()
	defer a.folds.mu.Unlock()
	all := change(slices.Clone(*a.required.Load()))
	a.required.Store(&all)
}
