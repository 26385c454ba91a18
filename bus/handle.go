package bus

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/bus/internal/watch"
	"github.com/swarmbus/swarmbus/signals"
)

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
	if err := signals.For[P]().Err(); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fmt.Errorf("%w: handler is nil", ErrOption)
	}
	var zero P
	h := &Handler{options: o, site: watch.Here(), run: func(ctx context.Context, s signals.Any) error {
		typed, ok := signals.As[P](s)
		if !ok {
			return fmt.Errorf("bus: payload of %q is a %T, the handler's a %T", s.Kind(), s.Body(), zero)
		}
		return f(ctx, *typed)
	}}
	return h, b.add(h, zero.Kind())
}
