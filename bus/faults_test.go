package bus_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

func TestShutdownEndsBesideClose(t *testing.T) {
	for range 300 {
		b := made(bus.New(nil))
		a := agent(t, b, "a")
		handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
			if s.Seq < 5 {
				_, _ = a.Publish(ctx, found("more"))
				return nil
			}
			b.Close()
			return nil
		})
		go func() { _, _ = a.Publish(context.Background(), found("x")) }()
		if err := b.Shutdown(soon(t)); err != nil {
			t.Fatalf("shutdown beside close: %v", err)
		}
		if err := b.Shutdown(soon(t)); err != nil {
			t.Fatalf("shutdown after close: %v", err)
		}
	}
}

func TestShutdownEndsWhenAHandlerStoppedTheLastObserver(t *testing.T) {
	b := made(bus.New(nil))
	stop := b.Observe(func(bus.Event) {})
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error { stop(); return nil })
	must(t, agent(t, b, "a"), found("x"))
	if err := b.Shutdown(soon(t)); err != nil {
		t.Error(err)
	}
}

func TestShutdownInsideAnObserverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(bus.New(&bus.Options{TTL: time.Second, Sweep: 2 * time.Second}))
		done := make(chan error, 2)
		b.Observe(func(e bus.Event) {
			switch e.(type) {
			case bus.Published, bus.Expired: // in a publisher, and in a goroutine of the bus
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				done <- b.Shutdown(ctx)
			}
		})
		must(t, agent(t, b, "a"), found("x"))
		if err := <-done; err != nil {
			t.Errorf("in a publisher: %v", err)
		}

		b = made(bus.New(&bus.Options{TTL: time.Second, Sweep: 2 * time.Second}))
		must(t, agent(t, b, "a"), found("x"))
		b.Observe(func(e bus.Event) {
			if _, ok := e.(bus.Expired); ok {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				done <- b.Shutdown(ctx)
			}
		})
		if err := <-done; err != nil {
			t.Errorf("in the sweeper: %v", err)
		}
	})
}

// heap returns what is reachable.
func heap() int {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestSubscriptionThatLaggedKeepsNothingOfTheLog(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a := agent(t, b, "a")
	var lagged []*bus.Subscription
	for range 20 {
		lagged = append(lagged, subscribe(t, b, bus.SubscribeOptions{Backlog: 10}))
	}
	for range 5_000 {
		must(t, a, found("x"))
	}
	before := heap()
	for range 100_000 {
		must(t, a, found("x"))
	}
	if grown := heap() - before; grown > 2<<20 {
		t.Errorf("%d kB more after 100,000 signals that nobody can read", grown>>10)
	}
	got, err := unread(lagged[0])
	if len(got) != 10 || !errors.Is(err, bus.ErrLagged) {
		t.Errorf("kept %d, %v", len(got), err)
	}
	runtime.KeepAlive(lagged)
}

func TestReaderWithNothingToReadKeepsNothingOfTheLog(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a := agent(t, b, "a")
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for i := range 20 {
		waiting := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}})
		if i > 0 {
			wg.Go(func() { _, _ = waiting.Next(ctx) })
		} // and one that does not even wait
	}
	for range 5_000 {
		must(t, a, found("x"))
	}
	before := heap()
	for range 150_000 {
		must(t, a, found("x"))
	}
	if grown := heap() - before; grown > 20<<20 { // half a backlog at most, 32768 signals
		t.Errorf("%d kB more after 150,000 signals that nobody wants", grown>>10)
	}
}

func TestClosedReadersLeaveNothing(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	churn := func(n int) {
		for i := range n {
			thread := fmt.Sprint("t", i)
			sub := subscribe(t, b, bus.SubscribeOptions{Threads: []string{thread}, Kinds: []signals.Kind{signals.KindVote}})
			lagging := subscribe(t, b, bus.SubscribeOptions{Backlog: 1})
			h := handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Vote]) error { return nil })
			must(t, a, votes(thread, "p"))
			must(t, a, votes(thread, "p"))
			must(t, a, votes(thread, "p"))
			sub.Close()
			h.Close()
			if i%2 == 0 {
				lagging.Close() // the others are forgotten
			}
		}
	}
	churn(2_000)
	before := heap()
	churn(10_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d kB more after 20,000 readers", grown>>10)
	}
	balanced(t, b)
}

