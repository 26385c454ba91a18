package main

import (
	"context"
	"sync"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
	"github.com/cskr/pubsub/v2"
	"tailscale.com/util/eventbus"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func queued() table {
	return table{
		Title:   "queued subscriptions, ns per publish until all have it",
		Readers: []int{1, 10, 100},
		Floors:  2,
		Contenders: []contender{
			{Name: "chan T for each", Lacks: "everything but delivery; blocks the publisher", start: startValues},
			{Name: "chan *T for each", Lacks: "everything but delivery; blocks the publisher", start: startPointers},
			{Name: "swarmbus", start: startSubscriptions},
			{Name: "cskr/pubsub v2", Lacks: "history, expiry, identity, accounts; a slow reader blocks everybody", start: startCskr},
			{Name: "tailscale eventbus", Lacks: "history, expiry, identity, accounts; queues without bound", start: startTailscale},
			{Name: "watermill gochannel", Lacks: "order between readers, types, history after delivery, expiry, identity, accounts", start: startWatermill},
			{Name: "NATS in process", Lacks: "history, types, lossless readers (slow ones are cut off), expiry, accounts", start: startNATS},
			{Name: "JetStream in memory, acknowledged", Lacks: "types, conflicts, inline handlers; it can also leave the process", start: startJetStream, most: 10},
		},
	}
}

const deep = 1024 // of every queue

func startValues(readers int) (func(int), func(), error) {
	e := newEvent()
	return func(n int) {
		var wg sync.WaitGroup
		to := make([]chan event, readers)
		for i := range to {
			c := make(chan event, deep)
			to[i] = c
			wg.Go(func() { drain(c, n) })
		}
		for range n {
			for _, c := range to {
				c <- *e
			}
		}
		wg.Wait()
	}, func() {}, nil
}

func drain[T any](c <-chan T, n int) {
	for range n {
		<-c
	}
}

func startPointers(readers int) (func(int), func(), error) {
	e := newEvent()
	return func(n int) {
		var wg sync.WaitGroup
		to := make([]chan *event, readers)
		for i := range to {
			c := make(chan *event, deep)
			to[i] = c
			wg.Go(func() { drain(c, n) })
		}
		for range n {
			s := *e
			for _, c := range to {
				c <- &s
			}
		}
		wg.Wait()
	}, func() {}, nil
}

func startSubscriptions(readers int) (func(int), func(), error) {
	b, p, err := newBus()
	if err != nil {
		return nil, nil, err
	}
	ctx, e := context.Background(), newEvent()
	subs := make([]*bus.Subscription, readers)
	for i := range subs {
		subs[i], err = b.Subscribe(bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindDiscovery}, Backlog: 1 << 30})
		if err != nil {
			return nil, nil, err
		}
	}
	return func(n int) {
		var wg sync.WaitGroup
		for _, s := range subs {
			wg.Go(func() {
				left := n
				for _, err := range s.All(ctx) {
					if left--; left == 0 || err != nil {
						return
					}
				}
			})
		}
		for range n {
			if _, err := p.Publish(ctx, e); err != nil {
				panic(err)
			}
		}
		wg.Wait()
	}, b.Close, nil
}

func startCskr(readers int) (func(int), func(), error) {
	ps := pubsub.New[string, *event](deep)
	subs := make([]chan *event, readers)
	for i := range subs {
		subs[i] = ps.Sub("discovery")
	}
	e := newEvent()
	return func(n int) {
		var wg sync.WaitGroup
		for _, c := range subs {
			wg.Go(func() { drain(c, n) })
		}
		for range n {
			s := *e
			ps.Pub(&s, "discovery")
		}
		wg.Wait()
	}, ps.Shutdown, nil
}

func startTailscale(readers int) (func(int), func(), error) {
	b := eventbus.New()
	client := b.Client("bench")
	subs := make([]*eventbus.Subscriber[*event], readers)
	for i := range subs {
		subs[i] = eventbus.Subscribe[*event](b.Client("reader"))
	}
	pub, e := eventbus.Publish[*event](client), newEvent()
	return func(n int) {
		var wg sync.WaitGroup
		for _, s := range subs {
			wg.Go(func() { drain(s.Events(), n) })
		}
		for range n {
			s := *e
			pub.Publish(&s)
		}
		wg.Wait()
	}, b.Close, nil
}

func startWatermill(readers int) (func(int), func(), error) {
	ps := gochannel.NewGoChannel(gochannel.Config{OutputChannelBuffer: deep}, watermill.NopLogger{})
	ctx, cancel := context.WithCancel(context.Background())
	subs := make([]<-chan *message.Message, readers)
	for i := range subs {
		c, err := ps.Subscribe(ctx, "discovery")
		if err != nil {
			cancel()
			return nil, nil, err
		}
		subs[i] = c
	}
	e := newEvent()
	return func(n int) {
			var wg sync.WaitGroup
			for _, c := range subs {
				wg.Go(func() {
					for range n {
						(<-c).Ack()
					}
				})
			}
			for range n {
				if err := ps.Publish("discovery", message.NewMessage("id", []byte(e.Payload.Finding))); err != nil {
					panic(err)
				}
			}
			wg.Wait()
		}, func() {
			cancel()
			_ = ps.Close()
		}, nil
}
