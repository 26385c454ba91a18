package bus

import (
	"context"
	"errors"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// ErrMoved is returned by a [Sequencer] if the signals would not have got the sequence
// number for which they were meant.
var ErrMoved = errors.New("bus: the log has moved on")

// A Sequencer orders the signals of several buses, usually in several processes, in one
// log that each of them is fed with ([Options].Sequencer, [Bus.Feed]). The bus calls its
// methods concurrently.
type Sequencer interface {
	// Next returns the sequence number that the next signal gets unless the log moves on
	// meanwhile. The bus has been fed with all signals before it. It is called with the
	// bus's lock held.
	Next() uint64
	// Append appends the signals to the log, all of them with consecutive sequence numbers
	// or none, and returns the first number when the bus has been fed with them. Each has
	// an id, a source and a time. With at > 0 they are appended only with at as the
	// first number; otherwise it returns [ErrMoved], when the bus has been fed with what
	// came between. Signals that Feed refuses are in no bus's log; Append then returns the
	// error of Feed.
	Append(ctx context.Context, all []signals.Any, at uint64) (first uint64, err error)
}

// sequenced reports whether the signals pass through a sequencer.
func (a *admission) sequenced() bool { return a.sequencer != nil }

// A submission is drafts that pass through the sequencer.
type submission struct {
	ds  []draft
	all []signals.Any
	at  uint64 // 0: anywhere
}

// submitAll is commitAll for a bus with a sequencer.
func (p *Publisher) submitAll(ctx context.Context, ds []draft) error {
	own := slices.Clone(ds) // the caller's would escape
	err := p.submit(ctx, false, func(uint64, int64) ([]draft, error) { return own, nil }, func([]draft) {})
	copy(ds, own)
	return err
}

// submit is commit for a bus with a sequencer: the drafts enter the log when the bus is
// fed with them. If they are meant for the next sequence number, and the log moved on
// meanwhile, decide is called again.
func (p *Publisher) submit(
	ctx context.Context, next bool, decide func(seq uint64, now int64) ([]draft, error), committed func([]draft),
) error {
	b := p.bus
	for {
		s, err := p.completed(next, decide)
		if err == nil && len(s.ds) > 0 {
			err = s.appendAll(ctx, b.sequencer)
		}
		if errors.Is(err, ErrMoved) {
			continue
		}
		if err == nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			committed(s.ds)
		}
		return err
	}
}

// completed admits what decide drafts by what is in the log now, and completes the
// signals. Whether they enter the log is decided in every process when they are fed.
func (p *Publisher) completed(next bool, decide func(seq uint64, now int64) ([]draft, error)) (s submission, err error) {
	b := p.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != open {
		return s, ErrClosed
	}
	now := b.clock.Now()
	if next {
		s.at = b.sequencer.Next()
	}
	if s.ds, err = decide(s.at, now); err != nil {
		return s, err
	}
	if err := b.admitLocked(p, s.ds, now); err != nil {
		return s, err
	}
	b.spoken = b.spoken || p.role == agentRole
	for i := range s.ds {
		d := &s.ds[i]
		h := *d.head
		h.Seq, h.ID, h.Source, h.Time, h.TTL = 0, d.ID, d.Source, d.Time, d.TTL
		s.all = append(s.all, signals.With(d.Signal, h))
	}
	return s, nil
}

// appendAll passes the signals to the sequencer. The drafts then have them as they are
// in the log.
func (s *submission) appendAll(ctx context.Context, to Sequencer) error {
	first, err := to.Append(ctx, s.all, s.at)
	if err != nil {
		return err
	}
	for i, one := range s.all {
		h := one.Head()
		h.Seq = first + uint64(i)
		s.ds[i].Seq, s.ds[i].Signal = h.Seq, signals.With(one, h)
	}
	return nil
}
