package bus

import (
	"time"

	"github.com/swarmbus/swarmbus/conflict"
)

// An Account counts all signals intended for one or more readers:
//
//	Intended = Delivered + Filtered + Pending + Dead()
type Account struct {
	Intended  uint64 `json:"intended"`
	Delivered uint64 `json:"delivered"`
	Filtered  uint64 `json:"filtered"`
	Pending   uint64 `json:"pending"`

	DeadExpired uint64 `json:"deadExpired"`
	DeadLagged  uint64 `json:"deadLagged"`
	DeadFailed  uint64 `json:"deadFailed"`
	DeadClosed  uint64 `json:"deadClosed"`
}

// Dead returns the number of dead letters.
func (k Account) Dead() uint64 { return k.DeadExpired + k.DeadLagged + k.DeadFailed + k.DeadClosed }

// Balanced reports whether the equation above holds. It always does, although each
// number is counted by itself where it happens, and none is derived from others.
func (k Account) Balanced() bool { return k.Intended == k.Delivered+k.Filtered+k.Pending+k.Dead() }

// Plus returns the sum of two accounts.
func (k Account) Plus(o Account) Account {
	return Account{
		k.Intended + o.Intended, k.Delivered + o.Delivered, k.Filtered + o.Filtered, k.Pending + o.Pending,
		k.DeadExpired + o.DeadExpired, k.DeadLagged + o.DeadLagged, k.DeadFailed + o.DeadFailed, k.DeadClosed + o.DeadClosed,
	}
}

// Stats has the counts of a bus at one moment.
type Stats struct {
	Published uint64 // signals, including the system's own
	Held      int    // signals in the history, including expired ones not yet swept
	Expired   uint64
	Evicted   uint64

	Conflicts conflict.Counts // of proposals and of the conflicts between them

	Account Account // of all readers, including those that have ended
	Readers []ReaderStats
}

// A ReaderStats describes a reader that has not ended, or an observer that is handling an
// event, whose account is empty.
type ReaderStats struct {
	Agent string
	Site  string // file and line where it subscribed
	// Running is for how long the current call of a handler or observer has been
	// running. For a handler it is measured by polling: it is 0 at first, and then up
	// to half of Options.Slow too low.
	Running time.Duration
	Account Account
}

// pending is the disposition of a signal that its reader has yet to read.
const pending Disposition = 0

// A ledger is an account as the bus keeps it.
type ledger struct {
	intended uint64
	by       [DeadClosed + 1]uint64
}

func (l *ledger) account() Account {
	return Account{
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
	statsLocked() ReaderStats
	closeLocked()
}
