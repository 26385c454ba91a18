package bus

import (
	"github.com/swarmbus/swarmbus/bus/events"
	"github.com/swarmbus/swarmbus/bus/stats"
)

// pending is the disposition of a signal that its reader has yet to read.
const pending events.Disposition = 0

// A ledger is an account as the bus keeps it.
type ledger struct {
	intended uint64
	by       [events.DeadClosed + 1]uint64
}

func (l *ledger) account() stats.Account {
	return stats.Account{
		Intended: l.intended, Delivered: l.by[events.Delivered], Filtered: l.by[events.Filtered], Pending: l.by[pending],
		DeadExpired: l.by[events.DeadExpired], DeadLagged: l.by[events.DeadLagged], DeadFailed: l.by[events.DeadFailed], DeadClosed: l.by[events.DeadClosed],
	}
}

func (l *ledger) add(other *ledger) {
	l.intended += other.intended
	for f, n := range other.by {
		l.by[f] += n
	}
}

// settle counts what became of n pending signals.
func (l *ledger) settle(f events.Disposition, n uint64) {
	l.by[pending] -= n
	l.by[f] += n
}

// A reader is a handler or a subscription that has not ended.
type reader interface {
	agent() string
	statsLocked() stats.Reader
	closeLocked()
}
