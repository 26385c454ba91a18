package natstest_test

import (
	"context"
	"os"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestMain(m *testing.M) {
	natstest.Main()
	workerMain()
	figuresMain()
	os.Exit(m.Run())
}

// join joins the log of the servers, and leaves it with the test.
func join(t testing.TB, o natsbus.Options) *natsbus.Log {
	t.Helper()
	l, err := natsbus.Join(soon(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func agent(t testing.TB, l *natsbus.Log, id string) *bus.Publisher {
	t.Helper()
	p, err := l.Bus().Agent(id, bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func found(thread, text string) *signals.Signal[signals.Discovery] {
	return signals.New(signals.Header{Thread: thread, Confidence: 1, TTL: -1}, signals.Discovery{Finding: text, Relevance: 1})
}

func proposes(thread, id, content string) signals.Any {
	return signals.New(signals.Header{Thread: thread, Confidence: 1, TTL: -1}, signals.Proposal{ProposalID: id, Content: content})
}

// soon bounds tests that would otherwise hang.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), timetest.Hang)
	t.Cleanup(cancel)
	return ctx
}

func must(t testing.TB, p *bus.Publisher, s signals.Any) bus.Receipt {
	t.Helper()
	r, err := p.Publish(soon(t), s)
	if err != nil {
		t.Fatalf("publish %s: %v", s.Kind(), err)
	}
	return r
}

// reach waits until a bus has a sequence number.
func reach(t testing.TB, b *bus.Bus, seq uint64) {
	t.Helper()
	for ctx := soon(t); b.Last() < seq; pause() {
		if ctx.Err() != nil {
			t.Fatalf("the bus is at %d, not at %d", b.Last(), seq)
		}
	}
}

// lines returns the history of a bus as JSON.
func lines(t testing.TB, b *bus.Bus) (all []string) {
	t.Helper()
	for s := range b.History(bus.Filter{}) {
		text, err := signals.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}
