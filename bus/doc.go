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
// subscription and every handler show signals in that order, whoever published
// them and from wherever. A proposal with a rival is followed at once by its
// conflict signal (package conflict). Publish returns when the signal is in the
// log; it promises no delivery, but [Bus.Sync] waits for handlers.
//
// # Readers
//
// A [Subscription] misses nothing and reads in its own goroutine. What it has
// not read is kept for it, up to a bound at which it ends, makes publishers
// wait, or drops the oldest ([Full]). It may start in the past and goes on live
// without gap or repetition. A subscription that ended keeps nothing alive but
// what it had not read, and one with nothing to read keeps at most 8192 entries
// of the log while it waits.
//
// An inline handler ([Handle]) runs in the publisher that finds the handlers
// idle. A [Tap] may skip, and counts what it skipped; [Bus.History] is a bounded
// window: use these to watch, never to decide. A signal with recipients reaches
// their readers alone; the history, taps and observers show it to everyone.
//
// # Identity
//
// Agents publish through a handle of their own ([Bus.Agent]), which binds
// their id as the source and may bind kinds and threads. The kinds that steer a
// swarm are the system's, and those of a [Layer] are the layer's. Ids in the
// form of a mint's, and those of conflicts, are given by logs alone. A time more
// than [MaxAhead] ahead of the bus's clock is refused.
//
// # Proposals
//
// A proposal id belongs to the first source and content that used it in its
// thread. Ownership, and who is whose rival, do not depend on what the history
// holds: a proposal lives until it expires or its thread is closed
// ([Bus.CloseThread]), and ids are owned until all proposals of their thread are
// gone. [Options].Proposals bounds how many live at once.
//
// A bus may follow a log that was ordered elsewhere ([Bus.Feed]).
//
// # Limits
//
// The history holds a bounded number of signals and evicts the oldest; also
// one that has outlived 2 × History + 4096 others. A signal expires when
// now > time + ttl: then it is refused, and no longer returned or delivered.
// Next judges that at the call, Read and iterations once for what they take.
// The machine's clock is read anew once a second and is monotonic between.
// Whatever is not delivered is accounted for: see [Books].
//
// A held signal takes its own size and about 65 bytes, plus 40 for one that
// is the first reply to another. Publishing allocates nothing as long as
// nobody subscribes, observes or iterates: pages of 64 signals are used again. A
// page of which a pointer was handed out lives as long as that is kept.
//
// # Ownership
//
// The log copies what is published, and shares what it hands out: a signal
// that came out of it must not be modified, nor what a payload points at, before
// or after. Handlers get copies.
//
// # Stopping
//
// [Bus.Close] stops delivery at once and waits for nobody; [Bus.Shutdown]
// lets readers finish and waits for every goroutine of the bus.
//
// # Testing
//
// Package bustest has a bus with a clock that stands still, fixed ids and
// expectations.
package bus
