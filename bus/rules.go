package bus

import (
	"context"
	"errors"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Detect applies a rule to the signals in the history and those published later, and
// publishes the conflicts that it finds as the system. A goroutine of the bus calls
// the rule's functions, so no publisher waits for them, and a conflict's signal
// comes after the signals that contradict each other, but not directly. Each
// conflict ends when it is resolved, when its thread reaches consensus or is closed,
// or when one of the two signals expires. A rule that panics, or does not keep up
// with 65536 signals, ends. stop ends it and waits until it has ended; it must not be
// called inside the rule.
func (b *Bus) Detect(r conflict.Rule) (stop func(), err error) {
	if r.Name == "" || r.Contradict == nil {
		return nil, &OptionError{"Rule", r.Name, "has no name or no Contradict"}
	}
	log, err := b.System().Subscribe(SubscribeOptions{Kinds: r.Kinds, Past: true, After: b.evictedTo()})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	b.mu.Lock()
	b.goLocked(func() {
		defer close(done)
		defer log.Close()
		_ = guard(func() error { b.detect(ctx, log, conflict.NewComparer(r)); return nil })
	})
	b.mu.Unlock()
	return func() { cancel(); <-done }, nil
}

// evictedTo returns the greatest sequence number that has left the history.
func (b *Bus) evictedTo() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.EvictedTo()
}

func (b *Bus) detect(ctx context.Context, log *Subscription, c *conflict.Comparer) {
	p := &Publisher{bus: b, agent: System, role: ruleRole}
	for s, err := range log.All(ctx) {
		if err != nil {
			return
		}
		pair, older := c.Compare(s)
		if older == nil {
			continue
		}
		h := signals.Header{
			ID: pair.ID(), Thread: pair.Thread, ReplyTo: pair.B.Signal, Confidence: 1, Round: s.Head().Round,
			TTL: b.untilEither(older.Head(), s.Head()),
		}
		if _, err := p.Publish(ctx, signals.New(h, pair.Payload())); err != nil && !errors.Is(err, ErrDuplicate) {
			return
		}
	}
}

// untilEither returns how long both signals are live from now on; <0 if for ever.
func (b *Bus) untilEither(x, y signals.Header) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	due := min(deadline(x.Time.UnixNano(), x.TTL), deadline(y.Time.UnixNano(), y.TTL))
	if due == forever {
		return -1
	}
	return max(1, time.Duration(due-b.clock.now()))
}
