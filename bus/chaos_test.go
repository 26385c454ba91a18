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
	"github.com/swarmbus/swarmbus/signals"
)

var soak = flag.Duration("soak", 0, "run TestSoak for this long")

func TestTenThousandSubscribers(t *testing.T) {
	b := newBus(t, nil)
	ctx := soon(t)
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
func TestChaos(t *testing.T) { chaos(t, 300*time.Millisecond, func() {}) }

// TestSoak is TestChaos for as long as -soak says, on one bus. Readers that lag
// are forgotten. Memory and goroutines must stay what they were after a tenth of
// the time.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("-soak is not set")
	}
	every := *soak / 10
	next := time.Now().Add(every)
	var first uint64
	chaos(t, *soak, func() {
		if time.Now().Before(next) {
			return
		}
		next = time.Now().Add(every)
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

func chaos(t *testing.T, long time.Duration, look func()) {
	b := newBus(t, &bus.Options{History: 300, Sweep: time.Millisecond, TTL: 20 * time.Millisecond})
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	var wg sync.WaitGroup
	published := make([]atomic.Uint64, 4)
	for p := range published {
		from := agent(t, b, fmt.Sprint(p))
		wg.Go(func() { chaosPublisher(ctx, t, from, &published[p]) })
	}
	for i := range 4 {
		wg.Go(func() { chaosReader(ctx, t, b, i) })
	}
	chaosHandlers(ctx, t, b)
	for ctx.Err() == nil {
		balanced(t, b)
		look()
		runtime.Gosched()
	}
	wg.Wait()
	t.Logf("%+v", b.Stats())
	done, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	if err := b.Sync(done, b.Last()); err != nil {
		t.Errorf("sync: %v; %+v", err, b.Stats())
	}
	_ = b.Shutdown(done)
	if k := balanced(t, b).Account; k.Pending != 0 || k.Delivered == 0 {
		t.Errorf("account %+v", k)
	}
}

func chaosPublisher(ctx context.Context, t *testing.T, from *bus.Publisher, n *atomic.Uint64) {
	r := rand.New(rand.NewPCG(1, uint64(len(from.Agent()))))
	for ctx.Err() == nil {
		each, stop := context.WithTimeout(ctx, time.Duration(1+r.IntN(1000))*time.Microsecond)
		s := foundIn(fmt.Sprint("t", r.IntN(9)), fmt.Sprint(n.Load()))
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
			if _, err = from.Publish(each, s); err == nil {
				n.Add(1)
			}
		}
		stop()
		var proposal *conflict.ProposalError
		if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, bus.ErrBacklog) && !errors.As(err, &proposal) {
			t.Error(err)
		}
	}
}

// chaosReader reads, gives up now and then, and starts again.
func chaosReader(ctx context.Context, t *testing.T, b *bus.Bus, i int) {
	r := rand.New(rand.NewPCG(2, uint64(i)))
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
			each, stop := context.WithTimeout(ctx, time.Duration(r.IntN(2000))*time.Microsecond)
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
	echo := agent(t, b, "echo")
	handle(t, b, bus.HandleOptions{}, func(inside context.Context, s signals.Signal[signals.Vote]) error {
		if s.Source == "echo" || ctx.Err() != nil {
			return nil
		}
		short, stop := context.WithTimeout(inside, time.Millisecond)
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
		from := agent(t, b, fmt.Sprint(p))
		wg.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%5)*100*time.Microsecond)
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
	start := time.Now()
	var mu sync.Mutex // protects ops
	var ops []porcupine.Operation
	record := func(client int, input string, do func() string) {
		call := time.Since(start).Nanoseconds()
		output := do()
		back := time.Since(start).Nanoseconds()
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
	if result := porcupine.CheckOperationsTimeout(model, ops, 20*time.Second); result != porcupine.Ok {
		t.Errorf("%d operations: %v", len(ops), result)
	}
}