func TestAgentsIDsCannotBeThoseOfALog(t *testing.T) {
	b := newBus(t, &bus.Options{Mint: signals.SeededMint("log")})
	a := agent(t, b, "a")
	publish := func(p *bus.Publisher, id signals.ID) error {
		s := found("x")
		s.ID = id
		_, err := p.Publish(context.Background(), s)
		return err
	}
	next := signals.SeededMint("log").ID(7, time.Now())
	pair := conflict.Pair{A: conflict.Proposal{Signal: next}, B: conflict.Proposal{Signal: signals.MustID("x")}}
	for what, id := range map[string]signals.ID{"the next one's": next, "another log's": signals.NewMint().ID(1, time.Now()), "a conflict's": pair.ID()} {
		var invalid *signals.FieldError
		if err := publish(a, id); !errors.As(err, &invalid) || invalid.Field != "id" {
			t.Errorf("%s id: %v", what, err)
		}
	}
	if err := publish(b.System(), next); err == nil {
		t.Error("the system took an id of its own log's mint")
	}
	if err := publish(a, signals.MustID("a's own")); err != nil {
		t.Error(err)
	}
}

func TestFedIDsOfTheMintMustBeInTheirPlace(t *testing.T) {
	mint := signals.SeededMint("log")
	b := newBus(t, &bus.Options{Mint: mint})
	at := time.Now()
	fed := func(seq uint64, id signals.ID) error {
		return b.Feed(context.Background(), signals.New(
			signals.Header{Seq: seq, ID: id, Source: "a", Time: at, TTL: -1}, signals.Discovery{Finding: "x"}))
	}
	other := signals.SeededMint("log")
	first, second, far := other.ID(1, at), other.ID(2, at), other.ID(9, at)
	if err := fed(1, first); err != nil {
		t.Fatal(err)
	}
	if err := fed(2, far); err == nil {
		t.Error("took the id of a signal that is to come")
	}
	if err := fed(2, second); err != nil {
		t.Error(err)
	}
	for range 9 {
		must(t, b.System(), found("x"))
	}
	if err := fed(math.MaxUint64, signals.MustID("last")); err == nil {
		t.Error("took the greatest sequence number, after which there is none")
	}
	must(t, b.System(), found("goes on"))
}

func TestBooksBalanceUnderConcurrentReaders(t *testing.T) {
	b := newBus(t, &bus.Options{History: 100})
	stop := b.Observe(func(bus.Event) {})
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	var readers, publishers sync.WaitGroup
	read := func(o bus.SubscribeOptions, all func(*bus.Subscription)) {
		sub := subscribe(t, b, o)
		readers.Go(func() { all(sub) })
	}
	next := func(s *bus.Subscription) {
		for {
			if _, err := s.Next(ctx); err != nil {
				return
			}
		}
	}
	read(bus.SubscribeOptions{Agent: "next"}, next)
	read(bus.SubscribeOptions{Agent: "sample", Backlog: 3, WhenFull: bus.Sample}, next)
	read(bus.SubscribeOptions{Agent: "lags", Backlog: 3}, next)
	read(bus.SubscribeOptions{Agent: "where", Where: func(s signals.Any) bool { return s.Head().Seq%3 == 0 }}, next)
	read(bus.SubscribeOptions{Agent: "read"}, func(s *bus.Subscription) {
		buffer := make([]signals.Any, 5)
		for {
			if _, err := s.Read(ctx, buffer); err != nil {
				return
			}
		}
	})
	read(bus.SubscribeOptions{Agent: "all", WhenFull: bus.Wait, Backlog: 50}, func(s *bus.Subscription) {
		for ctx.Err() == nil {
			n := 0
			for range s.All(ctx) {
				if n++; n == 7 {
					break
				}
			}
		}
	})
	read(bus.SubscribeOptions{Agent: "poll"}, func(s *bus.Subscription) {
		for ctx.Err() == nil {
			if s, _ := s.Poll(); s == nil {
				runtime.Gosched()
			}
		}
	})
	handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		if s.Seq%5 == 0 {
			return errors.New("no")
		}
		return nil
	})
	for i := range 2 {
		a := agent(t, b, fmt.Sprint("a", i))
		publishers.Go(func() {
			for n := range 2000 {
				s := found("x")
				if n%4 == 0 {
					s.TTL = 1
				}
				_, _ = a.Publish(context.Background(), s)
				if n%50 == 0 {
					balanced(t, b)
				}
			}
		})
	}
	publishers.Wait()
	cancel()
	readers.Wait()
	balanced(t, b)
	b.Close()
	if k := balanced(t, b).Books; k.Pending != 0 || k.Delivered == 0 || k.DeadLagged == 0 || k.Filtered == 0 || k.DeadFailed == 0 {
		t.Errorf("books %+v", k)
	}
}

func TestPublisherDoesNotWorkForOthersForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(bus.New(&bus.Options{Sweep: -1, TTL: -1}))
		a, other := agent(t, b, "a"), agent(t, b, "other")
		handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error {
			time.Sleep(40 * time.Millisecond)
			return nil
		})
		began := time.Now()
		go func() {
			time.Sleep(time.Millisecond)
			for range 100 {
				must(t, other, found("x"))
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := a.Publish(ctx, found("mine")); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 3*40*time.Millisecond {
			t.Errorf("kept for %v", took)
		}
		if err := b.Sync(t.Context(), b.Last()); err != nil {
			t.Errorf("nobody went on: %v", err)
		}
		if err := b.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// least returns the shortest of a few runs.
func least(n int, f func()) time.Duration {
	best := time.Hour
	for range n {
		began := time.Now()
		f()
		best = min(best, time.Since(began))
	}
	return best
}

func TestLeavingALoopCostsNothingOfTheBacklog(t *testing.T) {
	cost := func(backlog int) time.Duration {
		b := newBus(t, &bus.Options{TTL: -1})
		a := agent(t, b, "a")
		sub := subscribe(t, b, bus.SubscribeOptions{Backlog: 1 << 20})
		for range backlog {
			must(t, a, found("x"))
		}
		seq := uint64(0)
		return least(3, func() {
			for range 300 {
				for s, err := range sub.All(t.Context()) {
					if seq++; err != nil || s.Head().Seq != seq {
						t.Fatalf("signal %v after %d, %v", s, seq-1, err)
					}
					break
				}
			}
		})
	}
	if small, large := cost(1_000), cost(100_000); large > 20*small {
		t.Errorf("300 loops took %v with 1,000 signals unread and %v with 100,000", small, large)
	}
}

func TestPublishAllAndFeedAreLinear(t *testing.T) {
	foreign := func(n int, feed bool) []signals.Any {
		var all []signals.Any
		for i := range n {
			s := proposes("t", fmt.Sprint("p", i), fmt.Sprint(i))
			s.ID = signals.MustID(fmt.Sprint("own-", i))
			if feed {
				s.Seq, s.Source, s.Time = uint64(i+1), "a", time.Now()
			}
			all = append(all, s)
		}
		return all
	}
	for _, feed := range []bool{false, true} {
		cost := func(n int) time.Duration {
			all := foreign(n, feed)
			return least(3, func() {
				b := newBus(t, &bus.Options{NoConflicts: true})
				var err error
				if feed {
					err = b.Feed(t.Context(), all...)
				} else {
					_, err = agent(t, b, "a").PublishAll(t.Context(), all...)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
		for try := range 5 { // others use the machine, too
			small, large := cost(4_000), cost(32_000)
			if large <= 30*small { // quadratic: 64
				break
			}
			if try == 4 {
				t.Errorf("feed %v: 4,000 took %v, 32,000 %v", feed, small, large)
			}
		}
	}
}

func TestFedSignalsCountTheirBytes(t *testing.T) {
	b := newBus(t, &bus.Options{Bytes: 100, History: 2})
	text := strings.Repeat("x", 60)
	fed := signals.New(signals.Header{Seq: 1, ID: signals.MustID("f"), Source: "a", Time: time.Now()}, signals.Discovery{Finding: text})
	if err := b.Feed(t.Context(), fed); err != nil {
		t.Fatal(err)
	}
	a := agent(t, b, "a")
	var full *bus.LimitError
	if _, err := a.Publish(t.Context(), found(text)); !errors.As(err, &full) {
		t.Errorf("more than 100 bytes: %v", err)
	}
	for range 2 {
		must(t, b.System(), found("x")) // evict it
	}
	must(t, a, found(text))
	if _, err := a.Publish(t.Context(), found(text)); !errors.As(err, &full) {
		t.Errorf("more than 100 bytes, after what was fed left: %v", err)
	}
}

func TestTwoAgentsThatPublishFromTheirWaitingReadersDoNotDeadlock(t *testing.T) {
	b := newBus(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	const n = 50
	for i := range 2 {
		me := agent(t, b, fmt.Sprint("a", i))
		sub, err := me.Subscribe(bus.SubscribeOptions{Backlog: 4, WhenFull: bus.Wait})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range n {
				if _, err := sub.Next(ctx); err != nil {
					t.Error(err)
					return
				}
				for range 3 {
					if _, err := me.Publish(ctx, found("x")); err != nil && !errors.Is(err, bus.ErrBacklog) {
						t.Error(err)
						return
					}
				}
			}
			sub.Close()
		})
	}
	must(t, b.System(), found("x"))
	wg.Wait()
}

func TestPollSaysWhyThereIsNothing(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Backlog: 1})
	if s, err := sub.Poll(); s != nil || err != nil {
		t.Errorf("nothing there: %v, %v", s, err)
	}
	must(t, a, found("1"))
	must(t, a, found("2"))
	if s, err := sub.Poll(); err != nil || text(s) != "1" {
		t.Errorf("got %v, %v", s, err)
	}
	if s, err := sub.Poll(); s != nil || !errors.Is(err, bus.ErrLagged) {
		t.Errorf("lagged: %v, %v", s, err)
	}
	sub.Close()
	if s, err := sub.Poll(); s != nil || !errors.Is(err, bus.ErrClosed) {
		t.Errorf("closed: %v, %v", s, err)
	}
}

func TestObserverThatBlocksStopsNobodyAndIsNamed(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	block, blocked := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var missed uint64
	b.Observe(func(e bus.Event) {
		once.Do(func() { close(blocked); <-block })
		if m, ok := e.(bus.Missed); ok {
			missed += m.Events
		}
	})
	first := make(chan struct{})
	go func() { defer close(first); must(t, a, found("x")) }()
	<-blocked
	const n = 70_000
	for range n {
		must(t, a, found("x"))
	}
	if !slices.ContainsFunc(b.Stats().Readers, func(r bus.ReaderStats) bool {
		return r.Running > 0 && strings.Contains(r.Site, "faults_test.go")
	}) {
		t.Errorf("not named: %+v", b.Stats().Readers)
	}
	close(block)
	<-first
	must(t, a, found("x")) // comes behind what was missed
	if missed == 0 || missed > 2*n {
		t.Errorf("missed %d events", missed)
	}
}

func TestAfterBeyondTheEndSeesNothingTwice(t *testing.T) {
	b := newBus(t, nil)
	fed := func(seq uint64) {
		t.Helper()
		if err := b.Feed(t.Context(), signals.New(
			signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("f", seq)), Source: "a", Time: time.Now()}, signals.Discovery{Finding: "x"})); err != nil {
			t.Fatal(err)
		}
	}
	fed(1)
	sub := subscribe(t, b, bus.SubscribeOptions{After: 4})
	tap := b.Tap(bus.Filter{After: 4})
	for seq := uint64(2); seq <= 6; seq++ {
		fed(seq)
	}
	got, _ := unread(sub)
	equal(t, "read", seqs(got), []uint64{5, 6})
	if s, missed, err := tap.Next(t.Context()); err != nil || missed != 0 || s.Head().Seq != 5 {
		t.Errorf("tapped %v, missed %d, %v", s, missed, err)
	}
}

func TestTapDoesNotCountGapsAsLosses(t *testing.T) {
	b := newBus(t, &bus.Options{History: 1})
	for _, seq := range []uint64{1, 101, 201} {
		if err := b.Feed(t.Context(), signals.New(
			signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("f", seq)), Source: "a", Time: time.Now()}, signals.Discovery{Finding: "x"})); err != nil {
			t.Fatal(err)
		}
	}
	if _, missed, err := b.Tap(bus.Filter{After: 1}).Next(t.Context()); missed < 1 || missed > 2 || err != nil {
		t.Errorf("missed %d, %v; want the one between, at most the two that were evicted", missed, err)
	}
	tap := b.Tap(bus.Filter{})
	for _, seq := range []uint64{301, 401} {
		if err := b.Feed(t.Context(), signals.New(
			signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("f", seq)), Source: "a", Time: time.Now()}, signals.Discovery{Finding: "x"})); err != nil {
			t.Fatal(err)
		}
	}
	if s, missed, err := tap.Next(t.Context()); missed != 1 || err != nil || s.Head().Seq != 401 {
		t.Errorf("got %v, missed %d, %v; want one missed", s, missed, err)
	}
}

