package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// The role of a signal for the fold of conflicts, by its payload type.
const (
	isUnknown uint8 = iota // not determined yet
	isNothing
	isFolded
	closesThreads // a ThreadCloser: some of its signals do
)

// A ThreadCloser is a payload that may close its thread: with a signal of the system
// for which ClosesThread returns true, the bus closes the thread, as
// [Bus.CloseThread] does. It does so when the signal enters the log, published or
// fed, so that after feeding a log the same proposals are live as on the bus that
// wrote it.
type ThreadCloser interface{ ClosesThread() bool }

// conflicts folds the log with package conflict. The bus's lock protects it.
type conflicts struct {
	*core
	fold   *conflict.Fold
	opened []opening // by the signals being published; their conflict signals follow
	shared bool      // a sequencer orders the log: what expires depends on the log alone
	latest int64     // the greatest time in a shared log so far
}

// An opening is a conflict with the entry that opened it.
type opening struct {
	pair  conflict.Pair
	cause store.Entry
}

func (c *conflicts) init(shared *core, o *conflict.Options) {
	c.core, c.fold = shared, conflict.NewFold(o)
}

// pagesLocked returns the pages of a signal's type, with its role.
func (c *conflicts) pagesLocked(s signals.Any) *store.Pages {
	pages := c.log.PagesFor(s)
	if pages.Role == isUnknown {
		pages.Role = c.roleOf(s)
	}
	return pages
}

func (c *conflicts) roleOf(s signals.Any) uint8 {
	if c.fold.Takes(s) {
		return isFolded
	}
	if _, ok := s.Body().(ThreadCloser); ok {
		return closesThreads
	}
	return isNothing
}

// followLocked folds an entry that has just entered the log. The log that an entry
// was fed from has the signals of the conflicts that it opens.
func (c *conflicts) followLocked(e *store.Entry, fed bool) {
	if fed {
		c.expireLocked(e.At) // by the log's time, however late it is fed
	}
	if e.Pages.Role == closesThreads {
		if over, ok := e.Signal.Body().(ThreadCloser); ok && e.Source == System && over.ClosesThread() {
			c.endedLocked(c.fold.CloseThread(e.ThreadText), false)
		}
		return
	}
	change := c.fold.Apply(e.Signal)
	c.endedLocked(change.Ended, false)
	c.endedLocked(change.Resolved, true)
	for _, pair := range slices.Concat(change.Announced, change.Opened) {
		c.emitLocked(ConflictOpened{Pair: pair})
	}
	for _, pair := range change.Opened {
		if fed && !c.shared {
			break
		}
		c.opened = append(c.opened, opening{pair, *e})
	}
}

// expireLocked ends what has expired at now, or in a shared log at its greatest time.
func (c *conflicts) expireLocked(now int64) {
	if c.shared {
		now = c.latest
	}
	c.endedLocked(c.fold.Expire(now), false)
}

// reachLocked records that the log has reached a time.
func (c *conflicts) reachLocked(at int64) { c.latest = max(c.latest, at) }

func (c *conflicts) endedLocked(ended []conflict.Pair, resolved bool) {
	for _, pair := range ended {
		c.emitLocked(ConflictEnded{Pair: pair, Resolved: resolved})
	}
}

// openIn returns the open conflicts of a thread, oldest first.
func (c *conflicts) openIn(thread string) []conflict.Pair {
	defer c.events.Show()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expireLocked(c.clock.Now())
	return slices.Collect(c.fold.Unresolved(thread))
}

// announcement returns the entry of the conflict's signal.
func (c *conflicts) announcement(o *opening) store.Entry {
	e, pair := o.cause, o.pair
	s := signals.New(signals.Header{
		Thread: pair.Thread, ReplyTo: pair.B.Signal, Confidence: 1, Round: e.Signal.Head().Round,
	}, pair.Payload())
	e.Signal, e.Pages, e.Kind, e.KindText = s, c.pagesLocked(s), nil, signals.KindConflict
	e.Seq, e.ID, e.Foreign, e.Source = c.log.Last()+1, pair.ID(), true, System
	e.ReplyTo, e.HasRecipients = s.ReplyTo, false
	return e
}
