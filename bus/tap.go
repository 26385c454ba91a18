package bus

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
)

// A Tap looks at the log as it goes by, for those who watch: it sees every
// signal, whoever it is for, and may miss some, which it counts. It holds
// nothing back and is in no books. Its methods must not be used concurrently.
type Tap struct {
	bus     *Bus
	filter  Filter
	pos     uint64
	sleeper sleeper
	missed  uint64
	closed  bool
}

// Tap returns a tap on the signals that f picks, from the next one on, or from
// the first after f.After that is kept if that is not 0.
func (b *Bus) Tap(f Filter) *Tap {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := &Tap{bus: b, filter: f, pos: b.log.next}
	if f.After > 0 {
		t.pos = b.log.after(f.After)
		if f.After < b.evictedTo {
			t.missed = b.evictedTo - f.After
		}
	}
	t.sleeper.nodes = []node{{queue: &b.everyone}}
	return t
}

// Next waits for the next signal. missed is the number of signals that left
// the history, whatever they were, since the call before and before the tap
// came to them. It returns [ErrClosed] when the bus or the tap was closed and
// everything kept was seen, and why ctx ended.
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
			t.giveUp()
			return nil, 0, context.Cause(ctx)
		}
	}
}

// Close ends the tap.
func (t *Tap) Close() {
	t.bus.mu.Lock()
	defer t.bus.mu.Unlock()
	t.closed = true
	t.sleeper.rouse()
	t.sleeper.pay()
}

func (t *Tap) giveUp() {
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
	if t.pos < b.log.floor {
		t.missed += b.log.floor - t.pos
		t.pos = b.log.floor
	}
	q := query{Filter: t.filter, now: b.clock.now()}
	for ; t.pos < b.log.next; t.pos++ {
		c, i := b.log.chunk(t.pos), int(t.pos%slots)
		switch {
		case c.due[i] < q.now:
			t.missed++
		case q.match(c, i):
			t.pos++
			return c.signal(i), nil, nil
		}
	}
	if b.state == closed {
		return nil, nil, ErrClosed
	}
	return nil, t.sleeper.sleep(t.pos), nil
}
