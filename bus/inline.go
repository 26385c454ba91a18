package bus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// HandleOptions restrict the signals that an inline handler gets, in addition to
// their kind. The zero value selects all that have no recipients.
type HandleOptions struct {
	Agent   string   // the agent that handles; "" gets only signals without recipients
	Threads []string // nil: all
}

// A Handler is a registered inline handler.
type Handler struct {
	// What a run reads, in one cache line.
	run     func(context.Context, signals.Any) error
	from    uint64 // position of the first signal it may get
	options HandleOptions
	ended   atomic.Bool

	bus     *Bus
	kind    *store.Topic
	channel *channel // of the kind
	site    site     // where Handle was called

	// Protected by bus.mu. Until a handler has ended, it has delivered everything
	// that its channel is done with since it began, except for the exceptions.
	doneBefore, intendedBefore uint64
	exceptions                 uint64 // entries that were not delivered to it
	notFor                     uint64 // of these, entries that were not for it
	failed, expired            uint64
	final                      Account // once it is ended
}

// Handle calls f for every signal of P's kind from the next one on. All inline
// handlers of a bus share one cursor over its log: each signal is passed to all
// its handlers, in the order of registration, before the next one, and no two
// handlers run at once. The publisher that finds the cursor idle moves it before
// Publish returns: over its own signals, and then over at most 64 more entries or
// for 10 ms; a goroutine of the bus does the rest. If the publisher's context can
// end, another goroutine calls the handlers, and the publisher waits for it until
// the context ends; that takes a microsecond or two more than a context that cannot
// end.
//
// f may publish, subscribe, close handlers and close the bus; what it publishes
// is handled after it has returned. An f that blocks delays only other inline
// handlers and, as long as its context allows, the publisher that moved the
// cursor. An error or panic of f affects nothing else: the signal is dead-lettered
// for this handler. ctx marks calls as being inside a handler; pass it on.
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
	h.kind = pin(b.log.Kinds, string(kind))
	h.channel, h.from = channelOf(h.kind), b.log.Next()
	h.doneBefore, h.intendedBefore = h.channel.done, h.channel.intended
	if r := &b.inline.run; r.segment != nil && r.channel == h.channel {
		r.joined = true
	}
	h.channel.handlers = append(slices.Clip(h.channel.handlers), h)
	b.inline.handlers = append(b.inline.handlers, h)
	return h, nil
}

// Close ends the handler; signals that it has not handled are dead-lettered. A
// call of the handler that is running is not interrupted. Closing twice does
// nothing.
func (h *Handler) Close() {
	h.bus.mu.Lock()
	defer h.bus.mu.Unlock()
	h.closeLocked()
}

func (h *Handler) closeLocked() {
	in := &h.bus.inline
	i := slices.Index(in.handlers, h)
	if i < 0 {
		return
	}
	in.handlers = slices.Delete(in.handlers, i, i+1)
	h.channel.handlers = slices.DeleteFunc(slices.Clone(h.channel.handlers), func(other *Handler) bool { return other == h })
	h.final = h.accountLocked()
	waiting := h.final.Pending
	if in.run.isFor(h) {
		waiting-- // the run settles it
	}
	h.final.settle(DeadClosed, waiting)
	h.bus.past.add(h.final)
	h.ended.Store(true)
	in.endings++
	h.bus.log.Kinds.Unpin(h.kind)
}

func (h *Handler) wants(s *signals.Header) bool {
	return s.Recipients.Include(h.options.Agent) &&
		(h.options.Threads == nil || slices.Contains(h.options.Threads, s.Thread))
}

// accountLocked returns the account of h. Intended signals are counted when entries
// are appended, delivered ones when their run ends, pending ones in the log.
func (h *Handler) accountLocked() Account {
	if h.ended.Load() {
		return h.final
	}
	waiting, others := h.bus.waitingLocked(h)
	return Account{
		Intended:  h.channel.intended - h.intendedBefore - h.notFor - others,
		Delivered: h.channel.done - h.doneBefore - h.exceptions,
		Pending:   waiting, DeadFailed: h.failed, DeadExpired: h.expired,
	}
}

// waitingLocked counts the entries of h's kind not yet handled that are for h,
// and those that are not, from the first that it may get.
func (b *Bus) waitingLocked(h *Handler) (waiting, others uint64) {
	for c := b.inline.at; ; {
		s, from, to := c.Span(b.log.Next())
		if from == to {
			return waiting, others
		}
		for i := from; i < to; i++ {
			switch {
			case s.Kind[i] != h.kind || s.Start+uint64(i) < h.from:
			case h.wants(s.Head(i)):
				waiting++
			default:
				others++
			}
		}
		c.Pos = s.Start + uint64(to)
	}
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

// Sync waits until all inline handlers are done with the signals up to seq. It
// returns the cause of ctx's end, [ErrClosed] if the bus is closed first, and
// [ErrInline] inside a handler, since it would wait for that handler.
func (b *Bus) Sync(ctx context.Context, seq uint64) error {
	if b.insideHandler(ctx) {
		return ErrInline
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.waitLocked(ctx, func() bool { return b.inline.handled >= seq || b.state == closed })
	if err == nil && b.inline.handled < seq {
		return ErrClosed
	}
	return err
}
