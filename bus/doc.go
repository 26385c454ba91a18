// Package bus is one ordered, bounded log of signals and its readers.
//
//	b := bus.New(nil)
//	defer b.Close()
//	analyst, _ := b.Agent("analyst", bus.Permissions{CanEmit: []signals.Kind{signals.KindDiscovery}})
//	inbox, _ := b.Subscribe(bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindDiscovery}})
//	analyst.Publish(ctx, signals.New(
//		signals.Header{Confidence: 0.9},
//		signals.Discovery{Finding: "retries have no jitter", Relevance: 1},
//	))
//	s, _ := inbox.Next(ctx)
//
// # Order
//
// Publish gives a signal the next sequence number, and the history, every
// subscription and every handler show that same order, whoever published and
// from wherever. A proposal with a rival is followed at once by its conflict
// signal (package conflict). Publish returns when the signal is in the log; it
// promises no delivery, but [Bus.Sync] waits for handlers.
//
// # Readers
//
// A [Subscription] misses nothing and reads in its own goroutine. An inline
// handler ([Handle]) runs in the publisher that finds the handlers idle.
// [Bus.History] is a bounded window for those who watch. A signal with
// recipients reaches their readers alone; the history and observers see it.
//
// # Identity
//
// Agents publish through a handle of their own ([Bus.Agent]), which binds
// their id as the source and may bind kinds and threads. The kinds that steer a
// swarm are the system's. A proposal id belongs to the first source and content
// that used it.
//
// # Limits
//
// The history holds a bounded number of signals and evicts the oldest. A
// signal expires when now > time + ttl: then it is refused, and no longer
// returned or delivered. What a subscription has not read is bounded, and so
// is what waits for handlers. Whatever is not delivered is accounted for:
// see [Books].
//
// # Stopping
//
// [Bus.Close] stops delivery at once and waits for nobody; [Bus.Shutdown]
// lets readers finish and waits for every goroutine.
package bus