func TestSampledSignalsAreToldOneByOne(t *testing.T) {
	b := newBus(t, nil)
	events := watch(t, b)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Agent: "r", Backlog: 3, WhenFull: bus.Sample})
	for i := range 10 {
		must(t, a, found(fmt.Sprint(i)))
	}
	sub.Close()
	told := map[string]int{}
	for _, e := range events() {
		if _, fate, ok := strings.Cut(e, " for r: "); ok {
			told[fate]++
		}
	}
	k := sub.Books()
	if told["lagged"] != 7 || told["closed"] != 3 || k.DeadLagged != 7 || k.DeadClosed != 3 || !k.Balanced() {
		t.Errorf("told %v, books %+v", told, k)
	}
}

func TestWhereThatPanicsLosesOneSignal(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Where: func(s signals.Any) bool {
		if text(s) == "2" {
			panic("no")
		}
		return true
	}})
	for i := range 5 {
		must(t, a, found(fmt.Sprint(i)))
	}
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return
	}
	if !panics(func() { _, _ = sub.Read(t.Context(), make([]signals.Any, 9)) }) {
		t.Error("the panic did not reach the caller")
	}
	if k := sub.Books(); k.DeadFailed != 1 || k.Delivered != 0 || k.Pending != 4 || !k.Balanced() {
		t.Errorf("after a batch: %+v", k)
	}
	got, _ := unread(sub)
	equal(t, "the others", texts(got), []string{"0", "1", "3", "4"})
}

