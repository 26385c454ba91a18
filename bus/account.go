package bus

import (
	"github.com/swarmbus/swarmbus/bus/stats"
)

// pending is the disposition of a signal that its reader has yet to read.
const pending Disposition = 0

// A ledger is an account as the bus keeps it.
type ledger struct {
	intended uint64
	by       [DeadClosed + 1]uint64
}

func (l *ledger) account() stats.Account {
	return stats.Account{
		Intended: l.intended, Delivered: l.by[Delivered], Filtered: l.by[Filtered], Pending: l.by[pending],
		DeadExpired: l.by[DeadExpired], DeadLagged: l.by[DeadLagged], DeadFailed: l.by[DeadFailed], DeadClosed: l.by[DeadClosed],
	}
}

func (l *ledger) add(other *ledger) {
	l.intended += other.intended
	for f, n := range other.by {
		l.by[f] += n
	}
}

// settle counts what became of n pending signals.
func (l *ledger) settle(f Disposition, n uint64) {
	l.by[pending] -= n
	l.by[f] += n
}

// A reader is a handler or a subscription that has not ended.
type reader interface {
	agent() string
	statsLocked() stats.Reader
	closeLocked()
}
