package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A requirement is a check of all signals that are published.
type requirement struct{ check func(signals.Any) error }

// Require makes the bus refuse signals for which check returns an error, which is
// then that of the publisher, until release is called. A journal so refuses what it
// could not write. The bus calls check concurrently, sometimes under its lock, and
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
func (b *Bus) require(change func([]*requirement) []*requirement) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []*requirement
	if now := b.required.Load(); now != nil {
		all = slices.Clone(*now)
	}
	if all = change(all); len(all) == 0 {
		b.required.Store(nil)
		return
	}
	b.required.Store(&all)
}

// meets returns why a signal does not meet what is required of it, if it does not.
func (b *Bus) meets(s signals.Any) error {
	all := b.required.Load()
	if all == nil {
		return nil
	}
	for _, r := range *all {
		if err := r.check(s); err != nil {
			return err
		}
	}
	return nil
}