func TestProposalsAreBounded(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Proposals: 2, Clock: func() time.Time { return now }, Sweep: -1})
	a := agent(t, b, "a")
	must(t, a, proposes("t", "p", "1"))
	must(t, a, proposes("t", "q", "2"))
	if _, err := a.Publish(t.Context(), proposes("t", "r", "3")); !errors.Is(err, bus.ErrProposals) {
		t.Errorf("got %v, want ErrProposals", err)
	}
	b.CloseThread("t")
	must(t, a, proposes("t", "r", "3"))
	must(t, a, proposes("u", "s", "4"))
	now = now.Add(2 * time.Minute) // both expire
	must(t, a, proposes("u", "t", "5"))
	if got := b.Stats().Proposals; got != 1 {
		t.Errorf("%d live proposals, want the new one", got)
	}
}

func TestTwoRivalsStayInConflictWhenTheOldestExpires(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1})
	short := proposes("t", "p", "1")
	short.TTL = time.Second
	must(t, agent(t, b, "a"), short)
	must(t, agent(t, b, "b"), proposes("t", "q", "2"))
	must(t, agent(t, b, "c"), proposes("t", "r", "3"))
	equal(t, "open", openPairs(b, "t"), []string{"p-q", "p-r"})
	now = now.Add(2 * time.Second)
	equal(t, "after the oldest expired", openPairs(b, "t"), []string{"q-r"})
	var pairs []string
	for p := range b.Pairs("t") {
		pairs = append(pairs, p.A.ProposalID+"-"+p.B.ProposalID)
	}
	equal(t, "pairs", pairs, []string{"q-r"})
}

func TestResolvingWhatIsNoConflictIsAnError(t *testing.T) {
	b := newBus(t, nil)
	x := must(t, agent(t, b, "a"), proposes("t", "p", "1")).ID
	y := must(t, agent(t, b, "z"), proposes("t", "q", "2")).ID
	for _, of := range []struct {
		thread string
		x, y   signals.ID
	}{{"t", x, signals.MustID("unknown")}, {"u", x, y}} {
		if _, err := b.Resolve(t.Context(), of.thread, of.x, of.y, ""); !errors.Is(err, conflict.ErrNotOpen) {
			t.Errorf("%v: %v", of, err)
		}
	}
	last := b.Last()
	if _, err := b.Resolve(t.Context(), "t", y, x, ""); err != nil {
		t.Error(err)
	}
	if _, err := b.Resolve(t.Context(), "t", x, y, ""); !errors.Is(err, conflict.ErrNotOpen) || b.Last() != last+1 {
		t.Errorf("again: %v, and %d signals more", err, b.Last()-last)
	}
}

