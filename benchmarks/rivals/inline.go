package main

import (
	"context"
	"sync"
	"time"

	"github.com/asaskevich/EventBus"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

const nothingButCalls = "no order, history, expiry, identity, isolation, accounts"

func inline() table {
	return table{
		Title:   "inline handlers, ns per publish",
		Readers: []int{0, 1, 10, 100},
		Floors:  2,
		Contenders: []contender{
			{Name: "interface call", Lacks: nothingButCalls, start: startCalls},
			{Name: "clock, lock, store, guarded calls", Lacks: "validation, permissions, ids, threads, expiry, conflicts, order across publishers for handlers, re-entrancy, accounts", start: startFloor},
			{Name: "swarmbus", start: startInline(false)},
			{Name: "swarmbus, time given", start: startInline(true)},
			{Name: "asaskevich/EventBus, synchronous", Lacks: "order of two publishers, history, expiry, identity, panic isolation, types, re-entrant publish of a topic being changed", start: startEventBus},
		},
	}
}

type sink interface{ take(event) error }

type counter struct{ n int }

func (c *counter) take(event) error { c.n++; return nil }

func sinks(n int) []sink {
	out := make([]sink, n)
	for i := range out {
		out[i] = &counter{}
	}
	return out
}

func startCalls(readers int) (func(int), func(), error) {
	to, e := sinks(readers), newEvent()
	return func(n int) {
		for range n {
			for _, s := range to {
				_ = s.take(*e)
			}
		}
	}, func() {}, nil
}

// floor is the least that an ordered log with guarded handlers does.
type floor struct {
	mu   sync.Mutex
	base time.Time
	ring [1024]event
	n    uint64
	to   []sink
}

func (f *floor) publish(e *event) {
	f.mu.Lock()
	at := f.base.Add(time.Since(f.base))
	slot := &f.ring[f.n%1024]
	*slot = *e
	slot.Seq, slot.Time = f.n, at
	f.n++
	f.mu.Unlock()
	f.call(slot)
}

func (f *floor) call(e *event) {
	defer func() { _ = recover() }()
	for _, s := range f.to {
		_ = s.take(*e)
	}
}

func startFloor(readers int) (func(int), func(), error) {
	f, e := &floor{base: time.Now(), to: sinks(readers)}, newEvent()
	return func(n int) {
		for range n {
			f.publish(e)
		}
	}, func() {}, nil
}

// newBus returns a bus with all features on, and a handle with restricted
// permissions.
func newBus() (*bus.Bus, *bus.Publisher, error) { return newBusWith(nil) }

func newBusWith(o *bus.Options) (*bus.Bus, *bus.Publisher, error) {
	b, err := bus.New(o)
	if err != nil {
		return nil, nil, err
	}
	p, err := b.Agent("analyst", bus.Permissions{CanEmit: []signals.Kind{signals.KindDiscovery, signals.KindVote, signals.KindProposal}})
	return b, p, err
}

func startInline(timed bool) func(int) (func(int), func(), error) {
	return func(readers int) (func(int), func(), error) {
		b, p, err := newBus()
		if err != nil {
			return nil, nil, err
		}
		for range readers {
			c := &counter{} // counted here: another call would copy the signal once more
			if _, err := bus.Handle(b, bus.HandleOptions{}, func(context.Context, event) error { c.n++; return nil }); err != nil {
				return nil, nil, err
			}
		}
		ctx, e := context.Background(), newEvent()
		if timed {
			e.Time, e.TTL = time.Now().UTC().Round(0), -1
		}
		return func(n int) {
			for range n {
				if _, err := p.Publish(ctx, e); err != nil {
					panic(err)
				}
			}
		}, b.Close, nil
	}
}

func startEventBus(readers int) (func(int), func(), error) {
	b := EventBus.New()
	for range readers {
		c := &counter{}
		if err := b.Subscribe("discovery", func(*event) { c.n++ }); err != nil {
			return nil, nil, err
		}
	}
	e := newEvent()
	return func(n int) {
		for range n {
			b.Publish("discovery", e)
		}
	}, func() {}, nil
}
