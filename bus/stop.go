package bus

import (
	"context"
	"slices"
)

// Close stops delivery at once: unread signals are dead-lettered, and reading
// and publishing return [ErrClosed] from then on. Close does not wait, works
// inside handlers, and may be called more than once. The history can still be
// read.
func (b *Bus) Close() {
	b.mu.Lock()
	if b.state != closed {
		b.closeLocked()
	}
	b.mu.Unlock()
	b.events.Show()
}

func (b *Bus) closeLocked() {
	b.state = closed
	close(b.done)
	b.cancel()
	b.endLocked(func(reader) bool { return true })
	b.past.settle(DeadClosed, b.kept) // their readers notice at the next call
	b.kept = 0
	b.changed.Broadcast()
}

// endLocked closes the readers that match and returns their number.
func (b *Bus) endLocked(match func(reader) bool) (ended int) {
	for _, r := range slices.Clone(b.attached) {
		if match(r) {
			r.closeLocked()
			ended++
		}
	}
	return ended
}

// Unsubscribe closes all subscriptions and inline handlers of an agent, and returns how
// many there were. It does not keep the agent from subscribing again.
func (b *Bus) Unsubscribe(agent string) (ended int) {
	b.mu.Lock()
	ended = b.endLocked(func(r reader) bool { return r.agent() == agent })
	b.mu.Unlock()
	b.events.Show()
	return ended
}

// Shutdown refuses new signals, waits until every handler and subscription has
// received what was published, then closes the bus and waits for its goroutines.
// If ctx ends first, it closes the bus at once and returns the context's error.
// It does not wait for observers, and returns if the bus is closed meanwhile.
// Inside a handler it returns [ErrInline] and does nothing.
func (b *Bus) Shutdown(ctx context.Context) error {
	if b.insideHandler(ctx) {
		return ErrInline
	}
	b.mu.Lock()
	if b.state == open {
		b.state = draining
	}
	err := b.waitLocked(ctx, b.drainedLocked)
	b.mu.Unlock()
	b.Close()
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waitLocked(ctx, func() bool { return b.running == 0 && !b.driving })
}

func (b *Bus) drainedLocked() bool {
	if b.state == closed {
		return true
	}
	if b.driving || b.at.Pos < b.log.Next() {
		return false
	}
	return b.past.by[pending] == 0 &&
		!slices.ContainsFunc(b.attached, func(r reader) bool { return r.statsLocked().Account.Pending > 0 })
}

// Sync waits until all inline handlers are done with the signals up to seq. It
// returns the cause of ctx's end, [ErrClosed] if the bus is closed first, and
// [ErrInline] inside a handler, since it would wait for that handler.
func (b *Bus) Sync(ctx context.Context, seq uint64) error {
	if b.insideHandler(ctx) {
		return ErrInline
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.waitLocked(ctx, func() bool { return b.handled >= seq || b.state == closed })
	if err == nil && b.handled < seq {
		return ErrClosed
	}
	return err
}
