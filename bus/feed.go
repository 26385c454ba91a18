package bus

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// Feed appends signals that got their place elsewhere: from a journal, from
// another machine, or from an earlier run. Each has its sequence number,
// greater than the last one (gaps are fine), its id, source and time. They
// were accepted there, so no permission is asked and an expired one is not
// refused, but neither is it delivered. Conflicts are found as ever; their
// signals are not added, because they are in the log that is fed.
//
// All of them are appended or none. Publishing goes on after the last one.
func (b *Bus) Feed(ctx context.Context, all ...signals.Any) error {
	ds := make([]draft, len(all))
	for i, s := range all {
		if err := b.opts.Limits.Validate(s); err != nil {
			return err
		}
		ds[i] = draft{signal: s, head: signals.HeadOf(s)}
	}
	b.mu.Lock()
	err := b.feedLocked(ctx, ds)
	b.driveLocked()
	b.mu.Unlock()
	b.showEvents()
	return err
}

func (b *Bus) feedLocked(ctx context.Context, ds []draft) error {
	if _, err := b.roomLocked(ctx, "", ds); err != nil {
		return err
	}
	b.clock.now()
	last := b.last
	for i := range ds {
		if err := b.acceptFedLocked(&ds[i], ds[:i], last); err != nil {
			return err
		}
		last = ds[i].seq
	}
	for i := range ds {
		b.appendLocked(&ds[i])
	}
	b.opened = b.opened[:0]
	b.shown.Store(b.log.next)
	b.startSweeperLocked()
	return nil
}

func (b *Bus) acceptFedLocked(d *draft, earlier []draft, last uint64) error {
	h, kind := d.head, d.signal.Kind()
	switch {
	case h.Seq <= last:
		return &signals.FieldError{Kind: kind, Field: "seq", Value: fmt.Sprint(h.Seq), Problem: fmt.Sprintf("not after %d", last)}
	case h.ID.IsZero():
		return &signals.FieldError{Kind: kind, Field: "id", Problem: "required"}
	case h.Source == "":
		return &signals.FieldError{Kind: kind, Field: "source", Problem: "required"}
	case h.Time.IsZero():
		return &signals.FieldError{Kind: kind, Field: "timestamp", Problem: "required"}
	}
	d.seq, d.sourceText = h.Seq, h.Source
	b.stampLocked(d)
	if err := b.uniqueLocked(d, earlier); err != nil {
		return err
	}
	return b.ownsProposalLocked(d, earlier)
}
