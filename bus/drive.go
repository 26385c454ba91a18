package bus

import (
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
)

// inline is the cursor shared by all inline handlers. The bus's lock protects it.
type inline struct {
	handlers  []*Handler
	at        store.Cursor // the next entry for the handlers
	handled   uint64       // every handler is done with signals up to this one
	undrained int          // number of entries that wait for handlers
	driving   bool         // a goroutine is moving the cursor
	run       run
	endings   uint64 // number of handlers that have ended
	drives    uint64 // number of runs that have begun
}

// awaitLocked marks the newest entry as waiting for its handlers.
func (in *inline) awaitLocked(l *store.Log, s *store.Segment, i int, kind *channel) {
	if kind == nil || len(kind.handlers) == 0 {
		if in.at.Pos == s.Start+uint64(i) {
			in.at, in.handled = l.End(), s.Seq[i]
		}
		return
	}
	s.Flags[i] |= store.Awaited
	in.undrained++
	kind.intended++
}

// A run passes one entry to its handlers. Only the driver writes to it, with the
// bus's lock except for the last three fields.
type run struct {
	segment  *store.Segment // nil: none
	i        int
	channel  *channel
	handlers []*Handler
	endings  uint64 // number of handlers that had ended before
	joined   bool   // handlers of the kind began meanwhile; this entry is not for them

	began      atomic.Int32 // number of handlers called; the watchdog reads it
	returned   bool         // the last of them has returned
	exceptions []exception
}

// An exception is a handler to which the signal was not delivered.
type exception struct {
	handler     *Handler
	disposition Disposition // 0: it was not for it
	err         error
}

func (r *run) pos() uint64 { return r.segment.Start + uint64(r.i) }

// isFor reports whether the current run is for h.
func (r *run) isFor(h *Handler) bool {
	return r.segment != nil && r.channel == h.channel && r.pos() >= h.from && h.wants(r.segment.Head(r.i))
}

// How far a publisher moves the inline cursor beyond its own signals. With some
// more entries, what handlers publish is handled in the same call; the limits
// keep a publisher from working for others for long.
const (
	moreEntries = 64
	moreTime    = 10 * time.Millisecond
)

// driveLocked moves the inline cursor for a publisher, unless another goroutine is
// doing so. It releases the lock while handlers run. Handlers cannot be
// interrupted, so if the publisher's context can end, another goroutine calls them
// while the publisher waits for that goroutine or for ended.
func (b *Bus) driveLocked(ended <-chan struct{}) {
	in := &b.inline
	if in.at.Pos == b.log.Next() || in.driving || b.state == closed {
		return
	}
	in.driving = true
	own, now := b.log.Next(), b.clock.last // now is that of the commit that brought the first entry
	if ended == nil || in.undrained == 0 {
		b.driveShareLocked(own, now, ended)
		return
	}
	returned := make(chan struct{})
	b.goLocked(func() {
		defer close(returned)
		b.mu.Lock()
		b.driveShareLocked(own, now, ended)
		b.mu.Unlock()
		if isOver(ended) {
			b.showLater() // the publisher may have left
		}
	})
	b.mu.Unlock()
	select {
	case <-returned:
	case <-ended:
	}
	b.mu.Lock()
}

// driveShareLocked moves the inline cursor to the end of the log, or until the
// limits above are reached or ended is closed.
func (b *Bus) driveShareLocked(own uint64, now int64, ended <-chan struct{}) {
	in, began := &b.inline, time.Time{}
	for n := -1; in.at.Pos < b.log.Next() && b.state != closed; {
		if in.at.Pos >= own {
			if n++; n == 0 {
				began = time.Now()
			} else if n > moreEntries || isOver(ended) || time.Since(began) > moreTime {
				b.goLocked(b.driveOn)
				return
			}
		}
		b.stepLocked(now)
		now = 0
	}
	b.stopDrivingLocked()
}

