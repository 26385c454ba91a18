package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Detect applies a rule to the signals in the history of b and those published
// later, and publishes the conflicts that it finds as the system. A goroutine calls
// the rule's functions, so no publisher waits for them, and a conflict's signal
// comes after the signals that contradict each other, but not directly. It has the
// time of the newer one. Each conflict ends when it is resolved, when its thread
// reaches consensus or is closed, or when one of the two signals expires. A rule that
// panics, or does not keep up with 65536 signals, ends, and so does one whose bus is
// closed. stop ends it and waits until it has ended; it must not be called inside the
// rule. A rule without a name or Contradict is an [ErrOption].
func Detect(b *Bus, r conflict.Rule) (stop func(), err error) {
	if r.Name == "" || r.Contradict == nil {
		return nil, fmt.Errorf("%w: Rule is %q: has no name or no Contradict", ErrOption, r.Name)
	}
	log, err := subscribeOldest(b, SubscribeOptions{Kinds: r.Kinds, Past: true})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer log.Close()
		defer func() { _ = recover() }() // what a rule does must not end the program
		compare(ctx, b, log, conflict.NewComparer(r))
	}()
	return func() { cancel(); <-done }, nil
}

// subscribeOldest starts a subscription of the system with the oldest signal in the history.
func subscribeOldest(b *Bus, o SubscribeOptions) (*Subscription, error) {
	for {
		log, err := b.System().Subscribe(o)
		var evicted *EvictedError
		if !errors.As(err, &evicted) {
			return log, err
		}
		o.After = evicted.Oldest - 1
	}
}

func compare(ctx context.Context, b *Bus, log *Subscription, c *conflict.Comparer) {
	for s, err := range log.All(ctx) {
		if err != nil {
			return
		}
		pair, older := c.Compare(s)
		if older == nil {
			continue
		}
		newer := s.Head()
		h := signals.Header{
			ID: pair.ID(), Thread: pair.Thread, ReplyTo: pair.B.Signal, Confidence: 1, Round: newer.Round,
			Time: newer.Time, TTL: untilEither(older.Head(), newer),
		}
		found := signals.New(h, pair.Payload())
		for _, err := b.System().Publish(ctx, found); errors.Is(err, ErrBacklog) && b.Sync(ctx, b.Last()) == nil; {
			_, err = b.System().Publish(ctx, found)
		}
	}
}

// untilEither returns how long both signals are live from the newer one on; <0 if
// for ever.
func untilEither(older, newer signals.Header) time.Duration {
	if older.TTL < 0 {
		return newer.TTL
	}
	left := max(1, older.Time.Add(older.TTL).Sub(newer.Time))
	if newer.TTL < 0 {
		return left
	}
	return min(left, newer.TTL)
}
