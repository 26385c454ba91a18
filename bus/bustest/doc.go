// Package bustest helps to test programs that use a bus.
//
//	b := bustest.New(t, nil)
//	inbox := b.Expect(bus.SubscribeOptions{})
//	b.Inject("ann", signals.New(signals.Header{}, signals.Discovery{Finding: "x"}))
//	inbox.InOrder(bustest.Kind(signals.KindDiscovery))
//	inbox.Nothing()
//
// # Repeatable
//
// The bus made by [New] has a clock that stands still until [Bus.Advance] moves
// it, and ids that depend only on the order of publishing. So a test sees the same
// in every run. Expired signals are swept only by Advance.
//
// # Expecting
//
// An [Inbox] is a subscription. InOrder waits for matching signals, in that order,
// and skips others; Exactly skips none; Nothing expects that there is nothing left
// to read. A failure prints the signals that were read. Waiting ends after a
// minute of real time, or of the bubble's time in a testing/synctest bubble, which
// is the best place for such tests.
package bustest
