package bus_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

var soak = flag.Int("soak", 0, "run TestSoak with this many signals: a million take a few seconds")

func TestTenThousandSubscribers(t *testing.T) {
	b := newBus(t, nil)
	ctx := timetest.Context(t)
	a := agent(t, b, "a")
	const subs, n = 10_000, 20
	var wg sync.WaitGroup
	var got atomic.Int64
	for range subs {
		sub := subscribe(t, b, bus.SubscribeOptions{})
		wg.Go(func() {
			for range n {
				if _, err := sub.Next(ctx); err != nil {
					t.Error(err)
					return
				}
				got.Add(1)
			}
		})
	}
	for range n {
		must(t, a, found("x"))
	}
	wg.Wait()
	if k := balanced(t, b).Account; got.Load() != subs*n || k.Delivered != subs*n || k.Pending != 0 {
		t.Errorf("delivered %d of %d, account %+v", got.Load(), subs*n, k)
	}
}

// TestChaos lets handlers panic, publish, come and go, and readers and
// publishers be cancelled, all at once. Nothing may be lost or repeated, and the
// account must balance at every moment.
func TestChaos(t *testing.T) { chaos(t, 30_000, func(*bus.Bus) {}) }

// TestSoak is TestChaos with as many signals as -soak says, on one bus. Readers that
// lag are forgotten. Memory and goroutines must stay what they were after a tenth.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("-soak is not set")
	}
	every := uint64(*soak / 10)
	next := every
	var first uint64
	chaos(t, *soak, func(b *bus.Bus) {
		if b.Last() < next {
			return
		}
		next += every
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("heap %d KiB, %d objects, %d goroutines", m.HeapAlloc>>10, m.HeapObjects, runtime.NumGoroutine())
		if first == 0 {
			first = m.HeapAlloc
		}
		if m.HeapAlloc > 2*first+(4<<20) || runtime.NumGoroutine() > 100 {
			t.Errorf("the heap had %d KiB at first", first>>10)
		}
	})
}

func chaos(t *testing.T, n int, look func(*bus.Bus)) {
	start, looks := time.Now(), new(atomic.Int64)
	b := newBus(t, &bus.Options{
		History: 300, Sweep: time.Millisecond, TTL: 2 * time.Millisecond,
		Clock: func() time.Time { return start.Add(time.Duration(looks.Add(1)) * time.Microsecond) },
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var publishers, readers sync.WaitGroup
	for p := range 4 {
		from := agent(t, b, fmt.Sprint(p))
		publishers.Go(func() { chaosPublisher(t, from, n/4) })
	}
	for i := range 4 {
		readers.Go(func() { chaosReader(ctx, t, b, i) })
	}
	chaosHandlers(ctx, t, b)
	go func() { publishers.Wait(); cancel() }()
	for ctx.Err() == nil {
		balanced(t, b)
		look(b)
		runtime.Gosched()
	}
	readers.Wait()
	t.Logf("%+v", b.Stats())
	done := timetest.Context(t)
	if err := b.Sync(done, b.Last()); err != nil {
		t.Errorf("sync: %v; %+v", err, b.Stats())
	}
	_ = b.Shutdown(done)
	if k := balanced(t, b).Account; k.Pending != 0 || k.Delivered == 0 {
		t.Errorf("account %+v", k)
	}
}

// interrupting returns what makes contexts that are cancelled while others run, after so
// many of their turns. At most one lives at a time.
func interrupting(t *testing.T) func(parent context.Context, turns int) (context.Context, context.CancelFunc) {
	next := make(chan func())
	t.Cleanup(func() { close(next) })
	go func() {
		for interrupt := range next {
			interrupt()
		}
	}()
	return func(parent context.Context, turns int) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(parent)
		next <- func() {
			for ; turns > 0 && ctx.Err() == nil; turns-- {
				runtime.Gosched()
			}
			cancel()
		}
		return ctx, cancel
	}
}

func chaosPublisher(t *testing.T, from *bus.Publisher, n int) {
	r, brief := rand.New(rand.NewPCG(1, uint64(len(from.Agent())))), interrupting(t)
	for i := range n {
		each, stop := brief(t.Context(), r.IntN(100))
		s := foundIn(fmt.Sprint("t", r.IntN(9)), fmt.Sprint(i))
		if r.IntN(20) == 0 {
			s.TTL = -1
		}
		var err error
		switch r.IntN(10) {
		case 0:
			_, err = from.PublishAll(each, s, votes("", "p"))
		case 1:
			_, err = from.Publish(each, proposes("t", fmt.Sprint(from.Agent(), r.IntN(5)), from.Agent()))
		default:
			_, err = from.Publish(each, s)
		}
		stop()
		var proposal *conflict.ProposalError
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, bus.ErrBacklog) && !errors.As(err, &proposal) {
			t.Error(err)
		}
	}
}

