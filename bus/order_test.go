package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestEveryReaderSeesLogOrder(t *testing.T) {
	b := newBus(t, &bus.Options{History: 10_000})
	ctx := timetest.Context(t)
	const publishers, each = 4, 200
	all := subscribe(t, b, bus.SubscribeOptions{})
	some := subscribe(t, b, bus.SubscribeOptions{Threads: []string{"t1"}})
	var handled []uint64
	handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		handled = append(handled, s.Seq)
		return nil
	})

	var wg sync.WaitGroup
	for p := range publishers {
		from := agent(t, b, fmt.Sprint("a", p))
		wg.Go(func() {
			for i := range each {
				if _, err := from.Publish(ctx, foundIn(fmt.Sprint("t", i%3), "x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := b.Sync(ctx, b.Last()); err != nil {
		t.Fatal(err)
	}

	log := seqs(history(b, bus.Filter{}))
	if len(log) != publishers*each || !slices.IsSorted(log) {
		t.Fatalf("the log has %d signals, sorted %v; want %d, sorted", len(log), slices.IsSorted(log), publishers*each)
	}
	got, _ := unread(all)
	equal(t, "subscription", seqs(got), log)
	equal(t, "handler", handled, log)
	got, _ = unread(some)
	equal(t, "subscription to one thread", seqs(got), seqs(history(b, bus.Filter{Threads: []string{"t1"}})))
	balanced(t, b)
}

func TestPublishReturnsAfterCommit(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sent := found("x")
	r := must(t, a, sent)
	if r.Seq != 1 || r.ID.IsZero() {
		t.Fatalf("receipt %+v is not filled in", r)
	}
	got, ok := b.Get(r.ID)
	if !ok {
		t.Fatal("the signal is not in the history")
	}
	if h := got.Head(); h.Seq != r.Seq || h.ID != r.ID || h.Time.IsZero() || h.Source != "a" {
		t.Errorf("header %+v, receipt %+v", h, r)
	}
	if sent.Seq != 0 || !sent.ID.IsZero() {
		t.Errorf("the publisher's own value was changed: %+v", sent.Header)
	}
	sent.Payload.Finding = "changed"
	if text(got) != "x" {
		t.Error("the log shares memory with the publisher")
	}
}

func TestPublishAllIsAllOrNothing(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	id := signals.MustID("foreign-1")
	twice := func() signals.Any { s := found("twice"); s.ID = id; return s }
	bad := signals.New(signals.Header{Confidence: 2}, signals.Discovery{Finding: "x"})
	for name, all := range map[string][]signals.Any{
		"invalid":             {found("x"), bad},
		"reserved":            {found("x"), signals.New(signals.Header{}, signals.Task{Task: "x"})},
		"same id":             {twice(), twice()},
		"same proposal id":    {proposes("", "p", "this"), proposes("", "p", "that")},
		"nil":                 {found("x"), nil},
		"nil of a known type": {found("x"), (*discovery)(nil)},
	} {
		if _, err := a.PublishAll(context.Background(), all...); err == nil {
			t.Errorf("%s: published", name)
		}
		if n := b.Last(); n != 0 || b.Stats().Published != 0 || len(history(b, bus.Filter{})) != 0 {
			t.Errorf("%s: %d signals were published, want none", name, n)
		}
	}
}

func TestPublishAllHasConsecutiveSeqs(t *testing.T) {
	b := newBus(t, &bus.Options{History: 10_000})
	ctx := timetest.Context(t)
	var wg sync.WaitGroup
	for p := range 4 {
		from := agent(t, b, fmt.Sprint("a", p))
		wg.Go(func() {
			for range 100 {
				rs, err := from.PublishAll(ctx, found("1"), proposes("", from.Agent(), from.Agent()), found("3"))
				if err != nil {
					t.Error(err)
					return
				}
				if rs[1].Seq != rs[0].Seq+1 || rs[2].Seq != rs[1].Seq+1 {
					t.Errorf("seqs %d %d %d", rs[0].Seq, rs[1].Seq, rs[2].Seq)
				}
			}
		})
	}
	wg.Wait()
	if rs, err := agent(t, b, "z").PublishAll(ctx); err != nil || len(rs) != 0 {
		t.Errorf("publishing nothing: %v, %v", rs, err)
	}
}

func TestConflictRightBehindItsCause(t *testing.T) {
	b := newBus(t, nil)
	sub := subscribe(t, b, bus.SubscribeOptions{})
	a, z := agent(t, b, "a"), agent(t, b, "z")
	first := must(t, a, proposes("t", "p", "this"))
	must(t, z, proposes("other", "q", "that"))
	second := must(t, z, proposes("t", "q", "that"))
	must(t, a, found("x"))
	got, _ := unread(sub)
	equal(t, "log", texts(got), []string{"p", "q", "q", "conflict", "x"})
	c, ok := signals.As[signals.Conflict](got[3])
	if !ok || c.Payload.SignalA != first.ID || c.Payload.SignalB != second.ID || c.Source != bus.System || c.Thread != "t" {
		t.Errorf("conflict %+v", c)
	}
	// All of a PublishAll come first, then their conflicts.
	if _, err := z.PublishAll(context.Background(), proposes("t", "r", "third"), found("y")); err != nil {
		t.Fatal(err)
	}
	got, _ = unread(sub)
	equal(t, "log", texts(got), []string{"r", "y", "conflict"})
}

func TestSyncWaitsForInlineHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a := agent(t, b, "a")
		goOn := make(chan struct{})
		handled := 0
		handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error {
			<-goOn
			handled++
			return nil
		})
		go must(t, a, found("1"))
		synctest.Wait()
		r := must(t, a, found("2")) // returns although a handler is blocked
		if r.Seq != 2 || handled != 0 {
			t.Fatalf("seq %d with %d handled, want 2 and 0", r.Seq, handled)
		}
		short, cancel := context.WithCancelCause(context.Background())
		why := errors.New("no time")
		cancel(why)
		if err := b.Sync(short, r.Seq); !errors.Is(err, why) {
			t.Errorf("Sync with an ended context: %v, want %v", err, why)
		}
		close(goOn)
		if err := b.Sync(context.Background(), r.Seq); err != nil || handled != 2 {
			t.Errorf("after Sync: %d handled, want 2; %v", handled, err)
		}
	})
}

func TestSyncFailsInsideAHandler(t *testing.T) {
	b := newBus(t, nil)
	var err error
	handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		err = b.Sync(ctx, s.Seq)
		return nil
	})
	must(t, agent(t, b, "a"), found("x"))
	if !errors.Is(err, bus.ErrInline) {
		t.Errorf("got %v, want ErrInline", err)
	}
}

func TestSyncAfterCloseSaysSo(t *testing.T) {
	b := newBus(t, nil)
	b.Close()
	if err := b.Sync(timetest.Context(t), 1); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := b.Sync(timetest.Context(t), 0); err != nil {
		t.Errorf("nothing to wait for: %v", err)
	}
}
