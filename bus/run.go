package bus

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
)

// A PanicError is the error of a handler that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("bus: handler panicked: %v", e.Value) }

var errGoexit = errors.New("bus: handler ended its goroutine")

// A run passes one entry to its handlers. Only the driver writes to it, with the
// bus's lock except for the last three fields.
type run struct {
	*core
	slow   time.Duration // a handler that takes longer is reported
	resume func()        // continues the run

	segment  *store.Segment // nil: none
	i        int
	handlers []*Handler
	begun    uint64 // number of runs so far
	watchdog watchdog

	called     atomic.Int32 // number of handlers called; the watchdog reads it
	returned   bool         // the last of them has returned
	exceptions []exception  // in the order of the handlers
}

// An exception is a handler to which the signal was not delivered.
type exception struct {
	handler     *Handler
	disposition Disposition // pending: it was not for it
	err         error
}

func (r *run) begin(s *store.Segment, i int, handlers []*Handler) {
	r.segment, r.i, r.handlers = s, i, handlers
	r.called.Store(0)
	r.begun++
}

// isFor reports whether the current run is for h.
func (r *run) isFor(h *Handler) bool {
	return r.segment != nil && slices.Contains(r.handlers, h) && h.takes(r.segment, r.i)
}

func (r *run) except(h *Handler, f Disposition, err error) {
	r.exceptions = append(r.exceptions, exception{h, f, err})
}

// expire ends the run of a signal that has expired.
func (r *run) expire() {
	for _, h := range r.handlers {
		r.skip(h, DeadExpired)
	}
}

// skip records that h does not get the signal, for a reason if it is for it.
func (r *run) skip(h *Handler, why Disposition) {
	if !h.takes(r.segment, r.i) {
		why = pending
	}
	r.except(h, why, nil)
}

// callLocked calls the handlers without the lock.
func (r *run) callLocked() {
	r.watchLocked()
	r.mu.Unlock()
	for int(r.called.Load()) < len(r.handlers) {
		r.callSome()
	}
	r.mu.Lock()
}

// callSome calls handlers up to one that panics: a single deferred guard for all takes
// 5 ns, one for each would take 5 ns per handler.
func (r *run) callSome() {
	r.returned = true
	defer func() {
		if !r.returned {
			r.failed(recover())
		}
	}()
	s, pos := r.segment.Signal[r.i], r.segment.Start+uint64(r.i)
	private := r.segment.Flags[r.i]&store.Private != 0
	for i := int(r.called.Load()); i < len(r.handlers); {
		h := r.handlers[i]
		i++
		r.called.Store(int32(i))
		if h.ended.Load() || pos < h.from || private && !h.takes(r.segment, r.i) {
			r.skip(h, DeadClosed)
			continue
		}
		r.returned = false
		err := h.run(r.inside, s)
		r.returned = true
		if err != nil {
			r.except(h, DeadFailed, err)
		}
	}
}

// failed records that a handler panicked. If there was no panic, the handler ended
// its goroutine, and another one continues the run.
func (r *run) failed(v any) {
	h := r.handlers[r.called.Load()-1]
	if v != nil {
		r.except(h, DeadFailed, &PanicError{v, debug.Stack()})
		return
	}
	r.except(h, DeadFailed, errGoexit)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.goLocked(r.resume)
}

// wentToAllLocked reports whether the signal was delivered to all handlers of its
// kind, which have stayed the same, and there are no observers.
func (r *run) wentToAllLocked(handlers []*Handler) bool {
	return len(r.exceptions) == 0 && len(handlers) == len(r.handlers) && &handlers[0] == &r.handlers[0] && !r.events.Watched()
}

// settleLocked records what became of the signal.
func (r *run) settleLocked() {
	rest, watched := r.exceptions, r.events.Watched()
	for _, h := range r.handlers {
		f, err := Delivered, error(nil)
		if len(rest) > 0 && rest[0].handler == h {
			f, err, rest = rest[0].disposition, rest[0].err, rest[1:]
		}
		if f == pending {
			continue
		}
		if h.settleLocked(f); watched {
			r.settledLocked(h.options.Agent, r.segment.Signal[r.i], f, err)
		}
	}
}

func (r *run) endLocked() {
	r.segment, r.handlers = nil, nil
	clear(r.exceptions)
	r.exceptions = r.exceptions[:0]
}

// running returns for how long h has been running.
func (r *run) running(h *Handler) time.Duration {
	if h != r.currentLocked() || h != r.watchdog.handler {
		return 0
	}
	return time.Since(r.watchdog.since)
}
