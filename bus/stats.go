package bus

import "time"

// A Fate is how one signal ended for one reader.
type Fate uint8

// The fates. All but the first two are dead letters.
const (
	Delivered   Fate = 1 + iota
	Filtered         // the reader's own predicate said no
	DeadExpired      // its life was over before it was read
	DeadLagged       // the reader's backlog was full
	DeadFailed       // the reader returned an error or panicked
	DeadClosed       // the reader or the bus was closed
)

var fateNames = [...]string{"pending", "delivered", "filtered", "expired", "lagged", "failed", "closed"}

// String returns one word.
func (f Fate) String() string { return fateNames[f] }

// Books account for every signal that readers were to get:
//
//	Intended = Delivered + Filtered + Pending + Dead()
type Books struct {
	Intended  uint64
	Delivered uint64
	Filtered  uint64
	Pending   uint64

	DeadExpired uint64
	DeadLagged  uint64
	DeadFailed  uint64
	DeadClosed  uint64
}

// Dead returns the number of dead letters.
func (k Books) Dead() uint64 { return k.DeadExpired + k.DeadLagged + k.DeadFailed + k.DeadClosed }

// Balanced reports whether everything intended is accounted for. It always is.
func (k Books) Balanced() bool { return k.Intended == k.Delivered+k.Filtered+k.Pending+k.Dead() }

// Plus returns the account of two readers together.
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
	switch f {
	case Delivered:
		k.Delivered += n
	case Filtered:
		k.Filtered += n
	case DeadExpired:
		k.DeadExpired += n
	case DeadLagged:
		k.DeadLagged += n
	case DeadFailed:
		k.DeadFailed += n
	case DeadClosed:
		k.DeadClosed += n
	}
}

// Stats is a bus at one moment.
type Stats struct {
	Published uint64 // signals, with the system's own
	Held      int    // signals in the history, with expired ones not yet swept
	Expired   uint64
	Evicted   uint64

	Conflicts     uint64 // opened so far
	OpenConflicts int
	HeldBack      uint64 // conflicts not reported, see package conflict

	Books   Books // of all readers there ever were
	Readers []ReaderStats
}

// ReaderStats is one reader that is not closed.
type ReaderStats struct {
	Agent   string
	Site    string        // file and line where it subscribed
	Running time.Duration // for how long a handler has been at its signal
	Books   Books
}

type counts struct{ published, expired, evicted, conflicts uint64 }

// Stats returns the bus's counts, all of one moment.
func (b *Bus) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Stats{
		Published: b.counts.published, Held: len(b.history), Expired: b.counts.expired, Evicted: b.counts.evicted,
		Conflicts: b.counts.conflicts, OpenConflicts: b.conflicts.Open(), HeldBack: b.conflicts.HeldBack(),
		Books: b.books,
	}
	for _, h := range b.handlers {
		r := ReaderStats{Agent: h.options.Agent, Site: h.site, Books: h.books}
		if !h.since.IsZero() {
			r.Running = time.Since(h.since)
		}
		s.Readers = append(s.Readers, r)
	}
	for _, sub := range b.subscriptions {
		s.Readers = append(s.Readers, ReaderStats{Agent: sub.options.Agent, Site: sub.site, Books: sub.books})
	}
	return s
}

// intendLocked and settleLocked keep a reader's books and the bus's together.

func (b *Bus) intendLocked(k *Books) {
	k.Intended++
	k.Pending++
	b.books.Intended++
	b.books.Pending++
}

func (b *Bus) settleLocked(k *Books, f Fate, n uint64) {
	k.settle(f, n)
	b.books.settle(f, n)
	b.changed.Broadcast()
}
