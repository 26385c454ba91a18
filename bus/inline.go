package bus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

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
	kind    signals.Kind
	site    string // where Handle was called
	run     func(context.Context, signals.Any) error

	// Protected by bus.mu.
	ended bool
	since time.Time // when the run under way began; zero: none
	books Books
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
	if err := signals.For[P]().Err(); err != nil {
		return nil, err
	}
	o.Threads = slices.Clone(o.Threads)
	h := &Handler{bus: b, options: o, kind: zero.Kind(), site: callSite()}
	h.run = func(ctx context.Context, s signals.Any) error {
		typed, ok := signals.As[P](s)
		if !ok {
			return fmt.Errorf("bus: payload of %q is a %T, the handler's a %T", s.Kind(), s.Body(), zero)
		}
		return f(ctx, *typed)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != open {
		return nil, ErrClosed
	}
	b.handlers = append(b.handlers, h)
	return h, nil
}

// Close ends the handler; signals that it has not handled are dead-lettered.
// A run under way goes on. Closing twice does nothing.
func (h *Handler) Close() {
	b := h.bus
	b.mu.Lock()
	if i := slices.Index(b.handlers, h); i >= 0 {
		b.handlers = slices.Delete(b.handlers, i, i+1)
		h.endLocked()
	}
	b.mu.Unlock()
	b.takeSteps()
}

func (h *Handler) wants(s signals.Any) bool {
	head := s.Head()
	return h.kind == s.Kind() && head.Recipients.Include(h.options.Agent) &&
		(h.options.Threads == nil || slices.Contains(h.options.Threads, head.Thread))
}

// endLocked dead-letters what the handler has not begun.
func (h *Handler) endLocked() {
	h.ended = true
	waiting := h.books.Pending
	if !h.since.IsZero() {
		waiting--
	}
	h.bus.settleLocked(&h.books, DeadClosed, waiting)
}

// A step is one entry of the inline cursor's way: a signal with the handlers
// that want it, or an event for the observers.
type step struct {
	signal   signals.Any
	handlers []*Handler
	through  uint64 // the signal's sequence number, or the last one that no handler wants behind it
	event    Event
}

func (b *Bus) queueLocked(s signals.Any) {
	var wanting []*Handler
	for _, h := range b.handlers {
		if h.wants(s) {
			wanting = append(wanting, h)
			b.intendLocked(&h.books)
		}
	}
	seq := s.Head().Seq
	switch {
	case wanting != nil:
		b.undrained++
		b.steps = append(b.steps, step{signal: s, handlers: wanting, through: seq})
	case b.undrained == 0:
		b.handled = seq
	default:
		b.passLocked(seq)
	}
}

// passLocked notes that no handler wants the signal: it is handled when the
// one before it is, and takes no room until then.
func (b *Bus) passLocked(seq uint64) {
	for i := len(b.steps) - 1; i >= 0; i-- {
		if b.steps[i].handlers != nil {
			b.steps[i].through = seq
			return
		}
	}
	b.through = seq // of the step under way
}

// takeSteps moves the inline cursor to the end of the log, unless somebody
// does that already.
func (b *Bus) takeSteps() {
	b.mu.Lock()
	idle := !b.stepping
	b.stepping = true
	b.mu.Unlock()
	if !idle {
		return
	}
	b.keepStepping()
}

// keepStepping is for who set b.stepping.
func (b *Bus) keepStepping() {
	finished := false
	defer func() {
		if !finished { // a handler ended its goroutine: go on in another
			b.wg.Go(b.keepStepping)
		}
	}()
	for {
		next, ok := b.nextStep()
		if !ok {
			finished = true
			return
		}
		b.take(next)
	}
}

func (b *Bus) nextStep() (step, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.steps) == 0 {
		b.stepping = false
		b.changed.Broadcast()
		return step{}, false
	}
	next := b.steps[0]
	b.steps = b.steps[1:]
	b.through = max(b.through, next.through)
	return next, true
}

func (b *Bus) take(s step) {
	if s.event != nil {
		b.show(s.event)
		return
	}
	defer b.taken()
	for _, h := range s.handlers {
		h.handle(s.signal)
	}
}

func (b *Bus) taken() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != closed {
		b.undrained--
	}
	b.handled = b.through
	b.changed.Broadcast()
}

// handle runs the handler and enters what came of it in the books.
func (h *Handler) handle(s signals.Any) {
	b := h.bus
	start := time.Now()
	b.mu.Lock()
	if h.ended {
		b.mu.Unlock()
		return
	}
	if head := s.Head(); head.Expired(b.opts.Clock()) {
		b.settleLocked(&h.books, DeadExpired, 1)
		b.emitLocked(Settled{Signal: s, Reader: h.options.Agent, Fate: DeadExpired})
		b.mu.Unlock()
		return
	}
	h.since = start
	b.mu.Unlock()

	err := errGoexit
	defer func() {
		took := time.Since(start)
		fate := Delivered
		if err != nil {
			fate = DeadFailed
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		h.since = time.Time{}
		b.settleLocked(&h.books, fate, 1)
		b.emitLocked(Settled{Signal: s, Reader: h.options.Agent, Fate: fate, Err: err})
		if took > b.opts.Slow {
			b.emitLocked(Slow{Reader: h.options.Agent, Site: h.site, Took: took})
		}
	}()
	err = guard(func() error { return h.run(b.inside, s) })
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
	b.takeSteps()
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.waitLocked(ctx, func() bool { return b.handled >= seq || b.state == closed })
	if err == nil && b.handled < seq {
		return ErrClosed
	}
	return err
}
