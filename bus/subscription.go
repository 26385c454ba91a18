package bus

import (
	"cmp"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/backlog"
	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/bus/internal/watch"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrLagged ends a subscription whose reader did not keep up.
var ErrLagged = errors.New("bus: subscription lagged")

// SubscribeOptions select the signals of a subscription. The zero value selects
// all that have no recipients, from now on.
type SubscribeOptions struct {
	Agent   string         // the agent that reads; "" gets only signals without recipients, [System] all
	Kinds   []signals.Kind // nil: all
	Threads []string       // nil: all

	// Where is a further condition; nil: none. The reader calls it, without holding
	// a lock. If it panics, the panic reaches the reader's caller, the signal is
	// dead-lettered as failed, and the others stay unread.
	Where func(signals.Any) bool

	// Backlog is the maximum number of unread signals, not counting those that were
	// in the history when the subscription began. 0 means 65536. Beyond it the
	// subscription ends: after its unread signals, reads return [ErrLagged]. Signals of a batch
	// that are given back may exceed it, if the backlog has filled up meanwhile.
	// Unread signals keep at most three times as many entries of the log alive, plus
	// 8192.
	Backlog int

	// Past starts with the first signal after the sequence number After and continues
	// with new signals, without gap or repetition; After may be beyond the end of a
	// log that is fed. Signals that have already expired are left out. If a signal
	// after After was evicted, Subscribe returns an [*EvictedError]. An After other
	// than 0 implies Past.
	Past  bool
	After uint64

	// Expired includes expired signals, for readers that have to record the whole
	// log. Those that expired before the subscription began are included as far as
	// the history still has them.
	Expired bool
}

// A Subscription is a reader that misses nothing: its unread signals are kept,
// whatever the history evicts. Its methods may be called concurrently; every
// signal goes to one caller.
type Subscription struct {
	core           *core
	readers        *readers
	options        SubscribeOptions
	site           *watch.Site // where Subscribe was called
	kinds, threads []*store.Topic

	mu      sync.Mutex // protects the fields below; taken after the bus's lock
	backlog backlog.Backlog
	err     error       // why it ended; nil: it has not ended
	closed  atomic.Bool // it or the bus was closed: deliver nothing more
	inHand  uint64      // number of signals taken but not yet settled
	ledger  ledger      // without intended and pending signals
	batch   int         // number of signals that All takes at once
	paced   time.Time
	gone    []signals.Any // expired signals to report to observers

	// Protected by the bus's lock.
	bound   uint64 // maximum number of unread signals
	slow    bool   // reported as slow since the backlog was last half empty
	due     uint64 // position at which it may reach a bound
	sleeper backlog.Sleeper
}

func (o *SubscribeOptions) check() error {
	if o.Backlog < 0 {
		return optionError("Backlog", o.Backlog, "negative")
	}
	for _, t := range o.Threads {
		if err := (signals.Limits{}).Name("thread", t); t != "" && err != nil {
			return err
		}
	}
	o.Backlog = cmp.Or(o.Backlog, 1<<16)
	return nil
}
