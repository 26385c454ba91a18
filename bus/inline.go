package bus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/swarmbus/swarmbus/signals"
)

// HandleOptions say what an inline handler wants beside its kind. The zero
// value wants everything of that kind that is for everyone.
type HandleOptions struct {
	Agent   string   // who handles; "" gets only signals without recipients
	Threads []string // nil: all
}

// A Handler is a registered inline handler.
type Handler struct {
	bus     *Bus
	options HandleOptions
	lane    *lane
	site    string // where Handle was called
	run     func(context.Context, signals.Any) error
	from    uint64 // position of the first signal it may get

	ended atomic.Bool
	// Protected by bus.mu. While it is not ended, a handler has delivered what
	// its lane is done with, but for the exceptions that it counts itself.
	base, except uint64
	failed       uint64
	expired      uint64
	final        Books // once it is ended
}

// Handle calls f for every signal of P's kind from the next one on. All inline
// handlers of a bus are one cursor over its log: one signal, all its handlers
// in the order of registration, then the next signal, never two at once. The
// publisher that finds the cursor idle moves it, before Publish returns.
//
// f may publish, subscribe, close handlers and close the bus; what it
// publishes is handled after it returned. A blocking f delays other inline
// handlers and nothing else. An error or panic of f harms no one: the signal
// is dead-lettered for this handler. ctx tells the bus that it is inside a
// handler; pass it on.
func Handle[P signals.Payload](b *Bus, o HandleOptions, f func(ctx context.Context, s signals.Signal[P]) error) (*Handler, error) {
	var zero P
	if f == nil {
		return nil, &OptionError{"handler", nil, "nil"}
	}
	if err := signals.For[P]().Err(); err != nil {
		return nil, err
	}
	return b.handle(zero.Kind(), o, func(ctx context.Context, s signals.Any) error {
		typed, ok := signals.As[P](s)
		if !ok {
			return fmt.Errorf("bus: payload of %q is a %T, the handler's a %T", s.Kind(), s.Body(), zero)
		}
		return f(ctx, *typed)
	})
}

func (b *Bus) handle(kind signals.Kind, o HandleOptions, run func(context.Context, signals.Any) error) (*Handler, error) {
	o.Threads = slices.Clone(o.Threads)
	h := &Handler{bus: b, options: o, site: callSite(), run: run}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != open {
		return nil, ErrClosed
	}
	h.lane, h.from = b.laneLocked(kind), b.log.next
	h.base = h.lane.done
	if r := &b.run; r.chunk != nil && r.handlers[0].lane == h.lane {
		h.base++ // the run under way is not for h
	}
	h.lane.handlers = append(slices.Clip(h.lane.handlers), h)
	b.handlers = append(b.handlers, h)
	return h, nil
}

// Close ends the handler; signals that it has not handled are dead-lettered.
// A run under way goes on. Closing twice does nothing.
func (h *Handler) Close() {
	b := h.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.handlers, h); i >= 0 {
		b.handlers = slices.Delete(b.handlers, i, i+1)
		h.lane.handlers = slices.DeleteFunc(slices.Clone(h.lane.handlers), func(other *Handler) bool { return other == h })
		h.endLocked()
	}
}

func (h *Handler) wants(s *signals.Header) bool {
	return s.Recipients.Include(h.options.Agent) &&
		(h.options.Threads == nil || slices.Contains(h.options.Threads, s.Thread))
}

// endLocked dead-letters what the handler has not begun.
func (h *Handler) endLocked() {
	k := h.booksLocked()
	waiting := k.Pending
	if h.underWayLocked() {
		waiting-- // the run settles it
	}
	k.settle(DeadClosed, waiting)
	h.final = k
	b := h.bus
	b.past.add(k)
	b.endings++
	h.ended.Store(true)
}

// underWayLocked reports whether the entry being handled is for h.
func (h *Handler) underWayLocked() bool {
	r := &h.bus.run
	return r.chunk != nil && slices.Contains(r.handlers, h) && r.pos() >= h.from && h.wants(r.chunk.head(r.i))
}

// booksLocked returns what became of every signal for h.
func (h *Handler) booksLocked() Books {
	if h.ended.Load() {
		return h.final
	}
	k := Books{Delivered: h.lane.done - h.base - h.except, DeadFailed: h.failed, DeadExpired: h.expired}
	k.Pending = h.bus.pendingLocked(h)
	k.Intended = k.Delivered + k.Pending + k.Dead()
	return k
}

// pendingLocked counts the entries not yet handled that are for h.
func (b *Bus) pendingLocked(h *Handler) (n uint64) {
	c := b.inlineChunk
	for pos := b.inline; pos < b.log.next; pos++ {
		if pos > b.inline && pos%slots == 0 {
			c = c.next
		}
		i := pos % slots
		if pos >= h.from && c.segment[i].shelf.lane == h.lane && h.wants(c.head(int(i))) {
			n++
		}
	}
	return n
}

// guard turns a panic of f into an error.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return f()
}

var errGoexit = errors.New("bus: handler ended its goroutine")

// insideKey marks the context of a handler with its bus.
type insideKey struct{}

func (b *Bus) insideHandler(ctx context.Context) bool {
	return ctx.Value(insideKey{}) == b
}

// Sync waits until every inline handler is done with the signals up to seq.
// It returns why ctx ended, [ErrClosed] when the bus was closed before, and
// [ErrInline] inside a handler, which it would wait for.
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
