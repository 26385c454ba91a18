package bus

import (
	"math"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/backlog"
	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/bus/internal/watch"
	"github.com/swarmbus/swarmbus/signals"
)

// inline is the cursor shared by all inline handlers. The bus's lock protects it.
type inline struct {
	*core
	at        store.Cursor // the next entry for the handlers
	handled   uint64       // every handler is done with signals up to this one
	undrained int          // number of entries that wait for handlers
	driving   bool         // a goroutine is moving the cursor
	run       run
}

func (in *inline) init(c *core, slow time.Duration) {
	in.core, in.at = c, c.log.End()
	in.run.core, in.run.slow, in.run.resume = c, slow, in.driveOn
}

// behindLocked reports whether there are entries and no goroutine moves the cursor.
func (in *inline) behindLocked() bool {
	return in.at.Pos != in.log.Next() && !in.driving && in.state != closed
}

// driveLocked moves the inline cursor, which is behind, for a publisher. It releases
// the lock while handlers run. Handlers cannot be interrupted, so if the publisher's
// context can end, another goroutine calls them while the publisher waits for that
// goroutine or for ended.
func (in *inline) driveLocked(ended <-chan struct{}) {
	in.driving = true
	own, now := in.log.Next(), in.clock.Last() // that of the commit that brought the first entry
	if ended == nil || in.undrained == 0 {
		in.driveShareLocked(own, now, ended)
		return
	}
	returned := make(chan struct{})
	in.goLocked(func() {
		defer close(returned)
		in.mu.Lock()
		in.driveShareLocked(own, now, ended)
		in.mu.Unlock()
		if backlog.Over(ended) {
			in.events.ShowLater() // the publisher may have left
		}
	})
	in.mu.Unlock()
	select {
	case <-returned:
	case <-ended:
	}
	in.mu.Lock()
}

// driveShareLocked moves the cursor to the end of the log, or until the entries up
// to own are handled and ended is closed or a share of the others is.
func (in *inline) driveShareLocked(own uint64, now int64, ended <-chan struct{}) {
	var share watch.Share
	for in.at.Pos < in.log.Next() && in.state != closed {
		if in.at.Pos >= own && (share.Over() || backlog.Over(ended) && in.at.Pos > own) {
			in.goLocked(in.driveOn)
			return
		}
		in.stepLocked(now)
		now = 0
	}
	in.driving = false
	in.changed.Broadcast()
}

// driveOn continues to move the cursor from where its driver left it, which may be
// within a run that a handler left by ending its goroutine.
func (in *inline) driveOn() {
	in.mu.Lock()
	if in.run.segment != nil {
		in.run.callLocked()
		in.settleLocked()
	}
	in.driveShareLocked(math.MaxUint64, 0, nil)
	in.mu.Unlock()
	in.events.ShowLater()
}

// stepLocked passes one entry to its handlers at the time now; 0 reads the clock.
func (in *inline) stepLocked(now int64) {
	s, i, _ := in.at.Span(in.log.Next())
	handlers := handlersOf(s.Kind[i])
	if len(handlers) == 0 {
		in.passLocked(s, i)
		return
	}
	if now == 0 {
		now = in.clock.Now()
	}
	in.run.begin(s, i, handlers)
	if s.Due[i] < now {
		in.run.expire()
	} else {
		in.run.callLocked()
	}
	in.settleLocked()
}

func (in *inline) settleLocked() {
	if c := channelOf(in.run.segment.Kind[in.run.i]); in.run.wentToAllLocked(c.handlers) {
		c.delivered++ // instead of one by one, which takes 3 ns per handler
	} else {
		in.run.settleLocked()
	}
	in.passLocked(in.run.segment, in.run.i)
	in.run.endLocked()
	if in.awaiting.Load() > 0 {
		in.changed.Broadcast()
	}
}

// awaitLocked marks the newest entry as waiting for its handlers.
func (in *inline) awaitLocked(s *store.Segment, i int) {
	if len(handlersOf(s.Kind[i])) > 0 {
		s.Flags[i] |= store.Awaited
		in.undrained++
	} else if in.at.Pos == s.Start+uint64(i) {
		in.at, in.handled = in.log.End(), s.Seq[i]
	}
}

// waitingLocked calls f for the signals that have not passed and that are for h.
func (in *inline) waitingLocked(h *Handler, f func(signals.Any)) {
	for c := in.at; ; {
		s, from, to := c.Span(in.log.Next())
		if from == to {
			return
		}
		for i := from; i < to; i++ {
			if s.Kind[i] == h.kind && h.takes(s, i) {
				f(s.Signal[i])
			}
		}
		c.Pos = s.Start + uint64(to)
	}
}

// passLocked marks the entry at the cursor as handled.
func (in *inline) passLocked(s *store.Segment, i int) {
	if s.Flags[i]&store.Awaited != 0 {
		in.undrained--
	}
	in.handled = s.Seq[i]
	in.at.Pos++
}

// handlesLocked reports whether a kind has handlers.
func (in *inline) handlesLocked(kind signals.Kind) bool {
	t := in.log.Kinds[string(kind)]
	return t != nil && len(handlersOf(t)) > 0
}

// runsFor reports whether an entry is being passed to h.
func (in *inline) runsFor(h *Handler) bool { return in.run.isFor(h) }

// runningFor returns for how long h has been running.
func (in *inline) runningFor(h *Handler) time.Duration { return in.run.running(h) }
