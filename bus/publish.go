package bus

import (
	"context"
	"fmt"
	"time"

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
	for i, s := range stamped {
		h := s.Head()
		receipts[i] = Receipt{h.Seq, h.ID, h.Time}
		b.appendLocked(s, now)
	}
	b.appendConflictsLocked(stamped, now)
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
		h.ID = b.opts.Mint.ID(seq, h.Time)
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

// appendConflictsLocked folds what was just appended and puts the conflicts
// that it opens right behind.
func (b *Bus) appendConflictsLocked(causes []signals.Any, now time.Time) {
	if b.opts.NoConflicts {
		return
	}
	for _, cause := range causes {
		change := b.conflicts.Fold(cause)
		b.conflictsEndedLocked(change, true)
		for _, pair := range change.Opened {
			b.counts.conflicts++
			h := cause.Head()
			b.appendLocked(signals.New(signals.Header{
				Seq: b.last + 1, ID: pair.ID(), Source: System, Thread: pair.Thread, ReplyTo: pair.B.Signal,
				Time: h.Time, TTL: h.TTL, Confidence: 1, Round: h.Round,
			}, pair.Payload()), now)
			b.emitLocked(ConflictOpened{pair})
		}
	}
}

// appendLocked makes s part of the log: history first, then every reader.
func (b *Bus) appendLocked(s signals.Any, now time.Time) {
	h := s.Head()
	b.last = h.Seq
	b.counts.published++
	b.history = append(b.history, s)
	b.ids[h.ID] = s
	b.claimProposalLocked(s)
	b.emitLocked(Published{s})
	b.evictLocked(now)
	for _, sub := range b.subscriptions {
		sub.offerLocked(s)
	}
	b.queueLocked(s)
}
