package bus

import "time"

// A watchdog reports handlers that take long, including those that never return.
// It polls, so that calls of handlers need not read the clock twice (46 ns), and
// sleeps if nothing is handled for a while. The bus's lock protects it.
type watchdog struct {
	awake bool
	// What it saw at the last poll.
	handler *Handler
	drives  uint64 // number of entries begun
	since   time.Time
	named   bool
	idle    int
}

// watchLocked wakes the watchdog.
func (b *Bus) watchLocked() {
	b.watchdog = watchdog{awake: true}
	b.goLocked(b.watch)
}

func (b *Bus) watch() {
	tick := time.NewTicker(max(b.opts.Slow/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-b.done:
			return
		case <-tick.C:
		}
		b.mu.Lock()
		awake := b.lookLocked()
		b.mu.Unlock()
		if !awake {
			return
		}
		b.showLater()
	}
}

// lookLocked reports the running handler if it takes long, and returns whether the
// watchdog stays awake.
func (b *Bus) lookLocked() bool {
	w, h, now := &b.watchdog, b.runningLocked(), time.Now()
	if h != w.handler || b.inline.drives != w.drives {
		*w = watchdog{awake: true, handler: h, drives: b.inline.drives, since: now}
	}
	if h == nil {
		w.idle++
		w.awake = w.idle < 8
		return w.awake
	}
	if took := now.Sub(w.since); took >= b.opts.Slow && !w.named {
		w.named = true
		b.emitLocked(Slow{Reader: h.options.Agent, Site: h.site.String(), Took: took})
	}
	return true
}

// runningLocked returns the running handler, or nil.
func (b *Bus) runningLocked() *Handler {
	r := &b.inline.run
	if began := r.began.Load(); r.segment != nil && began > 0 {
		return r.handlers[began-1]
	}
	return nil
}
