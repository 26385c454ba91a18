package bus

import (
	"context"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// An Event is something that happened on a bus, for those who watch it.
//
//sumtype:decl
type Event interface{ event() }

type (
	// Published says that a signal entered the log.
	Published struct {
		Signal signals.Any
		Fed    bool // by [Bus.Feed]: it was published earlier, or elsewhere
	}
	// Settled says that one reader is done with one signal.
	Settled struct {
		Signal signals.Any
		Reader string // the agent's id
		Fate   Fate
		Err    error // for DeadFailed: the handler's error, or a *PanicError
	}
	// Expired says that an expired signal was swept, or evicted before that.
	Expired struct{ Signal signals.Any }
	// Evicted says that a living signal left the history to make room.
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
	// Slow names a reader that does not keep up: a handler that took long, or
	// a subscription whose backlog is more than half full.
	Slow struct {
		Reader  string // the agent's id
		Site    string // file and line where it subscribed
		Took    time.Duration
		Pending int // how far behind its oldest unread signal is
	}
	// Missed says how many events there would have been before the next one.
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

// Observe calls f for every event from the next one on, one at a time and in
// the order in which they happened: f must be quick. It runs in whoever made
// something happen, and beside handlers, so that a handler that blocks can be
// seen. A panic of f is swallowed. An f that blocks delays other observers, is
// named in [Stats] and stops nobody else: of the events that 65536 others wait
// behind, [Missed] tells the number. stop ends it. Events cost nothing while
// nobody observes.
func (b *Bus) Observe(f func(Event)) (stop func()) {
	o := &observer{see: f, site: callSite()}
	b.mu.Lock()
	defer b.mu.Unlock()
	o.from = b.emitted
	b.observers = append(slices.Clip(b.observers), o)
	b.watched.Add(1)
	b.log.AddReader() // events point at signals
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

// maxEvents is how many events wait for observers.
const maxEvents = 1 << 16

// observed is asked before an event is made.
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

// showFor is showEvents for a publisher. One inside a handler leaves it to
// others: an observer may wait until the handler is done.
func (b *Bus) showFor(ctx context.Context) {
	if b.insideHandler(ctx) {
		b.showLater()
		return
	}
	b.showEvents()
}

// showEvents shows what happened, unless somebody does that already. What
// happens meanwhile it shows for a while, as in driveLocked.
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

// showLater shows events from a goroutine that Shutdown waits for, which an
// observer may call.
func (b *Bus) showLater() {
	if b.watched.Load() > 0 {
		go b.showEvents()
	}
}
