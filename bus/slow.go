package bus

import (
	"time"
)

// A watchdog reports handlers that take long, including those that never return.
// It polls, so that calls of handlers need not read the clock twice (46 ns), and
// sleeps if nothing is handled for a while. The bus's lock protects it.
type watchdog struct {
	awake bool
	// The state at the last poll.
	handler *Handler
	run     uint64
	since   time.Time
	named   bool
	idle    int
}

// watchLocked wakes the watchdog.
func (r *run) watchLocked() {
	if !r.watchdog.awake {
		r.watchdog = watchdog{awake: true}
		r.goLocked(r.watch)
	}
}

func (r *run) watch() {
	tick := time.NewTicker(max(r.slow/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-r.done:
			return
		case <-tick.C:
		}
		r.mu.Lock()
		awake := r.lookLocked()
		r.mu.Unlock()
		if !awake {
			return
		}
		r.events.ShowLater()
	}
}

// lookLocked reports the running handler if it takes long, and returns whether the
// watchdog stays awake.
func (r *run) lookLocked() bool {
	w, h, now := &r.watchdog, r.currentLocked(), time.Now()
	if h != w.handler || r.begun != w.run {
		*w = watchdog{awake: true, handler: h, run: r.begun, since: now}
	}
	if h == nil {
		w.idle++
		w.awake = w.idle < 8
		return w.awake
	}
	if took := now.Sub(w.since); took >= r.slow && !w.named {
		w.named = true
		r.events.Emit(Slow{Reader: h.options.Agent, Site: h.site.String(), Took: took})
	}
	return true
}

// currentLocked returns the running handler, or nil.
func (r *run) currentLocked() *Handler {
	if n := r.called.Load(); r.segment != nil && n > 0 {
		return r.handlers[n-1]
	}
	return nil
}
