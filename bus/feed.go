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
// With a [Sequencer], the bus that is fed accepts the signals: it checks the ownership of
// proposals, and the signals of the conflicts that they open follow the last one.
//
// Either all signals are appended or none. Publishing continues after the last.
func (b *Bus) Feed(ctx context.Context, all ...signals.Any) error {
	ds, err := b.fed(all)
	if err != nil {
		return err
	}
	return b.write(ctx, func(now int64) error {
		if err := b.admitFedLocked(ds, now); err != nil {
			return err
		}
		for i := range ds {
			b.appendLocked(&ds[i].Entry, true)
		}
		b.committedLocked()
		b.arrivedLocked(ds)
		return nil
	})
}

// fed drafts signals that were ordered elsewhere.
func (a *admission) fed(all []signals.Any) ([]draft, error) {
	ds := make([]draft, len(all))
	for i, s := range all {
		if err := a.examine(&ds[i], s); err != nil {
			return nil, err
		}
		if err := a.meets(s); err != nil {
			return nil, err
		}
	}
	return ds, nil
}

// admitFedLocked is admitLocked for signals that were accepted elsewhere, or that a
// sequencer ordered, so that they are accepted here and elsewhere alike.
func (a *admission) admitFedLocked(ds []draft, now int64) error {
	if err := a.roomLocked(ds); err != nil {
		return err
	}
	last := a.history.Last()
	before := newBatch(len(ds))
	for i := range ds {
		d := &ds[i]
		if err := d.checkFed(last); err != nil {
			return err
		}
		h := d.head
		d.Seq, d.Source, d.ThreadText, d.Pages = h.Seq, h.Source, h.Thread, a.folds.pagesLocked(d.Signal)
		a.stamp(d, now, time.Time{}) // the signal has its own time
		own, ours := a.history.Minted(d.ID, d.Seq)
		if ours && !own {
			return d.invalid("id", d.ID.String(), "minted by this bus for another sequence number")
		}
		d.Foreign = !own
		if err := a.uniqueLocked(d, &before); err != nil {
			return err
		}
		if a.sequencer != nil {
			a.folds.reachLocked(d.At)
			if err := a.foldsLocked(d, &before, d.At, len(ds)); err != nil {
				return err
			}
		}
		last = d.Seq
	}
	return nil
}

// checkFed checks that the signal follows the one with the sequence number last, and
// has what the log gives to every signal.
func (d *draft) checkFed(last uint64) error {
	switch h := d.head; {
	case h.Seq <= last:
		return d.invalid("seq", fmt.Sprint(h.Seq), fmt.Sprintf("not after %d", last))
	case h.Seq > math.MaxInt64:
		return d.invalid("seq", fmt.Sprint(h.Seq), "leaves no number for later signals")
	case h.ID.IsZero():
		return d.invalid("id", "", "required")
	case h.Source == "":
		return d.invalid("source", "", "required")
	case h.Time.IsZero():
		return d.invalid("timestamp", "", "required")
	}
	return nil
}
