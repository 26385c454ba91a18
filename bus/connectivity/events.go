package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Event is an event of a signal, for observers.
type Event uint8

// The events.
const (
	WasEmitted Event = 1 + iota
	WasSuperseded
	WasExpired
	WasResolved
	Crowded // its source now has more than [Crowd] open signals in the thread; the state does not change
)

// Crowd is the number of open signals of one source in a thread, without
// handoffs, above which the source's signals are probably never resolved, or the
// suppression rule is too loose.
const Crowd = 10

var eventNames = signals.NewEnum[Event]("event", "emitted", "superseded", "expired", "resolved", "crowded")

// String returns the event's name.
func (e Event) String() string { return eventNames.String(e) }

// eventOf has the event of reaching a state.
var eventOf = [...]Event{
	coordination.Emitted: WasEmitted, coordination.Superseded: WasSuperseded, coordination.Expired: WasExpired, coordination.Resolved: WasResolved,
}

// Events are those that the observers have not seen yet. The layer's lock protects them.
type events struct {
	observers []*observer              // replaced, never changed
	ready     []*happened              // for the observers, in log order
	waiting   map[string][]*happened   // by thread: for a hook to return
	hooked    map[signals.ID]*happened // by the signals that a hook is running for
	draining  bool
}

// A happened has the events of one commit.
type happened struct {
	thread string
	events []event
	one    [1]event      // backing array for the usual single event
	over   chan struct{} // closed when the hook has returned; nil: no hook to wait for
}

type event struct {
	signal coordination.Signal
	event  Event
}

// add queues the events of a commit, with the signals in their current state. Events that
// a hook is called for wait until it has returned, and so do later events of the same
// thread; other threads do not wait. over is closed then; nil: no hook is called.
func (e *events) add(changes []coordination.Change, over chan struct{}) {
	if len(changes) == 0 || len(e.observers) == 0 && over == nil {
		return
	}
	h := &happened{thread: changes[0].Thread, over: over}
	h.events = h.one[:0]
	if over != nil {
		e.hooked[changes[len(changes)-1].ID] = h
	}
	if len(e.observers) == 0 {
		return
	}
	for _, c := range changes {
		h.events = append(h.events, event{c.Snapshot(), eventOf[c.State]})
		if c.Opened && c.Open() == Crowd+1 {
			h.events = append(h.events, event{c.Snapshot(), Crowded})
		}
	}
	if waiting := e.waiting[h.thread]; over != nil || len(waiting) > 0 {
		e.waiting[h.thread] = append(waiting, h)
	} else {
		e.ready = append(e.ready, h)
	}
}

// release lets the events that waited for a hook be delivered, unless it was called for no
// signal of the log.
func (e *events) release(over chan struct{}) {
	for id, h := range e.hooked {
		if h.over != over {
			continue
		}
		delete(e.hooked, id)
		close(over)
		h.over = nil
		waiting := e.waiting[h.thread]
		for len(waiting) > 0 && waiting[0].over == nil {
			e.ready = append(e.ready, waiting[0])
			waiting = waiting[1:]
		}
		if e.waiting[h.thread] = waiting; len(waiting) == 0 {
			delete(e.waiting, h.thread)
		}
	}
}

// next returns the next event. If there is none, draining ends.
func (e *events) next() (next event, more bool) {
	if len(e.ready) == 0 {
		e.ready, e.draining = nil, false
		return event{}, false
	}
	head := e.ready[0]
	next = head.events[0]
	if head.events = head.events[1:]; len(head.events) == 0 {
		e.ready[0] = nil
		e.ready = e.ready[1:]
	}
	return next, true
}

// An Observer is called for every event of every signal: see [Layer.OnSignal].
type Observer func(context.Context, coordination.Signal, Event)

type observer struct{ see Observer }
