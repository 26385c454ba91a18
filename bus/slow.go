package bus

import "time"

// A watchdog names handlers that take long, also those that never return. It
// looks from time to time, so that a handler's call need not read the clock
// twice (46 ns), and sleeps when nothing is handled for a while. Under the bus's
// lock.
type watchdog struct {
	awake bool
	// What it saw last.
	handler *Handler
	drives  uint64 // entries that were begun
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

// lookLocked names the handler that runs if it takes long. It reports whether
// the watchdog stays awake.
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

// runningLocked returns the handler that runs, nil for none.
func (b *Bus) runningLocked() *Handler {
	r := &b.inline.run
	if began := r.began.Load(); r.segment != nil && began > 0 {
		return r.handlers[began-1]
	}
	return nil
}
