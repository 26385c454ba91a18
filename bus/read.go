package bus

import (
	"context"
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/backlog"
	"github.com/swarmbus/swarmbus/signals"
)

// Next waits for the next signal, and checks at the call whether it has expired.
// Its errors are [ErrClosed], [ErrLagged] after the last unread signal, and the
// cause of ctx's end: once ctx has ended, Next returns no signal, even if one is
// unread ([Subscription.Poll] does).
func (s *Subscription) Next(ctx context.Context) (signals.Any, error) {
	var one [1]signals.Any
	if _, err := s.Read(ctx, one[:]); err != nil {
		return nil, err
	}
	return one[0], nil
}

// Read waits for at least one signal and reads as many as there are and fit into
// dst. It checks once whether they have expired, and is otherwise a faster
// [Subscription.Next].
func (s *Subscription) Read(ctx context.Context, dst []signals.Any) (int, error) {
	for len(dst) > 0 {
		n, err := s.claim(ctx, dst)
		if err != nil {
			return 0, err
		}
		if n = s.accept(dst[:n]); n > 0 {
			s.deliver(dst[:n])
			return n, nil
		}
	}
	return 0, nil
}

// Poll is [Subscription.Next] without waiting: if there is no signal to read, it
// returns nil and no error.
func (s *Subscription) Poll() (signals.Any, error) {
	var one [1]signals.Any
	for {
		n, _, err := s.look(one[:], false)
		if n == 0 || err != nil {
			return nil, err
		}
		if s.accept(one[:]) > 0 {
			s.deliver(one[:])
			return one[0], nil
		}
	}
}

// maxBatch is the maximum number of signals that All takes at once: with 64, the
// lock costs a reader less than a nanosecond per signal.
const maxBatch = 64

// All yields all signals from here on, until the loop ends or an error is yielded
// last: one of those of [Subscription.Next]. A fast loop gets signals in batches,
// and expiry is checked once per batch; a loop that takes longer than 1 ms for a
// signal gets them one by one. The account counts a batch as pending until its last
// signal has been taken. When the loop ends, by whatever means, the signals of a batch that
// it has not taken remain unread.
func (s *Subscription) All(ctx context.Context) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		buffer := make([]signals.Any, maxBatch)
		for {
			n, err := s.claim(ctx, buffer[:s.pace()])
			if err != nil {
				yield(nil, err)
				return
			}
			if !s.yield(buffer[:s.accept(buffer[:n])], ctx.Done(), yield) {
				return
			}
		}
	}
}

// yield yields a batch, and gives back the signals that are not taken.
func (s *Subscription) yield(batch []signals.Any, ended <-chan struct{}, yield func(signals.Any, error) bool) bool {
	next, settled := 0, 0
	defer func() {
		s.deliver(batch[settled:next])
		s.giveBack(batch[next:])
	}()
	for next < len(batch) {
		if s.closed.Load() || backlog.Over(ended) {
			return true // the next claim returns the reason
		}
		signal := batch[next]
		if next++; next == len(batch) || s.observed() {
			s.deliver(batch[settled:next])
			settled = next
		}
		if !yield(signal, nil) {
			return false
		}
	}
	return true
}

// pace returns how many signals All takes next: twice as many as before if the
// loop is fast, one if it took longer than a millisecond per signal.
func (s *Subscription) pace() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.paced) > time.Duration(s.batch)*time.Millisecond {
		s.batch = 1
	} else {
		s.batch = min(2*s.batch, maxBatch)
	}
	s.paced = now
	return s.batch
}