func TestClockThatGoesBackBringsNothingBack(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, TTL: time.Minute})
	sub := subscribe(t, b, bus.SubscribeOptions{})
	must(t, agent(t, b, "a"), found("dies"))
	now = now.Add(2 * time.Minute)
	if len(history(b, bus.Filter{})) != 0 {
		t.Fatal("expired signal in the history")
	}
	now = now.Add(-2 * time.Minute)
	if got := history(b, bus.Filter{}); len(got) != 0 {
		t.Errorf("the history has it again: %v", texts(got))
	}
	if got, _ := unread(sub); len(got) != 0 {
		t.Errorf("delivered: %v", texts(got))
	}
}

// Handlers judge at the moment they come to a signal: at time + ttl exactly it
// still lives.
func TestExpiryAtAHandlerIsJudgedWhenItComesToTheSignal(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1})
	var got []string
	step := time.Duration(0)
	handle(t, b, bus.HandleOptions{Agent: "h"}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		got = append(got, s.Payload.Finding)
		now = now.Add(step)
		return nil
	})
	both := func(d time.Duration) []signals.Any {
		step = d
		last := found("last")
		last.TTL = time.Second
		return []signals.Any{found("first"), last}
	}
	for _, d := range []time.Duration{time.Second, time.Second + 1} {
		if _, err := agent(t, b, "a").PublishAll(t.Context(), both(d)...); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "handled", got, []string{"first", "last", "first"})
	if k := balanced(t, b).Books; k.DeadExpired != 1 || k.Delivered != 3 {
		t.Errorf("books %+v", k)
	}
}

// A reader that gives up after it was woken wakes the next, who would else
// sleep on.
func TestReaderThatGivesUpWakesTheNext(t *testing.T) {
	readers := map[string]func(b *bus.Bus) func(context.Context){
		"subscription": func(b *bus.Bus) func(context.Context) {
			s := subscribe(t, b, bus.SubscribeOptions{})
			return func(ctx context.Context) { _, _ = s.Next(ctx) }
		},
		"tap": func(b *bus.Bus) func(context.Context) {
			tap := b.Tap(bus.Filter{})
			return func(ctx context.Context) { _, _, _ = tap.Next(ctx) }
		},
	}
	for name, open := range readers {
		t.Run(name, func(t *testing.T) {
			for range 50 {
				synctest.Test(t, func(t *testing.T) {
					b := newBus(t, nil)
					a, first, second := agent(t, b, "a"), open(b), subscribe(t, b, bus.SubscribeOptions{})
					ctx, cancel := context.WithCancel(t.Context())
					go first(ctx)
					synctest.Wait() // it is the first in the queue
					got := make(chan error, 1)
					go func() {
						_, err := second.Next(soon(t))
						got <- err
					}()
					synctest.Wait()
					cancel()
					must(t, a, found("x")) // often wakes the first before that has left the queue
					if err := <-got; err != nil {
						t.Fatal(err)
					}
				})
			}
		})
	}
}

// Pages are used again only if nobody can point into them.
func TestWhatATapReturnedDoesNotChange(t *testing.T) {
	b := newBus(t, &bus.Options{History: 64})
	a, tap := agent(t, b, "a"), b.Tap(bus.Filter{})
	must(t, a, found("first"))
	s, _, err := tap.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		must(t, a, found("later"))
	}
	equal(t, "tapped", texts([]signals.Any{s}), []string{"first"})
}

func TestWhatALaggedReaderGivesBackIsPending(t *testing.T) {
	b := newBus(t, nil)
	a, lagged := agent(t, b, "a"), subscribe(t, b, bus.SubscribeOptions{Backlog: 100})
	for range 200 {
		must(t, a, found("x"))
	}
	for range 50 { // in batches that become larger
		for range lagged.All(t.Context()) {
			break
		}
	}
	if k := balanced(t, b).Books; k.Pending != 50 {
		t.Errorf("%d pending of 100 kept and 50 read", k.Pending)
	}
	b.Close()
	if k := balanced(t, b).Books; k.Pending != 0 || k.DeadClosed != 50 {
		t.Errorf("books %+v", k)
	}
}

func TestEndedProposalsLeaveNothing(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, History: 64})
	a := agent(t, b, "a")
	lives := func(ttl time.Duration) {
		p := proposes("t", "p", "content")
		p.TTL = ttl
		must(t, a, p)
		now = now.Add(2 * time.Second)
	}
	churn := func(n int) int {
		for range n {
			lives(time.Second)
		}
		return heap()
	}
	lives(-1)
	before := churn(1_000)
	if grown := churn(50_000) - before; grown > 1<<20 {
		t.Errorf("%d kB more after 50,000 proposals", grown>>10)
	}
}

