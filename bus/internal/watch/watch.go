// Package watch passes the events of a log to observers.
package watch

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// most is the maximum number of events that wait for observers.
const most = 1 << 16

// A List passes events to observers, one at a time and in the order in which they
// were emitted, in the caller of [List.Show] that finds no one else doing so. Make
// one with [New]. Its methods may be called concurrently.
type List[E any] struct {
	missed  func(uint64) E
	watched atomic.Int32

	mu        sync.Mutex     // protects the fields below; not held while an observer is called
	observers []*observer[E] // never changed in place
	events    []E            // not yet passed to observers
	emitted   uint64         // number of events so far
	unseen    uint64         // number of events dropped because observers were too slow
	showing   bool           // a goroutine passes events to observers
	to        *observer[E]   // the observer that is being called, since then
	since     time.Time
}

type observer[E any] struct {
	see     func(E)
	site    *Site
	from    uint64 // number of the first event it may see
	stopped bool
}

// New returns a list without observers; missed makes the event which says that
// so many were dropped.
func New[E any](missed func(uint64) E) *List[E] { return &List[E]{missed: missed} }

// Add calls see for every event from the next one on, until stop is called, which
// reports whether it was the first to do so.
func (l *List[E]) Add(see func(E), at *Site) (stop func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &observer[E]{see: see, site: at, from: l.emitted}
	l.observers = append(slices.Clip(l.observers), o)
	l.watched.Add(1)
	return func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		if o.stopped {
			return false
		}
		o.stopped = true
		l.observers = slices.DeleteFunc(slices.Clone(l.observers), func(other *observer[E]) bool { return other == o })
		if l.watched.Add(-1) == 0 {
			l.events, l.unseen = nil, 0
		}
		return true
	}
}

// Watched reports whether there are observers. Events are made only for them.
func (l *List[E]) Watched() bool { return l.watched.Load() > 0 }

// Emit adds an event. The caller sees to their order.
func (l *List[E]) Emit(e E) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(l.observers) == 0:
	case len(l.events) >= most:
		l.unseen++
	default:
		if l.unseen > 0 {
			l.events = append(l.events, l.missed(l.unseen))
			l.emitted++
			l.unseen = 0
		}
		l.events = append(l.events, e)
		l.emitted++
	}
}

// Show passes waiting events to observers, unless another goroutine is doing so,
// and some of the events that are emitted meanwhile.
func (l *List[E]) Show() {
	if !l.Watched() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.showing {
		return
	}
	l.showing = true
	defer func() { l.showing, l.to = false, nil }()
	var share Share
	for own := len(l.events); len(l.events) > 0; own-- {
		if own <= 0 && share.Over() {
			l.ShowLater()
			return
		}
		e, number, watching := l.events[0], l.emitted-uint64(len(l.events)), l.observers
		var none E
		l.events[0] = none
		l.events = l.events[1:]
		for _, o := range watching {
			if number >= o.from && !o.stopped {
				l.show(e, o)
			}
		}
	}
}

// show calls one observer without the lock.
func (l *List[E]) show(e E, o *observer[E]) {
	l.to, l.since = o, time.Now()
	l.mu.Unlock()
	defer l.mu.Lock()                // also when an observer ends its goroutine
	defer func() { _ = recover() }() // what an observer does must not harm its caller
	o.see(e)
}

// ShowLater is Show in a new goroutine, for callers that must not run observers,
// such as those that an observer may wait for.
func (l *List[E]) ShowLater() {
	if l.Watched() {
		go l.Show()
	}
}

// Running returns where the observer that is being called was made and for how
// long it has been running; nil if none is.
func (l *List[E]) Running() (at *Site, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		return nil, 0
	}
	return l.to.site, time.Since(l.since)
}

// A Share limits for how long a caller does what others have caused. The limits
// let what a caller itself causes by its work be done in the same call.
type Share struct {
	n     int
	began time.Time
}

// Over reports whether the share is used up: after 64 more pieces of work, or 10
// ms. It is called before each piece.
func (s *Share) Over() bool {
	if s.n++; s.n == 1 {
		s.began = time.Now()
		return false
	}
	return s.n > 1+64 || time.Since(s.began) > 10*time.Millisecond
}
