package bus

import "time"

// Stats are the counts of a bus at one moment.
type Stats struct {
	Published uint64 // signals, including the system's own
	Held      int    // signals in the history, including expired ones not yet swept
	Expired   uint64
	Evicted   uint64

	Conflicts     uint64 // opened so far
	OpenConflicts int
	HeldBack      uint64 // conflicts not reported, see package conflict
	Proposals     int    // live ones

	Account Account // of all readers, including those that have ended
	Readers []ReaderStats
}

// ReaderStats describe a reader that has not ended, or an observer that is
// handling an event, whose account is empty.
type ReaderStats struct {
	Agent string
	Site  string // file and line where it subscribed
	// Running is for how long the current call of a handler or observer has been
	// running. For a handler it is measured by polling: it is 0 at first, and then up
	// to half of [Options].Slow too low.
	Running time.Duration
	Account Account
}

// Stats returns the bus's counts, all of the same moment. It counts pending
// signals in the log, once for each reader and signal.
func (b *Bus) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := b.log.Counts()
	s := Stats{
		Published: b.log.Next(), Held: b.log.Held(), Expired: counts.Expired, Evicted: counts.Evicted,
		Account: b.past,
	}
	c := b.fold.Counts()
	s.Proposals, s.Conflicts, s.OpenConflicts, s.HeldBack = c.Live, c.Opened, c.Open, c.HeldBack
	for _, h := range b.inline.handlers {
		r := ReaderStats{Agent: h.options.Agent, Site: h.site.String(), Account: h.accountLocked()}
		if h == b.runningLocked() && h == b.watchdog.handler {
			r.Running = time.Since(b.watchdog.since)
		}
		s.Readers = append(s.Readers, r)
	}
	for _, sub := range b.subscriptions {
		s.Readers = append(s.Readers, ReaderStats{Agent: sub.options.Agent, Site: sub.site.String(), Account: sub.accountLocked()})
	}
	for _, r := range s.Readers {
		s.Account.add(r.Account)
	}
	if at := b.showing; at != nil && at.to != nil {
		s.Readers = append(s.Readers, ReaderStats{Site: at.to.site.String(), Running: time.Since(at.since)})
	}
	return s
}
