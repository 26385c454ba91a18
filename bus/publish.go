package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// publish commits signals that were validated and allowed.
func (b *Bus) publish(ctx context.Context, agent string, all []signals.Any) ([]Receipt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.waitForRoomLocked(ctx, agent, all); err != nil {
		return nil, err
	}
	now := b.opts.Clock()
	stamped := make([]signals.Any, len(all))
	for i, s := range all {
		stamped[i] = b.stampLocked(s, agent, b.last+1+uint64(i), now)
		if err := b.acceptLocked(stamped[i], stamped[:i], now); err != nil {
			return nil, err
		}
	}
	receipts := make([]Receipt, len(all))
	var opened []opening
	for i, s := range stamped {
		h := s.Head()
		receipts[i] = Receipt{h.Seq, h.ID, h.Time}
		for _, pair := range b.appendLocked(s, now) {
			opened = append(opened, opening{pair, h})
		}
	}
	b.appendConflictsLocked(opened, now)
	b.startSweeperLocked()
	b.changed.Broadcast()
	return receipts, nil
}

// stampLocked returns s as it will be in the log.
func (b *Bus) stampLocked(s signals.Any, agent string, seq uint64, now time.Time) signals.Any {
	h := s.Head()
	h.Seq, h.Source = seq, agent
	if h.Time.IsZero() {
		h.Time = now
	}
	if h.TTL == 0 {
		h.TTL = b.opts.TTL
	}
	if h.ID.IsZero() {
		h.ID = b.opts.Mint.ID(seq, now) // a publisher's own time could use the mint up
	}
	return signals.With(s, h)
}

// acceptLocked refuses what cannot be committed after earlier, the ones
// before it in the same call.
func (b *Bus) acceptLocked(s signals.Any, earlier []signals.Any, now time.Time) error {
	h := s.Head()
	if h.Expired(now) {
		return fmt.Errorf("%w: %s %s ended at %v", ErrExpired, s.Kind(), h.ID, h.Time.Add(h.TTL))
	}
	_, held := b.ids[h.ID]
	for _, e := range earlier {
		held = held || e.Head().ID == h.ID
	}
	if held {
		return fmt.Errorf("%w: %s", ErrDuplicate, h.ID)
	}
	return b.ownsProposalLocked(s, earlier)
}

// An opening is a conflict with the header of the proposal that opened it.
type opening struct {
	pair  conflict.Pair
	cause signals.Header
}

// appendConflictsLocked puts the signals of the opened conflicts right behind
// what opened them.
func (b *Bus) appendConflictsLocked(opened []opening, now time.Time) {
	for _, o := range opened {
		b.counts.conflicts++
		b.appendLocked(signals.New(signals.Header{
			Seq: b.last + 1, ID: o.pair.ID(), Source: System, Thread: o.pair.Thread, ReplyTo: o.pair.B.Signal,
			Time: o.cause.Time, TTL: o.cause.TTL, Confidence: 1, Round: o.cause.Round,
		}, o.pair.Payload()), now)
	}
}

// appendLocked makes s part of the log: history first, then every reader. It
// returns the conflicts that s opens.
func (b *Bus) appendLocked(s signals.Any, now time.Time) []conflict.Pair {
	h := s.Head()
	b.last = h.Seq
	b.counts.published++
	b.history = append(b.history, s)
	b.ids[h.ID] = s
	b.claimProposalLocked(s)
	b.emitLocked(Published{s})
	opened := b.foldLocked(s)
	b.evictLocked(now)
	for _, sub := range b.subscriptions {
		sub.offerLocked(s)
	}
	b.queueLocked(s)
	return opened
}

// foldLocked shows s to the detector before anything can evict it: what is
// evicted first would never be removed again.
func (b *Bus) foldLocked(s signals.Any) []conflict.Pair {
	if b.opts.NoConflicts {
		return nil
	}
	change := b.conflicts.Fold(s)
	b.conflictsEndedLocked(change, true)
	for _, pair := range change.Opened {
		b.emitLocked(ConflictOpened{pair})
	}
	return change.Opened
}
