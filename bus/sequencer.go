package bus

import (
	"context"
	"errors"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// ErrMoved is returned by a [Sequencer] if the signals would not have got the sequence
// number for which they were meant.
var ErrMoved = errors.New("bus: sequence number is no longer free")

// A Sequencer orders the signals of several buses, usually in several processes, in one
// log that each of them is fed with ([Options].Sequencer, [Bus.Feed]). The bus calls its
// methods concurrently.
type Sequencer interface {
	// Next returns the sequence number that the next signal gets unless the log moves on
	// meanwhile. The bus has been fed with all signals before it. It is called with the
	// bus's lock held.
	Next() uint64
	// Append appends the signals to the log, all of them with consecutive sequence numbers
	// or none, and returns the first number when the bus has been fed with them, by one
	// call of Feed. Each has an id, a source and a time. With at > 0 they are appended only
	// with at as the first number; otherwise it returns [ErrMoved], when the bus has been
	// fed with what came between. Signals that Feed refuses are in no bus's log; Append
	// then returns the error of Feed.
	Append(ctx context.Context, all []signals.Any, at uint64) (first uint64, err error)
}

// sequenced reports whether the signals pass through a sequencer.
func (a *admission) sequenced() bool { return a.sequencer != nil }

// A submission is drafts that pass through the sequencer.
type submission struct {
	ds        []draft
	all       []signals.Any
	at        uint64              // the first number; 0: any
	committed func([]signals.Any) // called when the bus is fed with them; nil: they may go anywhere
}

// submitAll is commitAll for a bus with a sequencer.
func (p *Publisher) submitAll(ctx context.Context, ds []draft) error {
	own := slices.Clone(ds) // the caller's would escape
	err := p.submit(ctx, func(uint64, int64) ([]draft, error) { return own, nil }, nil)
	copy(ds, own)
	return err
}

// submit is commit for a bus with a sequencer: the drafts enter the log when the bus is
// fed with them. With committed they are meant for the next sequence number: if the log
// moved on meanwhile, decide is called again.
func (p *Publisher) submit(ctx context.Context, decide func(seq uint64, now int64) ([]draft, error), committed func([]signals.Any)) error {
	for {
		s := submission{committed: committed}
		err := p.complete(&s, decide)
		if err == nil && len(s.ds) > 0 {
			err = p.bus.appendAll(ctx, &s)
		}
		if !errors.Is(err, ErrMoved) {
			return err
		}
	}
}

// complete admits what decide drafts by what is in the log now, and completes the
// signals. Whether they enter the log is decided in every process when they are fed.
func (p *Publisher) complete(s *submission, decide func(seq uint64, now int64) ([]draft, error)) (err error) {
	b := p.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != open {
		return ErrClosed
	}
	now := b.clock.Now()
	if s.committed != nil {
		s.at = b.sequencer.Next()
	}
	if s.ds, err = decide(s.at, now); err != nil {
		return err
	}
	if err := b.admitLocked(p, s.ds, now); err != nil {
		return err
	}
	b.spoken = b.spoken || p.role == agentRole
	for i := range s.ds {
		d := &s.ds[i]
		h := *d.head
		h.Seq, h.ID, h.Source, h.Time, h.TTL = 0, d.ID, d.Source, d.Time, d.TTL
		s.all = append(s.all, signals.With(d.Signal, h))
	}
	switch {
	case s.committed == nil:
	case len(s.ds) == 0:
		s.committed(nil)
	default:
		b.expected[s.ds[0].ID] = s
	}
	return nil
}

// appendAll passes the signals to the sequencer, and gives the drafts their numbers. Those
// that are not in the log count for no limit; if ctx ended they may be in it yet.
func (a *admission) appendAll(ctx context.Context, s *submission) error {
	first, err := a.sequencer.Append(ctx, s.all, s.at)
	for i := range s.ds {
		s.ds[i].Seq = first + uint64(i)
	}
	if err != nil && ctx.Err() == nil {
		a.folds.mu.Lock()
		defer a.folds.mu.Unlock()
		a.refundLocked(s.ds)
	}
	return err
}

// arrivedLocked calls committed for submissions that the bus has just been fed with: nothing
// is decided between their entering the log and being folded. For all others that were
// expected the log has moved on.
func (a *admission) arrivedLocked(ds []draft) {
	for i := range ds {
		if s := a.expected[ds[i].ID]; s != nil && s.at == ds[i].Seq {
			a.foldLocked(ds[i:min(i+len(s.ds), len(ds))], s.committed)
		}
	}
	clear(a.expected)
}

// foldLocked passes a layer its signals as they are in the log.
func (a *admission) foldLocked(ds []draft, committed func([]signals.Any)) {
	a.history.Share()
	all := make([]signals.Any, len(ds))
	for i := range ds {
		all[i] = ds[i].Signal
	}
	committed(all)
}