// chaosReader reads, gives up now and then, and starts again.
func chaosReader(ctx context.Context, t *testing.T, b *bus.Bus, i int) {
	r, brief := rand.New(rand.NewPCG(2, uint64(i))), interrupting(t)
	for ctx.Err() == nil {
		o := bus.SubscribeOptions{Agent: "reader", Backlog: 1 << r.IntN(12), After: b.Last()}
		if r.IntN(2) == 0 {
			o.Kinds = []signals.Kind{signals.KindVote, signals.KindDiscovery}
		}
		sub, err := b.Subscribe(o)
		if err != nil {
			continue // evicted already
		}
		last := o.After
		for range r.IntN(5000) {
			each, stop := brief(ctx, r.IntN(100))
			s, err := sub.Next(each)
			stop()
			if errors.Is(err, bus.ErrLagged) || ctx.Err() != nil {
				break
			}
			if err != nil {
				continue
			}
			if s.Head().Seq <= last {
				t.Errorf("seq %d after %d", s.Head().Seq, last)
			}
			last = s.Head().Seq
		}
		if lagged := sub.Account().DeadLagged > 0; *soak == 0 || !lagged {
			sub.Close()
		}
	}
}

func chaosHandlers(ctx context.Context, t *testing.T, b *bus.Bus) {
	last := uint64(0)
	handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		if s.Seq <= last {
			t.Errorf("handled %d after %d", s.Seq, last)
		}
		last = s.Seq
		return nil
	})
	handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		if s.Seq%7 == 0 {
			panic(s.Seq)
		}
		return nil
	})
	echo, brief := agent(t, b, "echo"), interrupting(t)
	handle(t, b, bus.HandleOptions{}, func(inside context.Context, s signals.Signal[signals.Vote]) error {
		if s.Source == "echo" || ctx.Err() != nil {
			return nil
		}
		short, stop := brief(inside, 100)
		defer stop()
		_, err := echo.Publish(short, votes("", "echo"))
		h, err2 := bus.Handle(b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Proposal]) error { return nil })
		sub, err3 := b.Subscribe(bus.SubscribeOptions{})
		if err2 == nil && err3 == nil {
			h.Close()
			sub.Close()
		}
		return err
	})
}

func TestPublisherCancelledMidWayPublishesAllOrNothing(t *testing.T) {
	b := newBus(t, nil)
	sub := subscribe(t, b, bus.SubscribeOptions{Agent: "slow"})
	var published atomic.Int64
	var wg sync.WaitGroup
	for p := range 4 {
		from, brief := agent(t, b, fmt.Sprint(p)), interrupting(t)
		wg.Go(func() {
			for i := range 200 {
				ctx, cancel := brief(t.Context(), i%50)
				if rs, err := from.PublishAll(ctx, found("1"), found("2")); err == nil {
					published.Add(int64(len(rs)))
				}
				cancel()
			}
		})
	}
	stop := make(chan struct{})
	read := 0
	go func() { wg.Wait(); close(stop) }()
	for running := true; running; {
		select {
		case <-stop:
			running = false
		default:
		}
		got, _ := unread(sub)
		read += len(got)
		runtime.Gosched()
	}
	if int64(read) != published.Load() || read%2 != 0 {
		t.Errorf("read %d, published %d", read, published.Load())
	}
	balanced(t, b)
}

// TestPublishAndReadAreLinearizable records concurrent publishing and reading
// of the whole history, and asks whether some order of the calls explains it.
func TestPublishAndReadAreLinearizable(t *testing.T) {
	b := newBus(t, &bus.Options{History: 4})
	var moment atomic.Int64 // counts calls and returns, in their order
	var mu sync.Mutex       // protects ops
	var ops []porcupine.Operation
	record := func(client int, input string, do func() string) {
		call := moment.Add(1)
		output := do()
		back := moment.Add(1)
		mu.Lock()
		defer mu.Unlock()
		ops = append(ops, porcupine.Operation{ClientId: client, Input: input, Call: call, Output: output, Return: back})
	}
	var wg sync.WaitGroup
	for c := range 4 {
		from := agent(t, b, fmt.Sprint("a", c))
		wg.Go(func() {
			for i := range 60 {
				if i%3 == 2 {
					record(c, "", func() string { return fmt.Sprint(texts(history(b, bus.Filter{}))) })
				} else {
					said := fmt.Sprint(c, ":", i)
					record(c, said, func() string { return fmt.Sprint(must(t, from, found(said)).Seq) })
				}
			}
		})
	}
	wg.Wait()
	type state struct {
		seq  int
		held [4]string
	}
	model := porcupine.Model{
		Init: func() any { return state{} },
		Step: func(s, input, output any) (bool, any) {
			st := s.(state)
			if said := input.(string); said != "" {
				st.seq++
				copy(st.held[:], st.held[1:])
				st.held[3] = said
				return output == fmt.Sprint(st.seq), st
			}
			return output == fmt.Sprint(st.held[4-min(4, st.seq):]), st
		},
	}
	if !porcupine.CheckOperations(model, ops) {
		t.Errorf("no order of the %d operations explains what they returned", len(ops))
	}
}