// Where the history has forgotten an id, a fed log may have it again.
func TestProposalThatIsFedAgainLivesAsLongAsTheLast(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, History: 1})
	for n, ttl := range []time.Duration{time.Minute, time.Hour} {
		seq := uint64(1 + 2*n)
		for i, s := range []signals.Any{proposes("t", "p", "content"), found("evicts it")} {
			h := signals.HeadOf(s)
			h.Seq, h.ID, h.Source, h.Time, h.TTL = seq+uint64(i), signals.MustID(fmt.Sprint("f", uint64(i)*seq)), "a", now, ttl
			if err := b.Feed(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		after time.Duration
		live  int
	}{{2 * time.Minute, 1}, {2 * time.Hour, 0}} {
		now = now.Add(step.after)
		b.Sweep()
		if live := b.Stats().Proposals; live != step.live {
			t.Errorf("%d live after %v, want %d", live, step.after, step.live)
		}
	}
}

func TestIdleBucketsAreForgotten(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Rate: 10, Clock: func() time.Time { return now }, Sweep: -1})
	churn := func(from, to int) {
		for i := from; i < to; i++ {
			must(t, agent(t, b, fmt.Sprint("agent-with-a-long-name-", i)), found("x"))
		}
		now = now.Add(time.Hour)
		b.Sweep()
	}
	churn(0, 5_000)
	before := heap()
	churn(5_000, 20_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d kB more after 15,000 agents that went away", grown>>10)
	}
}

// The sweeper lets publishers in between two blocks, who may move the floor of
// the history beyond where it wanted to go on.
func TestSweepingWhilePublishersEvict(t *testing.T) {
	b := newBus(t, &bus.Options{History: 3000, Sweep: -1, TTL: time.Microsecond})
	a := agent(t, b, "a")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				b.Sweep()
			}
		}
	})
	for range 60_000 {
		s := found("x")
		s.TTL = 2 * time.Millisecond
		must(t, a, s)
	}
	close(stop)
	wg.Wait()
	balanced(t, b)
}

// A signal that embeds one has all its methods, and is none.
type liar struct{ *discovery }

func TestSignalThatIsNoneIsRefused(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	must(t, a, found("x"))
	for range 2 {
		if _, err := a.Publish(t.Context(), liar{found("y")}); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("published: %v", err)
		}
		if _, err := a.PublishAll(t.Context(), found("z"), liar{found("y")}); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("published: %v", err)
		}
	}
	if b.Last() != 1 {
		t.Errorf("%d signals", b.Last())
	}
}

// anyKind is a payload whose kind is not its type's.
type anyKind struct {
	K signals.Kind `json:"k"`
}

func (p anyKind) Kind() signals.Kind {
	if p.K == "" {
		return "acme.example/any"
	}
	return p.K
}

func TestKindThatDependsOnTheValueIsJudgedEachTime(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	for range 2 {
		must(t, a, signals.New(signals.Header{}, anyKind{}))
		var refused *bus.PermissionError
		if _, err := a.Publish(t.Context(), signals.New(signals.Header{}, anyKind{signals.KindTask})); !errors.As(err, &refused) && !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("published a reserved kind: %v", err)
		}
	}
}

func TestEndedSubscriptionKeepsNothingWhileAnotherReads(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a := agent(t, b, "a")
	lagged, closed := subscribe(t, b, bus.SubscribeOptions{Backlog: 10}), subscribe(t, b, bus.SubscribeOptions{})
	other := subscribe(t, b, bus.SubscribeOptions{})
	drain := func(n int) {
		for range n {
			must(t, a, found("x"))
			if s, err := other.Poll(); s == nil || err != nil {
				t.Fatal(s, err)
			}
		}
	}
	drain(5_000)
	closed.Books() // which looks ahead
	closed.Close()
	before := heap()
	drain(100_000)
	if grown := heap() - before; grown > 2<<20 {
		t.Errorf("%d kB more", grown>>10)
	}
	runtime.KeepAlive(lagged)
	runtime.KeepAlive(closed)
}

