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
// The bus that [New] makes has a clock that stands still until [Bus.Advance]
// moves it, and ids that depend on nothing but the order of publishing. So
// what a test sees, it sees every time. Nothing sweeps but Advance.
//
// # Expecting
//
// An [Inbox] is a subscription. InOrder waits for signals that match, in that
// order, and lets others pass; Exactly lets none pass; Nothing says that there
// is nothing left to read. A failure prints what came. Waiting ends after five
// seconds of real time; in a testing/synctest bubble, which is the best place
// for such tests, of the bubble's.
package bustest
