package bus

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

var (
	// ErrExpired is returned if a signal had expired before it was published.
	ErrExpired = errors.New("bus: signal expired")
	// ErrDuplicate is returned if the history already has a signal with this id,
	// so publishing again after a lost answer does no harm.
	ErrDuplicate = errors.New("bus: duplicate signal id")
	// ErrBacklog is returned if too many signals wait for inline handlers; see
	// [Options].Undrained.
	ErrBacklog = errors.New("bus: backlog full")
)

// maxAhead is how far the time of a published signal may be ahead of the bus's
// clock.
const maxAhead = time.Minute

// admission decides what may enter the log, before anything changes. The bus's lock
// protects it; required and reserved are read without it.
type admission struct {
	folds    *conflicts
	handlers *inline
	history  *store.Log
	quota    *quota
	limits   signals.Limits
	room     int // entries waiting for handlers at which there is none left
	ttl      time.Duration
	mint     *signals.Mint

	sequencer Sequencer                  // nil: the bus orders its signals itself
	minted    uint64                     // number of ids made, if there is a sequencer
	expected  map[signals.ID]*submission // of layers, by the first id, since the bus was fed last
	left      []*submission              // of them: whose caller has left

	following []follower

	required atomic.Pointer[[]*requirement]        // replaced, never changed
	reserved atomic.Pointer[map[signals.Kind]bool] // kinds of layers; replaced, never changed
	spoken   bool                                  // an agent has published: layers can no longer reserve any kind
}

func (a *admission) init(folds *conflicts, handlers *inline, log *store.Log, q *quota) {
	a.folds, a.handlers, a.history, a.quota = folds, handlers, log, q
	a.required.Store(new([]*requirement))
	a.reserved.Store(&map[signals.Kind]bool{})
	a.expected = map[signals.ID]*submission{}
}

// A requirement is a check of all signals that are published.
type requirement struct{ check func(signals.Any) error }

// meets returns why a signal does not meet what is required of it, if it does not.
func (a *admission) meets(s signals.Any) error {
	for _, r := range *a.required.Load() {
		if err := r.check(s); err != nil {
			return err
		}
	}
	return nil
}

// examine validates a signal and drafts it.
func (a *admission) examine(d *draft, s signals.Any) error {
	if err := a.limits.Validate(s); err != nil {
		return err
	}
	d.Signal, d.head, d.KindText = s, store.FormOf(s).Head(s), s.Kind()
	return nil
}

// stamp fills in the log's data about a draft, except for an id of the bus's mint.
func (a *admission) stamp(d *draft, now int64, at time.Time) {
	h := d.head
	d.ID, d.Foreign = h.ID, !h.ID.IsZero()
	d.At, d.Time = now, at
	if !h.Time.IsZero() {
		d.Time = h.Time.Round(0).UTC()
		d.At = d.Time.UnixNano()
	}
	if d.TTL = h.TTL; d.TTL == 0 {
		d.TTL = a.ttl
	}
	d.Due = store.Deadline(d.At, d.TTL)
	d.ReplyTo, d.HasRecipients = h.ReplyTo, !h.Recipients.Everyone()
}

func checkTime(d *draft, now int64) error {
	if d.At > now+int64(maxAhead) {
		return d.invalid("timestamp", d.Time.String(), fmt.Sprintf("more than %v ahead of the clock", maxAhead))
	}
	if d.Due < now {
		return fmt.Errorf("%w: %s %s ended at %v", ErrExpired, d.KindText, d.ID, d.Time.Add(d.TTL))
	}
	return nil
}

// roomLocked refuses drafts if too many entries would wait for handlers. Records are
// not counted.
func (a *admission) roomLocked(ds []draft) error {
	waiting := a.handlers.undrained
	if waiting+len(ds) <= a.room { // almost always: this is inlined
		return nil
	}
	return a.crowdedLocked(ds, waiting)
}

func (a *admission) crowdedLocked(ds []draft, waiting int) error {
	handled := 0
	for i := range ds {
		if !ds[i].record && a.handlers.handlesLocked(ds[i].KindText) {
			handled++
		}
	}
	if handled > 0 && waiting+handled > a.room {
		return fmt.Errorf("%w: %d signals wait for handlers", ErrBacklog, waiting)
	}
	return nil
}

// A batch is what the earlier drafts of the same call take.
type batch struct {
	ids    map[signals.ID]bool // nil if there is only one draft
	folded bool                // a draft was passed to the fold
}

func newBatch(n int) (b batch) {
	if n > 1 {
		b.ids = map[signals.ID]bool{}
	}
	return b
}

// uniqueLocked refuses an id that is in the history or in an earlier draft of the
// call, at a constant cost for each draft.
func (a *admission) uniqueLocked(d *draft, before *batch) error {
	if !d.Foreign {
		return nil
	}
	if _, _, held := a.history.Find(d.ID); held || before.ids[d.ID] {
		return fmt.Errorf("%w: %s", ErrDuplicate, d.ID)
	}
	if before.ids != nil {
		before.ids[d.ID] = true
	}
	return nil
}

// foldsLocked refuses what the fold of conflicts refuses.
func (a *admission) foldsLocked(d *draft, before *batch, now int64, n int) error {
	if d.Pages.Role != isFolded { // almost always: this is inlined
		return nil
	}
	return a.proposedLocked(d, before, now, n)
}

func (a *admission) proposedLocked(d *draft, before *batch, now int64, n int) error {
	fold := a.folds.fold
	if !before.folded {
		before.folded = true
		a.folds.expireLocked(now)
		fold.Begin(n)
	}
	if d.Foreign && fold.Live(d.ID) {
		return fmt.Errorf("%w: %s", ErrDuplicate, d.ID)
	}
	return fold.Admit(d.Signal, d.Source)
}