func isOver(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// driveOn continues to move the cursor from where its driver left it.
func (b *Bus) driveOn() {
	b.mu.Lock()
	for b.inline.at.Pos < b.log.Next() && b.state != closed {
		b.stepLocked(0)
	}
	b.stopDrivingLocked()
	b.mu.Unlock()
	b.showLater()
}

// finishRun continues a run after a handler has ended the goroutine that called
// it.
func (b *Bus) finishRun() {
	b.runHandlers(&b.inline.run)
	b.mu.Lock()
	b.settleRunLocked()
	b.mu.Unlock()
	b.driveOn()
}

func (b *Bus) stopDrivingLocked() {
	b.inline.driving = false
	b.tellWaitingLocked()
}

// stepLocked passes one entry to its handlers at the time now; 0 reads the clock.
func (b *Bus) stepLocked(now int64) {
	in := &b.inline
	s, i, _ := in.at.Span(b.log.Next())
	kind := channelOf(s.Kind[i])
	if kind == nil || len(kind.handlers) == 0 {
		in.passLocked(s, i)
		return
	}
	r := &in.run
	r.segment, r.i, r.channel, r.handlers, r.endings = s, i, kind, kind.handlers, in.endings
	r.began.Store(0)
	if now == 0 {
		now = b.clock.now()
	}
	if s.Due[i] < now {
		b.expireRunLocked(r)
	} else {
		if in.drives++; !b.watchdog.awake {
			b.watchLocked()
		}
		b.mu.Unlock()
		b.runHandlers(r)
		b.mu.Lock()
	}
	b.settleRunLocked()
}

// passLocked marks the entry at the cursor as handled.
func (in *inline) passLocked(s *store.Segment, i int) {
	if s.Flags[i]&store.Awaited != 0 {
		in.undrained--
	}
	in.handled = s.Seq[i]
	in.at.Pos++
}

func (b *Bus) expireRunLocked(r *run) {
	h := r.segment.Head(r.i)
	for _, handler := range r.handlers {
		disposition := Disposition(0)
		if r.pos() >= handler.from && handler.wants(h) {
			disposition = DeadExpired
		}
		r.exceptions = append(r.exceptions, exception{handler, disposition, nil})
	}
}

// runHandlers calls the handlers, and resumes after each one that panics: a single
// deferred guard for all takes 5 ns, one for each would take 5 ns per handler.
func (b *Bus) runHandlers(r *run) {
	for int(r.began.Load()) < len(r.handlers) {
		b.runSome(r)
	}
}

func (b *Bus) runSome(r *run) {
	r.returned = true
	defer func() {
		if !r.returned {
			b.failed(r, recover())
		}
	}()
	s, head, pos := r.segment.Signal[r.i], r.segment.Head(r.i), r.pos()
	picky := r.segment.Flags[r.i]&store.Private != 0
	for i := int(r.began.Load()); i < len(r.handlers); {
		h := r.handlers[i]
		i++
		r.began.Store(int32(i))
		if h.ended.Load() || pos < h.from || (picky || h.options.Threads != nil) && !h.wants(head) {
			r.skip(h, pos)
			continue
		}
		r.returned = false
		err := h.run(b.inside, s)
		r.returned = true
		if err != nil {
			r.exceptions = append(r.exceptions, exception{h, DeadFailed, err})
		}
	}
}

// failed records that a handler panicked. If there was no panic, the handler ended
// its goroutine, and another one continues the run.
func (b *Bus) failed(r *run, v any) {
	err := errGoexit // runtime.Goexit
	if v != nil {
		err = &PanicError{v, debug.Stack()}
	}
	r.exceptions = append(r.exceptions, exception{r.handlers[r.began.Load()-1], DeadFailed, err})
	if v == nil {
		b.mu.Lock()
		b.goLocked(b.finishRun)
		b.mu.Unlock()
	}
}

// skip records that h does not get the signal: it is not for h, or h has ended.
func (r *run) skip(h *Handler, pos uint64) {
	disposition := Disposition(0)
	if h.ended.Load() && pos >= h.from && h.wants(r.segment.Head(r.i)) {
		disposition = DeadClosed
	}
	r.exceptions = append(r.exceptions, exception{h, disposition, nil})
}

// settleRunLocked records the results of the run, and moves the cursor on.
func (b *Bus) settleRunLocked() {
	in := &b.inline
	r := &in.run
	r.channel.done++
	if r.joined {
		r.settleJoinedLocked()
	}
	for _, e := range r.exceptions {
		e.handler.exceptLocked(e.disposition, r.pos())
	}
	if b.observed() {
		b.emitRunLocked(r)
	}
	if r.endings != in.endings {
		b.settleEndedLocked(r)
	}
	in.passLocked(r.segment, r.i)
	r.segment, r.channel, r.handlers = nil, nil, nil
	clear(r.exceptions)
	r.exceptions = r.exceptions[:0]
	b.tellWaitingLocked()
}

// settleJoinedLocked removes the run from the accounts of handlers that began
// during it.
func (r *run) settleJoinedLocked() {
	r.joined = false
	for _, h := range r.channel.handlers {
		if !slices.Contains(r.handlers, h) {
			h.doneBefore++
		}
	}
}

func (h *Handler) exceptLocked(f Disposition, pos uint64) {
	if h.ended.Load() {
		return // see settleEndedLocked
	}
	h.exceptions++
	switch {
	case f == DeadFailed:
		h.failed++
	case f == DeadExpired:
		h.expired++
	case pos >= h.from:
		h.notFor++
	}
}

// settleEndedLocked settles the run for handlers that were closed during it.
func (b *Bus) settleEndedLocked(r *run) {
	for _, h := range r.handlers {
		if h.ended.Load() && h.final.Pending > 0 {
			h.final.settle(r.dispositionOf(h), 1)
			b.past.settle(r.dispositionOf(h), 1)
		}
	}
}

func (r *run) dispositionOf(h *Handler) Disposition {
	for _, e := range r.exceptions {
		if e.handler == h {
			return e.disposition
		}
	}
	return Delivered
}

func (b *Bus) emitRunLocked(r *run) {
	for _, h := range r.handlers {
		e := Settled{Signal: r.segment.Signal[r.i], Reader: h.options.Agent, Disposition: Delivered}
		for _, x := range r.exceptions {
			if x.handler == h {
				e.Disposition, e.Err = x.disposition, x.err
			}
		}
		if e.Disposition != 0 {
			b.emitLocked(e)
		}
	}
}
