package bus

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// commitAll commits drafts whose payloads have been validated.
func (p *Publisher) commitAll(ctx context.Context, ds []draft) error {
	if p.bus.sequenced() {
		own := slices.Clone(ds) // the caller's would escape
		err := p.submit(ctx, func(uint64, int64) ([]draft, error) { return own, nil }, nil)
		copy(ds, own)
		return err
	}
	return p.bus.write(ctx, func(now int64) error { return p.commitLocked(ds, now) })
}

// commit commits what decide drafts for the next sequence number, and then calls
// committed, both with the bus's lock held.
func (p *Publisher) commit(ctx context.Context, decide func(seq uint64, now int64) ([]draft, error), committed func([]signals.Any)) error {
	if p.bus.sequenced() {
		return p.submit(ctx, decide, committed)
	}
	return p.bus.write(ctx, func(now int64) error {
		ds, err := decide(p.bus.log.Last()+1, now)
		if err == nil {
			err = p.commitLocked(ds, now)
		}
		if err == nil {
			p.bus.foldLocked(ds, committed)
		}
		return err
	})
}

// commitLocked appends all drafts to the log, or none.
func (p *Publisher) commitLocked(ds []draft, now int64) error {
	b := p.bus
	if err := b.admitLocked(p, ds, now); err != nil {
		return err
	}
	for i := range ds {
		d := &ds[i]
		b.appendLocked(&d.Entry, false)
		if p.kind != d.Kind || p.thread != d.Thread || p.pages.Load() != d.Pages {
			p.rememberLocked(d)
		}
	}
	b.committedLocked()
	return nil
}
