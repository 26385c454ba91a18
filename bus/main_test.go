package bus_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// The tests of this package see a bus from outside, so that they hold for any
// implementation. Each is named after the promise it keeps.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type discovery = signals.Signal[signals.Discovery]

// makeBus makes the buses of the tests. Package natstest builds these tests with a file of
// its own that replaces it, to run them over NATS.
var makeBus = func(t testing.TB, o *bus.Options) *bus.Bus {
	b, err := bus.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// newBus returns a bus that the test closes.
func newBus(t testing.TB, o *bus.Options) *bus.Bus {
	t.Helper()
	return makeBus(t, o)
}

func agent(t testing.TB, b *bus.Bus, id string) *bus.Publisher {
	t.Helper()
	p, err := b.Agent(id, bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func found(text string) *discovery {
	return signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: text, Relevance: 1})
}

func foundIn(thread, text string) *discovery {
	s := found(text)
	s.Thread = thread
	return s
}

func proposes(thread, id, content string) *signals.Signal[signals.Proposal] {
	return signals.New(signals.Header{Thread: thread, Confidence: 1}, signals.Proposal{ProposalID: id, Content: content})
}

func votes(thread, proposal string) *signals.Signal[signals.Vote] {
	return signals.New(signals.Header{Thread: thread, Confidence: 1}, signals.Vote{ProposalID: proposal, Stance: signals.Agree, Weight: 1})
}

func must(t testing.TB, p *bus.Publisher, s signals.Any) bus.Receipt {
	t.Helper()
	r, err := p.Publish(context.Background(), s)
	if err != nil {
		t.Errorf("publish %s: %v", s.Kind(), err) // not Fatal: also called in handlers
	}
	return r
}

func subscribe(t testing.TB, b *bus.Bus, o bus.SubscribeOptions) *bus.Subscription {
	t.Helper()
	s, err := b.Subscribe(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func handle[P signals.Payload](t testing.TB, b *bus.Bus, o bus.HandleOptions, f func(context.Context, signals.Signal[P]) error) *bus.Handler {
	t.Helper()
	h, err := bus.Handle(b, o, f)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// text is what a signal says, whatever its kind.
func text(s signals.Any) string {
	switch p := s.Body().(type) {
	case signals.Discovery:
		return p.Finding
	case signals.Proposal:
		return p.ProposalID
	case signals.Vote:
		return "vote " + p.ProposalID
	case signals.Conflict:
		return "conflict"
	default:
		return string(s.Kind())
	}
}

func texts(all []signals.Any) []string {
	var out []string
	for _, s := range all {
		out = append(out, text(s))
	}
	return out
}

func seqs(all []signals.Any) []uint64 {
	var out []uint64
	for _, s := range all {
		out = append(out, s.Head().Seq)
	}
	return out
}

// unread reads what is there and stops where it would have to wait.
func unread(s *bus.Subscription) ([]signals.Any, error) {
	var all []signals.Any
	for {
		next, err := s.Poll()
		if next == nil || err != nil {
			return all, err
		}
		all = append(all, next)
	}
}

func history(b *bus.Bus, f bus.Filter) []signals.Any { return slices.Collect(b.History(f)) }

func equal[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// balanced checks the reconcile law for the bus and each of its readers.
func balanced(t testing.TB, b *bus.Bus) bus.Stats {
	t.Helper()
	s := b.Stats()
	if !s.Account.Balanced() {
		t.Errorf("account of the bus does not balance: %+v", s.Account)
	}
	for _, r := range s.Readers {
		if !r.Account.Balanced() {
			t.Errorf("account of %q at %s does not balance: %+v", r.Agent, r.Site, r.Account)
		}
	}
	return s
}

// watch collects events as short texts.
func watch(t testing.TB, b *bus.Bus) func() []string {
	var mu sync.Mutex // protects the field below: the sweeper publishes events too
	var seen []string
	stop := b.Observe(func(e bus.Event) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, describe(e))
	})
	t.Cleanup(stop)
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func describe(e bus.Event) string {
	switch e := e.(type) {
	case bus.Published:
		return "published " + text(e.Signal)
	case bus.Settled:
		return fmt.Sprintf("settled %s for %s: %s", text(e.Signal), e.Reader, e.Disposition)
	case bus.Expired:
		return "expired " + text(e.Signal)
	case bus.Evicted:
		return "evicted " + text(e.Signal)
	case bus.ConflictOpened:
		return fmt.Sprintf("opened %s-%s", e.Pair.A.ProposalID, e.Pair.B.ProposalID)
	case bus.ConflictEnded:
		return fmt.Sprintf("ended %s-%s resolved=%v", e.Pair.A.ProposalID, e.Pair.B.ProposalID, e.Resolved)
	case bus.Slow:
		return "slow " + e.Reader
	}
	return fmt.Sprintf("%T", e)
}

// made returns what can only fail to be made because of a mistake in a test.
func made[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
