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

// ErrUnknown is wrapped by the error for signals of which the [Sequencer] does not know what
// became: they may be in the log, may enter it yet, or not. To publish them again with the same
// ids does no harm. Other errors mean that they are not in the log, and never will be.
var ErrUnknown = errors.New("bus: the signals may be in the log")

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
	// then returns the error of Feed. After an error the signals never enter the log, unless it
	// wraps [ErrUnknown], as it does if ctx ended too soon or if servers answered one try and not
	// another: then they may, and they may be appended again, to be there once.
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
	left      bool                // its caller does not know: it may enter the log, whatever Append returns later
}

// submit is commit for a bus with a sequencer: the drafts enter the log when the bus is
// fed with them. With committed they are meant for the next sequence number: if the log
// moved on meanwhile, decide is called again. Before it decides, it sends again what
// callers left unknown, so there is never more of it than there were calls at once.
func (p *Publisher) submit(ctx context.Context, decide func(seq uint64, now int64) ([]draft, error), committed func([]signals.Any)) error {
	b := p.bus
	for {
		s := &submission{committed: committed}
		err := b.write(ctx, func(now int64) error {
			if n := len(b.left); n > 0 && committed != nil {
				s, b.left = b.left[n-1], b.left[:n-1]
				return nil
			}
			return p.completeLocked(s, decide, now)
		})
		if err == nil && len(s.ds) > 0 {
			err = b.appendAll(ctx, s)
		}
		if !errors.Is(err, ErrMoved) {
			return err
		}
	}
}

// completeLocked admits what decide drafts by what is in the log now, and completes the
// signals. Whether they enter the log is decided in every process when they are fed.
func (p *Publisher) completeLocked(s *submission, decide func(seq uint64, now int64) ([]draft, error), now int64) (err error) {
	b := p.bus
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
	if s.committed != nil && len(s.ds) > 0 {
		b.expected[s.ds[0].ID] = s
	} else if s.committed != nil {
		s.committed(nil)
	}
	return nil
}

// appendAll passes the signals to the sequencer, and gives the drafts their numbers. Those
// that are not in the log count for no limit. Of those that may be in it a layer keeps the
// submission, which the log or the next call settles. It returns ErrMoved if the submission
// was another caller's and is settled.
func (a *admission) appendAll(ctx context.Context, s *submission) error {
	first, err := a.sequencer.Append(ctx, s.all, s.at)
	for i := range s.ds {
		s.ds[i].Seq = first + uint64(i)
	}
	if err != nil {
		a.folds.mu.Lock()
		defer a.folds.mu.Unlock()
		switch id, unknown := s.ds[0].ID, errors.Is(err, ErrUnknown); {
		case unknown && a.expected[id] == s:
			s.left, a.left = true, append(a.left, s)
			return err
		case !unknown && !s.left:
			a.refundLocked(s.ds)
			delete(a.expected, id)
		}
	}
	if s.left {
		return ErrMoved
	}
	return err
}

// arrivedLocked calls committed for submissions that the bus has just been fed with: nothing
// is decided between their entering the log and being folded. For all others that were
// expected the log has moved on. What nobody expected is for layers that follow the log.
func (a *admission) arrivedLocked(ds []draft) {
	for len(ds) > 0 {
		n := 1
		if s := a.expected[ds[0].ID]; s != nil && s.at == ds[0].Seq {
			n = min(len(s.ds), len(ds))
			a.foldLocked(ds[:n], s.committed)
		} else {
			a.followLocked(&ds[0])
		}
		ds = ds[n:]
	}
	clear(a.expected)
	a.left = nil
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

// A follower is a layer that follows the log.
type follower struct {
	kinds []signals.Kind
	fold  func(signals.Any) (more bool)
}

func (a *admission) follow(f follower) (from uint64) {
	a.folds.mu.Lock()
	defer a.folds.mu.Unlock()
	a.following = append(a.following, f)
	return a.history.Last()
}

func (a *admission) followLocked(d *draft) {
	a.following = slices.DeleteFunc(a.following, func(f follower) bool {
		if !slices.Contains(f.kinds, d.KindText) {
			return false
		}
		a.history.Share()
		return !f.fold(d.Signal)
	})
}
