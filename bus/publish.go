package bus

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
)

// A Receipt holds what the log assigned to a signal.
type Receipt struct {
	Seq uint64
	ID  signals.ID
}

// Publish appends a copy of s to the log and returns when it is in the history,
// with its sequence number. It never waits for readers, but may wait for handlers
// until ctx ends (see [Handle]).
//
// If it returns an error, nothing is published: a [*signals.FieldError], a
// [*PermissionError], a [*LimitError], [ErrExpired], [ErrDuplicate], [ErrBacklog],
// [ErrClosed], or an error of package conflict for a proposal or its resolution. Only a
// [Sequencer] may not know, and its error wraps [ErrUnknown].
func (p *Publisher) Publish(ctx context.Context, s signals.Any) (r Receipt, err error) {
	var one [1]draft
	if err = p.draft(&one[0], s); err == nil {
		err = p.commitAll(ctx, one[:])
	}
	if err == nil { // field by field: copying the struct would wait 5 ns for the stores
		r.Seq, r.ID = one[0].Seq, one[0].ID
	}
	return r, err
}

// PublishAll is Publish for several signals: it publishes all of them, with
// consecutive sequence numbers, or none. The conflicts that they open follow the
// last one.
func (p *Publisher) PublishAll(ctx context.Context, all ...signals.Any) ([]Receipt, error) {
	ds, err := p.drafts(all)
	if err == nil {
		err = p.commitAll(ctx, ds)
	}
	if err != nil {
		return nil, err
	}
	receipts := make([]Receipt, len(ds))
	for i := range ds {
		receipts[i] = Receipt{ds[i].Seq, ds[i].ID}
	}
	return receipts, nil
}
