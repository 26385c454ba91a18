package bus

import (
	"context"
	"errors"
	"slices"
	"time"

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

// A submission is drafts that pass through the sequencer.
type submission struct {
	ds  []draft
	all []signals.Any
	at  uint64 // 0: anywhere
}

// appendAll passes the signals to the sequencer.
func (s *submission) appendAll(ctx context.Context, to Sequencer) error {
	first, err := to.Append(ctx, s.all, s.at)
	if err != nil {
		return err
	}
	for i := range s.ds {
		s.ds[i].Seq = first + uint64(i)
	}
	return nil
}

// completeLocked admits drafts by what is in the log now, and completes their signals.
// Whether they enter the log is decided in every process when they are fed.
func (p *Publisher) completeLocked(s *submission, now int64) error {
	b := p.bus
	if b.state != open {
		return ErrClosed
	}
	if err := b.admitLocked(p, s.ds, now); err != nil {
		return err
	}
	if p.role == agentRole {
		b.spoken = true
	}
	s.all = make([]signals.Any, len(s.ds))
	for i := range s.ds {
		d := &s.ds[i]
		h := *d.head
		h.Seq, h.ID, h.Source, h.Time, h.TTL = 0, d.ID, d.Source, d.Time, d.TTL
		s.all[i] = signals.With(d.Signal, h)
	}
	return nil
}

// submit is publish for a bus with a sequencer.
func (p *Publisher) submit(ctx context.Context, ds []draft) error {
	b, s := p.bus, submission{ds: slices.Clone(ds)} // a publisher's own would escape, whether there is a sequencer or not
	b.mu.Lock()
	err := p.completeLocked(&s, b.clock.Now())
	b.mu.Unlock()
	if err == nil {
		err = s.appendAll(ctx, b.sequencer)
	}
	copy(ds, s.ds)
	return err
}

// submit is write for a bus with a sequencer: if the log moved on between decide and the
// append, decide is called again.
func (l *Layer) submit(
	ctx context.Context, records bool, decide func(Moment) ([]signals.Any, error), committed func([]signals.Any),
) error {
	b := l.p.bus
	for {
		s, err := l.decided(records, decide)
		if err == nil && len(s.all) > 0 {
			err = s.appendAll(ctx, b.sequencer)
		}
		if errors.Is(err, ErrMoved) {
			continue
		}
		if err == nil && committed != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			committed(s.logged())
		}
		return err
	}
}

// decided returns what a layer decides to append next.
func (l *Layer) decided(records bool, decide func(Moment) ([]signals.Any, error)) (*submission, error) {
	b := l.p.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	s := &submission{at: b.sequencer.Next()}
	all, err := decide(Moment{Seq: s.at, Time: time.Unix(0, now).UTC()})
	if err != nil || len(all) == 0 {
		return s, err
	}
	if s.ds, err = l.p.drafts(all); err != nil {
		return s, err
	}
	for i := range s.ds {
		s.ds[i].record = records
	}
	return s, l.p.completeLocked(s, now)
}

// logged returns the signals as they are in the log.
func (s *submission) logged() []signals.Any {
	all := make([]signals.Any, len(s.all))
	for i, said := range s.all {
		h := said.Head()
		h.Seq = s.ds[i].Seq
		all[i] = signals.With(said, h)
	}
	return all
}
