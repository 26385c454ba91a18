package bus

import (
	"context"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// An Event is something that happened on a bus, for observers.
//
//sumtype:decl
type Event interface{ event() }

type (
	// Published says that a signal entered the log.
	Published struct {
		Signal signals.Any
		Fed    bool // by [Bus.Feed]: it was published earlier, or elsewhere
	}
	// Settled says what became of a signal for one reader.
	Settled struct {
		Signal      signals.Any
		Reader      string // the agent's id
		Disposition Disposition
		Err         error // for DeadFailed: the handler's error, or a *PanicError
	}
	// Expired says that an expired signal was swept, or evicted before that.
	Expired struct{ Signal signals.Any }
	// Evicted says that an unexpired signal left the history to make room.
	Evicted struct{ Signal signals.Any }
	// ConflictOpened says that a proposal has a rival; their conflict signal is
	// in the log.
	ConflictOpened struct{ Pair conflict.Pair }
	// ConflictEnded says that a conflict was resolved, that one of its sides
	// expired, or that its thread was closed.
	ConflictEnded struct {
		Pair     conflict.Pair
		Resolved bool
	}
	// Slow names a reader that does not keep up: a handler that took long, or a
	// subscription whose backlog is more than half full.
	Slow struct {
		Reader  string // the agent's id
		Site    string // file and line where it subscribed
		Took    time.Duration
		Pending int // how far behind its oldest unread signal is
	}
	// Missed says how many events were dropped before the next one.
	Missed struct{ Events uint64 }
)

func (Published) event()      {}
func (Settled) event()        {}
func (Expired) event()        {}
func (Evicted) event()        {}
func (ConflictOpened) event() {}
func (ConflictEnded) event()  {}
func (Slow) event()           {}
func (Missed) event()         {}

// An observer is a function that watches.
type observer struct {
	see     func(Event)
	site    site   // where Observe was called
	from    uint64 // number of the first event it may see
	stopped bool
}

// showing is an event on its way through the observers.
type showing struct {
	to    *observer
	since time.Time
}

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
// it runs in, and is named in [Stats]. Other callers do not wait for it: beyond
// 65536 waiting events, further ones are dropped and counted in a [Missed]. A panic
// of f is recovered and ignored. Without observers, events cost nothing.
func (b *Bus) Observe(f func(Event)) (stop func()) {
	o := &observer{see: f, site: callSite()}
	b.mu.Lock()
	defer b.mu.Unlock()
	o.from = b.emitted
	b.observers = append(slices.Clip(b.observers), o)
	b.watched.Add(1)
	b.log.AddReader() // events point to signals
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if i := slices.Index(b.observers, o); i >= 0 {
			b.observers = slices.Delete(slices.Clone(b.observers), i, i+1)
			b.watched.Add(-1)
			b.log.RemoveReader()
			o.stopped = true
		}
		if len(b.observers) == 0 {
			b.events, b.unseen = nil, 0
		}
	}
}

// maxEvents is the maximum number of events that wait for observers.
const maxEvents = 1 << 16

// observed reports whether there are observers; events are made only for them.
func (b *Bus) observed() bool { return len(b.observers) > 0 }

func (b *Bus) emitLocked(e Event) {
	switch {
	case len(b.observers) == 0:
	case len(b.events) >= maxEvents:
		b.unseen++
	default:
		if b.unseen > 0 {
			b.events = append(b.events, Missed{b.unseen})
			b.emitted++
			b.unseen = 0
		}
		b.events = append(b.events, e)
		b.emitted++
	}
}

// showFor is showEvents for a publisher. Inside a handler it leaves the events to
// another goroutine, since an observer may wait until the handler is done.
func (b *Bus) showFor(ctx context.Context) {
	if b.insideHandler(ctx) {
		b.showLater()
		return
	}
	b.showEvents()
}

// showEvents passes waiting events to observers, unless another goroutine is
// doing so. It also passes on some of the events that happen meanwhile, with the
// same limits as driveLocked.
func (b *Bus) showEvents() {
	if b.watched.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.showing != nil {
		return
	}
	b.showing = new(showing)
	defer func() { b.showing = nil }()
	own, began := len(b.events), time.Time{}
	for n := -own; len(b.events) > 0; n++ {
		if n == 0 {
			began = time.Now()
		} else if n > 0 && (n > moreEntries || time.Since(began) > moreTime) {
			b.showLater()
			return
		}
		e, number, watching := b.events[0], b.emitted-uint64(len(b.events)), b.observers
		b.events[0] = nil
		b.events = b.events[1:]
		for _, o := range watching {
			if number >= o.from && !o.stopped {
				b.showLocked(e, o)
			}
		}
	}
}

func (b *Bus) showLocked(e Event, o *observer) {
	b.showing.to, b.showing.since = o, time.Now()
	b.mu.Unlock()
	defer b.mu.Lock() // also when an observer ends its goroutine
	_ = guard(func() error { o.see(e); return nil })
}

// showLater passes events to observers in a new goroutine, for callers that must
// not run them, such as goroutines that Shutdown waits for: an observer may call
// Shutdown.
func (b *Bus) showLater() {
	if b.watched.Load() > 0 {
		go b.showEvents()
	}
}
