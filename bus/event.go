package bus

import (
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// An Event is something that happened on a bus, for observers.
//
//sumtype:decl
type Event interface{ event() }

type (
	// Published says that a signal entered the log.
	Published struct {
		Signal signals.Any
		Fed    bool // by Bus.Feed: it was published earlier, or elsewhere; on a bus with a sequencer always
	}
	// Settled says what became of a signal for one reader.
	Settled struct {
		Signal      signals.Any
		Reader      string // the agent's id
		Disposition Disposition
		Err         error // for [DeadFailed]: the handler's error, or a *PanicError
	}
	// Expired says that an expired signal was swept, or evicted before that.
	Expired struct{ Signal signals.Any }
	// Evicted says that an unexpired signal left the history to make room.
	Evicted struct{ Signal signals.Any }
	// ConflictOpened says that a proposal has a rival; their conflict signal is
	// in the log.
	ConflictOpened struct{ Pair conflict.Pair }
	// ConflictEnded says that a conflict was resolved, that one of its sides
	// expired, or that its thread was closed.
	ConflictEnded struct {
		Pair     conflict.Pair
		Resolved bool
	}
	// Slow names a reader that does not keep up: a handler that took long, or a
	// subscription whose backlog is more than half full.
	Slow struct {
		Reader  string // the agent's id
		Site    string // file and line where it subscribed
		Took    time.Duration
		Pending int // how far behind its oldest unread signal is
	}
	// Missed says how many events were dropped before the next one.
	Missed struct{ Events uint64 }
)

func (Published) event()      {}
func (Settled) event()        {}
func (Expired) event()        {}
func (Evicted) event()        {}
func (ConflictOpened) event() {}
func (ConflictEnded) event()  {}
func (Slow) event()           {}
func (Missed) event()         {}
