// Package stats has the counts of a bus: of its log, and of what became of the
// signals for its readers. Bus.Stats and Subscription.Account return them.
package stats

import (
	"time"

	"github.com/swarmbus/swarmbus/conflict"
)

// A Bus has the counts of a bus at one moment.
type Bus struct {
	Published uint64 // signals, including the system's own
	Held      int    // signals in the history, including expired ones not yet swept
	Expired   uint64
	Evicted   uint64

	Conflicts conflict.Counts // of proposals and of the conflicts between them

	Account Account // of all readers, including those that have ended
	Readers []Reader
}

// A Reader describes a reader that has not ended, or an observer that is handling an
// event, whose account is empty.
type Reader struct {
	Agent string
	Site  string // file and line where it subscribed
	// Running is for how long the current call of a handler or observer has been
	// running. For a handler it is measured by polling: it is 0 at first, and then up
	// to half of bus.Options.Slow too low.
	Running time.Duration
	Account Account
}
