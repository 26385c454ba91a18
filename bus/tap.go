package bus

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// A Tap watches the log: it shows all signals, whoever they are for, but may miss
// some, which it counts. It blocks no publisher and is in no books. Its methods
// must not be used concurrently.
type Tap struct {
	bus     *Bus
	filter  Filter
	pos     uint64
	sleeper sleeper
	missed  uint64
	closed  bool
}

// Tap returns a tap on the signals that f selects, from the next one on or, if
// f.After is not 0, from the first one after it in the history; f.After may be
// beyond the end of a log that is fed. NewestFirst is ignored.
func (b *Bus) Tap(f Filter) *Tap {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := &Tap{bus: b, filter: f, pos: b.log.Next()}
	t.filter.NewestFirst, t.filter.Kinds, t.filter.Threads = false, slices.Clone(f.Kinds), slices.Clone(f.Threads)
	if f.After > 0 {
		t.pos = b.log.After(f.After)
		if gone := b.log.EvictedTo(); f.After < gone {
			// If sequence numbers have gaps, fewer entries than numbers were evicted.
			t.missed = min(gone-f.After, b.log.Counts().Evicted)
		}
	}
	t.sleeper.nodes = []node{{queue: &b.everyone}}
	return t
}

// Next waits for the next signal. missed is the number of signals, of any kind,
// that left the history since the previous call before the tap reached them. For
// a tap that starts in the past of a fed log with gaps, the first call returns an
// upper bound. Next returns [ErrClosed] when the bus or the tap has been closed
// and the tap has shown the whole history, or the cause of ctx's end.
func (t *Tap) Next(ctx context.Context) (s signals.Any, missed uint64, err error) {
	for {
		s, wait, err := t.look()
		if s != nil || err != nil {
			missed, t.missed = t.missed, 0
			return s, missed, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			t.wake()
			return nil, 0, context.Cause(ctx)
		}
	}
}

// Close ends the tap.
func (t *Tap) Close() {
	t.bus.mu.Lock()
	t.closed = true
	t.bus.mu.Unlock()
	t.wake()
}

func (t *Tap) wake() {
	t.bus.mu.Lock()
	defer t.bus.mu.Unlock()
	t.sleeper.rouse()
	t.sleeper.pay()
}

func (t *Tap) look() (signals.Any, <-chan struct{}, error) {
	b := t.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	t.sleeper.pay()
	if t.closed {
		return nil, nil, ErrClosed
	}
	if floor := b.log.Floor(); t.pos < floor {
		t.missed += floor - t.pos
		t.pos = floor
	}
	for now := b.clock.now(); t.pos < b.log.Next(); {
		s, i := b.log.Segment(t.pos), int(t.pos%store.Slots)
		t.pos++
		switch {
		case s.Due[i] < now:
			t.missed++
		case t.picks(s, i):
			b.log.Share()
			return s.Signal[i], nil, nil
		}
	}
	if b.state == closed {
		return nil, nil, ErrClosed
	}
	return nil, t.sleeper.sleep(t.pos), nil
}

func (t *Tap) picks(s *store.Segment, i int) bool {
	f := store.Filter(t.filter)
	return f.Picks(s, i)
}
