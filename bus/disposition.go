package bus

import "github.com/swarmbus/swarmbus/signals"

// A Disposition is what became of one signal for one reader.
type Disposition uint8

// The dispositions. All but the first two are dead letters.
const (
	Delivered   Disposition = 1 + iota
	Filtered                // the reader's own predicate rejected it
	DeadExpired             // it expired before it was read
	DeadLagged              // the reader's backlog was full
	DeadFailed              // the reader returned an error or panicked
	DeadClosed              // the reader or the bus was closed before it was read
)

var dispositions = signals.NewEnum[Disposition]("disposition", "delivered", "filtered", "expired", "lagged", "failed", "closed")

// String returns the disposition in one word.
func (f Disposition) String() string { return dispositions.String(f) }
