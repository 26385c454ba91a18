// Package bus is one ordered, bounded log of signals and its readers.
//
//	b, _ := bus.New(nil)
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
// A [Subscription] misses nothing and reads in its own goroutine: what it has
// not read is kept for it, up to a bound at which it ends, makes publishers
// wait, or drops the oldest ([Full]). It may start in the past and goes on live
// without gap or repetition. An inline handler ([Handle]) runs in the publisher
// that finds the handlers idle. A [Tap] may skip, and counts what it skipped;
// [Bus.History] is a bounded window: use these to watch, never to decide. A
// signal with recipients reaches their readers alone; history, taps and
// observers see it.
//
// # Identity
//
// Agents publish through a handle of their own ([Bus.Agent]), which binds
// their id as the source and may bind kinds and threads. The kinds that steer a
// swarm are the system's. A proposal id belongs to the first source and content
// that used it. [Options] may bound what one agent publishes in a second, and
// how much text it holds in the history.
//
// A bus may follow a log that was ordered elsewhere ([Bus.Feed]).
//
// # Limits
//
// The history holds a bounded number of signals and evicts the oldest; also
// one that has outlived 2 × History + 65536 others. A signal expires when
// now > time + ttl: then it is refused, and no longer returned or delivered.
// Next judges that at the call, Read and iterations once for what they take.
// The machine's clock is read anew once a second and is monotonic between.
// What a subscription has not read is bounded, and so is what waits for
// handlers. Whatever is not delivered is accounted for: see [Books].
//
// A held signal takes its own size and about 50 bytes, plus 40 for one that
// is the first reply to another. Publishing allocates nothing as long as
// nobody subscribes or iterates: pages of 64 signals are used again. A page of
// which a pointer was handed out lives as long as that is kept, all 64. Of each
// payload type up to two pages of what has left are kept for later.
//
// # Ownership
//
// The log copies what is published, and shares what it hands out: a signal
// that came out of it must not be modified. Handlers get copies.
//
// # Stopping
//
// [Bus.Close] stops delivery at once and waits for nobody; [Bus.Shutdown]
// lets readers finish and waits for every goroutine.
//
// # Testing
//
// Package bustest has a bus with a clock that stands still, fixed ids and
// expectations.
package bus
