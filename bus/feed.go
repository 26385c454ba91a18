package bus

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Feed appends signals that were ordered elsewhere: by a journal, by another
// machine, or in an earlier run. Each has a sequence number, greater than that
// of the signal before it (gaps are fine), an id, a source and a time. They were
// accepted there, so permissions and the ownership of proposals are not checked
// again; an expired signal is not refused, but not delivered either. Conflicts
// are detected as usual, but their signals are not added, because the log that is
// fed already has them. Which proposals have expired when another one is made is
// decided by the times in the log: if the time of a proposal was ahead of its
// bus's clock, more may have expired here than there. An id in the form of this
// bus's mint must be the one that the mint gives to that sequence number.
//
// Either all signals are appended or none. Publishing continues after the last.
func (b *Bus) Feed(ctx context.Context, all ...signals.Any) error {
	ds := make([]draft, len(all))
	for i, s := range all {
		if err := b.opts.Limits.Validate(s); err != nil {
			return err
		}
		if err := b.meets(s); err != nil {
			return err
		}
		ds[i].Signal, ds[i].head, ds[i].KindText = s, signals.HeadOf(s), s.Kind()
		ds[i].Seq, ds[i].fed = ds[i].head.Seq, true
	}
	ended := ctx.Done() // here, because a caller's context may panic
	b.mu.Lock()
	done := false
	defer b.unlockAfterPanic(&done)
	err := b.roomLocked(ds)
	if err == nil {
		err = b.feedLocked(ds)
	}
	done = true
	b.driveLocked(ended)
	b.mu.Unlock()
	b.showEvents()
	return err
}

func (b *Bus) feedLocked(ds []draft) error {
	now, last := b.clock.now(), b.log.Last()
	before := newBatch(len(ds))
	for i := range ds {
		d := &ds[i]
		if err := b.admitFedLocked(d, last, now); err != nil {
			return err
		}
		if err := b.uniqueLocked(d, &before); err != nil {
			return err
		}
		last = d.Seq
	}
	if b.rules.capacity > 0 {
		b.rules.weigh(ds)
	}
	for i := range ds {
		if ds[i].Pages.Role != isNothing { // expire by the log's time, however late it is fed
			b.conflictsEndedLocked(b.fold.Expire(ds[i].At), false)
		}
		b.appendLocked(&ds[i])
	}
	b.opened = b.opened[:0]
	b.committedLocked(ds)
	return nil
}

func (b *Bus) admitFedLocked(d *draft, last uint64, now int64) error {
	h := d.head
	bad := func(field, value, problem string) error {
		return &signals.FieldError{Kind: d.KindText, Field: field, Value: value, Problem: problem}
	}
	switch {
	case h.Seq <= last:
		return bad("seq", fmt.Sprint(h.Seq), fmt.Sprintf("not after %d", last))
	case h.Seq > math.MaxInt64:
		return bad("seq", fmt.Sprint(h.Seq), "leaves no number for later signals")
	case h.ID.IsZero():
		return bad("id", "", "required")
	case h.Source == "":
		return bad("source", "", "required")
	case h.Time.IsZero():
		return bad("timestamp", "", "required")
	}
	d.Seq, d.Source, d.ThreadText, d.Pages = h.Seq, h.Source, h.Thread, b.pagesLocked(d.Signal)
	b.stampLocked(d, now, time.Time{}) // the signal has its own time
	own, ours := b.log.Minted(d.ID, d.Seq)
	if ours && !own {
		return bad("id", d.ID.String(), "minted by this bus for another sequence number")
	}
	d.Foreign = !own
	return nil
}
