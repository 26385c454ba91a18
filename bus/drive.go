package bus

import (
	"runtime/debug"
	"sync/atomic"
	"time"
)

// A run is one entry on its way through its handlers. The driver alone writes
// it, with the bus's lock but for the last three.
type run struct {
	chunk    *chunk // nil: none
	i        int
	handlers []*Handler
	endings  uint64 // handlers that had ended before

	began    atomic.Int32 // how many handlers were called, for the watchdog too
	returned bool         // from the last of them
	except   []exception
}

// An exception is a handler that did not simply get the signal.
type exception struct {
	handler *Handler
	fate    Fate // 0: it was not for it
	err     error
}

func (r *run) pos() uint64 { return r.chunk.start + uint64(r.i) }

// awaitLocked puts the newest entry before its handlers.
func (b *Bus) awaitLocked(c *chunk, i int, l *lane) {
	pos := c.start + uint64(i)
	if b.inline == pos {
		b.inlineChunk = c
		if len(l.handlers) == 0 {
			b.inline, b.handled = pos+1, c.seq[i]
			return
		}
	}
	if len(l.handlers) > 0 {
		c.flags[i] |= awaited
		b.undrained++
	}
}

// driveLocked moves the inline cursor to the end of the log, unless somebody
// does that already. It gives the lock away while handlers run.
func (b *Bus) driveLocked() {
	if b.driving || b.state == closed {
		return
	}
	b.driving = true
	for stale := false; b.inline < b.log.next && b.state != closed; stale = true {
		b.stepLocked(stale)
	}
	b.driving = false
	b.tellWaitingLocked()
}

// driveOn goes on where a handler ended the goroutine that called it.
func (b *Bus) driveOn() {
	b.runHandlers(&b.run)
	b.mu.Lock()
	b.settleRunLocked()
	b.driving = false
	b.driveLocked()
	b.mu.Unlock()
	b.showEvents()
}

// stepLocked takes one entry through its handlers.
func (b *Bus) stepLocked(stale bool) {
	c, i := b.inlineChunk, int(b.inline%slots)
	l := c.segment[i].shelf.lane
	if len(l.handlers) == 0 {
		b.passLocked(c, i)
		return
	}
	r := &b.run
	r.chunk, r.i, r.handlers, r.endings = c, i, l.handlers, b.endings
	r.began.Store(0)
	if stale && c.due[i] < b.clock.now() {
		b.expireRunLocked(r)
	} else {
		if b.drives++; !b.watching {
			b.watchLocked()
		}
		b.mu.Unlock()
		b.runHandlers(r)
		b.mu.Lock()
	}
	b.settleRunLocked()
}

// passLocked makes the entry handled.
func (b *Bus) passLocked(c *chunk, i int) {
	if c.flags[i]&awaited != 0 && b.undrained > 0 {
		b.undrained--
	}
	b.handled = c.seq[i]
	if b.inline++; b.inline%slots == 0 {
		b.inlineChunk = c.next
	}
}

func (b *Bus) expireRunLocked(r *run) {
	h := r.chunk.head(r.i)
	for _, handler := range r.handlers {
		fate := Fate(0)
		if r.pos() >= handler.from && handler.wants(h) {
			fate = DeadExpired
		}
		r.except = append(r.except, exception{handler, fate, nil})
	}
}

// runHandlers calls the handlers, again after each that panics: one guard for
// all costs 5 ns, one for each would cost that a handler.
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
	s, head, pos := r.chunk.peek(r.i), r.chunk.head(r.i), r.pos()
	picky := r.chunk.flags[r.i]&private != 0
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
			r.except = append(r.except, exception{h, DeadFailed, err})
		}
	}
}

// failed notes that a handler panicked. Where there was no panic it ended its
// goroutine, and another goes on.
func (b *Bus) failed(r *run, v any) {
	err := errGoexit // runtime.Goexit
	if v != nil {
		err = &PanicError{v, debug.Stack()}
	} else {
		defer b.wg.Go(b.driveOn)
	}
	r.except = append(r.except, exception{r.handlers[r.began.Load()-1], DeadFailed, err})
}