// What is fed was accepted elsewhere: whether it comes at once, one by one or
// an hour later changes nothing.
func TestFeedingDoesNotDependOnBatchesOrTheClock(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := at
	fill := func(feed func(*bus.Bus, []signals.Any)) (*bus.Bus, []signals.Any) {
		now = at
		live := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, Mint: signals.SeededMint("m")})
		short := proposes("t", "p", "1")
		short.TTL = time.Second
		must(t, agent(t, live, "a"), short)
		now = now.Add(time.Minute)
		must(t, agent(t, live, "z"), proposes("t", "p", "mine now"))
		x := must(t, agent(t, live, "b"), proposes("t", "q", "2")).ID
		y := must(t, agent(t, live, "c"), proposes("t", "r", "3")).ID
		for pair := range live.Conflicts("t") {
			if _, err := live.Resolve(t.Context(), "t", pair.A.Signal, pair.B.Signal, ""); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = x, y
		log := history(live, bus.Filter{})
		rebuilt := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, Mint: signals.SeededMint("m")})
		feed(rebuilt, log)
		return rebuilt, log
	}
	atOnce := func(b *bus.Bus, log []signals.Any) {
		if err := b.Feed(t.Context(), log...); err != nil {
			t.Error(err)
		}
	}
	for name, feed := range map[string]func(*bus.Bus, []signals.Any){
		"at once": atOnce,
		"one by one": func(b *bus.Bus, log []signals.Any) {
			for _, s := range log {
				atOnce(b, []signals.Any{s})
			}
		},
		"later": func(b *bus.Bus, log []signals.Any) {
			now = now.Add(time.Hour)
			atOnce(b, log)
			now = now.Add(-time.Hour)
		},
	} {
		b, log := fill(feed)
		if got := b.Stats(); got.Published != uint64(len(log)) || got.Conflicts != 3-1 || got.OpenConflicts != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatALayerCommittedIsHandledAlthoughItPanics(t *testing.T) {
	b := newBus(t, nil)
	l := layerOf(t, b)
	handled := make(chan struct{})
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[tick]) error { close(handled); return nil })
	func() {
		defer func() { _ = recover() }()
		_ = l.Append(t.Context(), ticks, func([]bus.Receipt) { panic("no") })
	}()
	<-handled
	if err := b.Shutdown(soon(t)); err != nil {
		t.Error(err)
	}
}

func TestCallThatPanicsLocksNobodyOut(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	subscribe(t, b, bus.SubscribeOptions{Agent: "slow", Backlog: 1, WhenFull: bus.Wait})
	must(t, a, found("x"))
	func() {
		defer func() { _ = recover() }()
		var none context.Context
		_, _ = a.Publish(none, found("has to wait"))
	}()
	if b.Last() != 1 {
		t.Error("published")
	}
}

func TestProposalsOfOneCallCountOneByOne(t *testing.T) {
	b := newBus(t, &bus.Options{Proposals: 2})
	same := func() signals.Any { return proposes("t", "p", "1") }
	if _, err := agent(t, b, "a").PublishAll(t.Context(), same(), same(), same()); !errors.Is(err, bus.ErrProposals) {
		t.Errorf("got %v, want ErrProposals", err)
	}
}

func TestMomentKnowsIDsAcrossTheWrap(t *testing.T) {
	b := newBus(t, &bus.Options{NoConflicts: true})
	last := signals.New(signals.Header{Seq: 1<<24 - 2, ID: signals.MustID("f"), Source: "a", Time: time.Now()}, signals.Discovery{Finding: "x"})
	if err := b.Feed(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	l := layerOf(t, b)
	for range 3 {
		var told []signals.ID
		err := l.Append(t.Context(), func(m bus.Moment) ([]signals.Any, error) {
			told = []signals.ID{m.ID(0), m.ID(1)}
			m.ID(5)
			one, _ := ticks(m)
			two, _ := ticks(m)
			return append(one, two...), nil
		}, func(rs []bus.Receipt) {
			for i, r := range rs {
				if r.ID != told[i] {
					t.Errorf("signal %d got %v, told %v", r.Seq, r.ID, told[i])
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestHandlerThatComesAndGoesDuringARunIsInNoBooks(t *testing.T) {
	b := newBus(t, nil)
	none := func(context.Context, signals.Signal[signals.Discovery]) error { return nil }
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error {
		handle(t, b, bus.HandleOptions{}, none).Close()
		balanced(t, b)
		handle(t, b, bus.HandleOptions{}, none)
		balanced(t, b)
		return nil
	})
	must(t, agent(t, b, "a"), found("x"))
	if k := balanced(t, b).Books; k.Intended != 1 || k.Delivered != 1 {
		t.Errorf("books %+v", k)
	}
}
