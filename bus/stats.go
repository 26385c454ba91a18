package bus

import "time"

// A Fate is what became of one signal for one reader.
type Fate uint8

// The fates. All but the first two are dead letters.
const (
	Delivered   Fate = 1 + iota
	Filtered         // the reader's own predicate rejected it
	DeadExpired      // it expired before it was read
	DeadLagged       // the reader's backlog was full
	DeadFailed       // the reader returned an error or panicked
	DeadClosed       // the reader or the bus was closed before it was read
)

var fateNames = [...]string{"pending", "delivered", "filtered", "expired", "lagged", "failed", "closed"}

// String returns the fate in one word.
func (f Fate) String() string { return fateNames[f] }

// Books are the account of all signals intended for one or more readers:
//
//	Intended = Delivered + Filtered + Pending + Dead()
type Books struct {
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
func (k Books) Dead() uint64 { return k.DeadExpired + k.DeadLagged + k.DeadFailed + k.DeadClosed }

// Balanced reports whether the equation above holds. It always does, although each
// number is counted by itself where it happens, and none is derived from others.
func (k Books) Balanced() bool { return k.Intended == k.Delivered+k.Filtered+k.Pending+k.Dead() }

// Plus returns the sum of two accounts.
func (k Books) Plus(other Books) Books {
	k.Intended += other.Intended
	k.Delivered += other.Delivered
	k.Filtered += other.Filtered
	k.Pending += other.Pending
	k.DeadExpired += other.DeadExpired
	k.DeadLagged += other.DeadLagged
	k.DeadFailed += other.DeadFailed
	k.DeadClosed += other.DeadClosed
	return k
}

func (k *Books) settle(f Fate, n uint64) {
	k.Pending -= n
	*k.of(f) += n
}

func (k *Books) of(f Fate) *uint64 {
	switch f {
	case Delivered:
		return &k.Delivered
	case Filtered:
		return &k.Filtered
	case DeadExpired:
		return &k.DeadExpired
	case DeadLagged:
		return &k.DeadLagged
	case DeadFailed:
		return &k.DeadFailed
	default:
		return &k.DeadClosed
	}
}

func (k *Books) add(other Books) { *k = k.Plus(other) }

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

	Books   Books // of all readers, including those that have ended
	Readers []ReaderStats
}

// ReaderStats describe a reader that has not ended, or an observer that is
// handling an event, whose books are empty.
type ReaderStats struct {
	Agent string
	Site  string // file and line where it subscribed
	// Running is for how long the current call of a handler or observer has been
	// running. For a handler it is measured by polling: it is 0 at first, and then up
	// to half of [Options].Slow too low.
	Running time.Duration
	Books   Books
}

// Stats returns the bus's counts, all of the same moment. It counts pending
// signals in the log, once for each reader and signal.
func (b *Bus) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := b.log.Counts()
	s := Stats{
		Published: b.log.Next(), Held: b.log.Held(), Expired: counts.Expired, Evicted: counts.Evicted,
		Books: b.past,
	}
	c := b.fold.Counts()
	s.Proposals, s.Conflicts, s.OpenConflicts, s.HeldBack = c.Live, c.Opened, c.Open, c.HeldBack
	for _, h := range b.inline.handlers {
		r := ReaderStats{Agent: h.options.Agent, Site: h.site.String(), Books: h.booksLocked()}
		if h == b.runningLocked() && h == b.watchdog.handler {
			r.Running = time.Since(b.watchdog.since)
		}
		s.Readers = append(s.Readers, r)
	}
	for _, sub := range b.subscriptions {
		s.Readers = append(s.Readers, ReaderStats{Agent: sub.options.Agent, Site: sub.site.String(), Books: sub.booksLocked()})
	}
	for _, r := range s.Readers {
		s.Books.add(r.Books)
	}
	if at := b.showing; at != nil && at.to != nil {
		s.Readers = append(s.Readers, ReaderStats{Site: at.to.site.String(), Running: time.Since(at.since)})
	}
	return s
}