// skip notes that h does not get the signal: it is not for it, or h ended.
func (r *run) skip(h *Handler, pos uint64) {
	fate := Fate(0)
	if h.ended.Load() && pos >= h.from && h.wants(r.chunk.head(r.i)) {
		fate = DeadClosed
	}
	r.except = append(r.except, exception{h, fate, nil})
}

// settleRunLocked enters what came of the run in the books, and moves on.
func (b *Bus) settleRunLocked() {
	r := &b.run
	r.handlers[0].lane.done++
	for _, e := range r.except {
		e.handler.exceptLocked(e.fate)
	}
	if b.observed() {
		b.emitRunLocked(r)
	}
	if r.endings != b.endings {
		b.settleEndedLocked(r)
	}
	b.passLocked(r.chunk, r.i)
	r.chunk, r.handlers, r.except = nil, nil, r.except[:0]
	b.tellWaitingLocked()
}

// tellWaitingLocked lets everybody look who waits for something.
func (b *Bus) tellWaitingLocked() {
	if b.awaiting.Load() > 0 {
		b.changed.Broadcast()
	}
}

// runningLocked returns the handler that runs, nil for none.
func (b *Bus) runningLocked() *Handler {
	if began := b.run.began.Load(); b.run.chunk != nil && began > 0 {
		return b.run.handlers[began-1]
	}
	return nil
}

func (h *Handler) exceptLocked(f Fate) {
	if h.ended.Load() {
		return // settled with the ended ones
	}
	h.except++
	switch f {
	case DeadFailed:
		h.failed++
	case DeadExpired:
		h.expired++
	}
}

// settleEndedLocked settles the run for handlers that were closed in it.
func (b *Bus) settleEndedLocked(r *run) {
	for _, h := range r.handlers {
		if h.ended.Load() && h.final.Pending > 0 {
			h.final.settle(r.fateOf(h), 1)
			b.past.settle(r.fateOf(h), 1)
		}
	}
}

func (r *run) fateOf(h *Handler) Fate {
	for _, e := range r.except {
		if e.handler == h {
			return e.fate
		}
	}
	return Delivered
}

func (b *Bus) emitRunLocked(r *run) {
	for _, h := range r.handlers[:r.began.Load()] {
		e := Settled{Signal: r.chunk.signal(r.i), Reader: h.options.Agent, Fate: Delivered}
		for _, x := range r.except {
			if x.handler == h {
				e.Fate, e.Err = x.fate, x.err
			}
		}
		if e.Fate != 0 {
			b.emitLocked(e)
		}
	}
}

// watchLocked sees to it that somebody notices slow handlers.
func (b *Bus) watchLocked() {
	b.watching = true
	b.wg.Go(b.watch)
}

// watch names handlers that take long, also those that never return. It
// looks from time to time, so that a handler's call need not read the clock
// twice (46 ns), and ends when nothing is handled for a while.
func (b *Bus) watch() {
	tick := time.NewTicker(max(b.opts.Slow/4, time.Millisecond))
	defer tick.Stop()
	w := watchdog{bus: b}
	for {
		select {
		case <-b.done:
			return
		case <-tick.C:
		}
		if !w.look() {
			return
		}
		b.showEvents()
	}
}

// A watchdog remembers what it saw last.
type watchdog struct {
	bus     *Bus
	handler *Handler
	drives  uint64 // entries that were begun
	since   time.Time
	named   bool
	idle    int
}

func (w *watchdog) look() bool {
	b := w.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	h, now := b.runningLocked(), time.Now()
	if h != w.handler || b.drives != w.drives {
		w.handler, w.drives, w.since, w.named, w.idle = h, b.drives, now, false, 0
	}
	b.slowSince = w.since
	if h == nil {
		w.idle++
		b.watching = w.idle < 8
		return b.watching
	}
	if took := now.Sub(w.since); took >= b.opts.Slow && !w.named {
		w.named = true
		b.emitLocked(Slow{Reader: h.options.Agent, Site: h.site, Took: took})
	}
	return true
}
