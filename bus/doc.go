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
// Publish gives a signal the next sequence number. The history, all
// subscriptions and all handlers show signals in that order, whoever published
// them. A proposal with a rival is directly followed by its conflict signal
// (package conflict). Publish returns when the signal is in the log. It does not
// wait for delivery; [Bus.Sync] waits for handlers.
//
// # Readers
//
// A [Subscription] misses nothing, and its reader runs in a goroutine of its
// own. Publishers never wait for it: unread signals are kept for it up to a bound,
// beyond which it ends with [ErrLagged]. It may start in the past and then
// continues with new signals, without gap or repetition. A subscription that has
// ended keeps only its unread signals alive; one with nothing to read keeps at most
// 8192 entries of the log.
//
// The publisher that finds the inline handlers ([Handle]) idle waits for them, as
// long as its context allows. [Bus.History] is a bounded window: use it to watch,
// never to decide. A signal with recipients is delivered only to their readers; the
// history and observers ([Bus.Observe]) show it to everyone. An observer sees an
// [Event] for each thing that happens, and what became of each signal for each
// reader ([Settled]).
//
// # Identity
//
// Each agent publishes through its own handle ([Bus.Agent]), which sets the
// source to the agent's id and may restrict kinds and threads. The kinds that
// control a swarm are reserved for the system, and those of a [Layer] for the
// layer. Only logs assign ids in the form of a mint's, and those of conflicts. A
// time more than a minute ahead of the bus's clock is refused.
//
// # Proposals
//
// The owner of a proposal id, and the conflicts between proposals, are decided by package
// conflict, whatever the history evicts; [Options].Conflicts limits the number of
// live proposals. A proposal is live until it expires or its thread is closed
// ([Bus.CloseThread]).
//
// A bus may follow a log that was ordered elsewhere ([Bus.Feed]).
//
// # Limits
//
// The history holds a bounded number of signals and evicts the oldest, and any
// signal that has outlived 2 × History + 4096 others. A signal expires when
// now > time + ttl: from then on it is refused, and neither returned nor
// delivered. Next checks this at the call, Read and iterations once for all that
// they take. The machine's clock is read once a second and is monotonic in
// between. Every undelivered signal is accounted for: see [Account].
//
// A signal in the history takes its own size and about 65 bytes, plus 40 if it
// is the first reply to another. Publishing allocates nothing as long as no one
// subscribes, observes or iterates: pages of 64 signals are reused. A page to
// which a pointer was returned lives as long as the pointer.
//
// # Ownership
//
// The log copies the signals that are published, and shares those that it returns.
// Neither a signal from the log nor anything that its payload points to may be
// modified, before publishing or after. Handlers get copies.
//
// # Stopping
//
// [Bus.Close] stops delivery at once and does not wait; [Bus.Shutdown] lets
// readers finish and waits for every goroutine of the bus.
//
// # Testing
//
// Package bustest provides a bus with a clock that stands still, fixed ids and
// expectations.
package bus
