package bus_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A sequenced log feeds several buses, each with a delay of its own.
type sequenced struct {
	mu    sync.Mutex // protects the field below
	log   [][]signals.Any
	buses []*sequencedBus
}

// A sequencedBus follows the log when its test calls for it.
type sequencedBus struct {
	*bus.Bus
	log  *sequenced
	sent atomic.Int64 // calls of Append
	fed  atomic.Int64 // messages
	errs []error
	mu   sync.Mutex // protects errs, and is held while the bus is fed

	away   func(context.Context, []signals.Any) error // called by Append instead of appending; nil: none
	answer func() error                               // called by Append when the bus is fed with the signals, before it returns; nil: none
}

const stride = 16 // numbers for a message and the conflicts that it opens

func (s *sequenced) join(t testing.TB, o bus.Options) *sequencedBus {
	b := &sequencedBus{log: s}
	o.Sequencer = b
	b.Bus = newBus(t, &o)
	s.buses = append(s.buses, b)
	return b
}

func (b *sequencedBus) Next() uint64 { return uint64(b.fed.Load()+1) * stride }

func (b *sequencedBus) Append(ctx context.Context, all []signals.Any, at uint64) (uint64, error) {
	b.sent.Add(1)
	if b.away != nil {
		return 0, b.away(ctx, all)
	}
	b.log.mu.Lock()
	next := len(b.log.log) + 1
	moved := at > 0 && at != uint64(next)*stride
	if !moved {
		b.log.log = append(b.log.log, all)
	}
	b.log.mu.Unlock()
	if err := b.follow(ctx, next); moved || err != nil {
		return 0, errors.Join(err, bus.ErrMoved)
	}
	if answer := b.answer; answer != nil {
		b.answer = nil
		if err := answer(); err != nil {
			return 0, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return uint64(next) * stride, b.errs[next-1]
}

// follow feeds the bus with the log up to a message.
func (b *sequencedBus) follow(_ context.Context, last int) error {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log.mu.Lock()
	log := slices.Clone(b.log.log)
	b.log.mu.Unlock()
	for len(b.errs) < min(last, len(log)) {
		var all []signals.Any
		for i, s := range log[len(b.errs)] {
			h := s.Head()
			h.Seq = uint64(len(b.errs)+1)*stride + uint64(i)
			all = append(all, signals.With(s, h))
		}
		b.errs = append(b.errs, b.Feed(over, all...))
		b.fed.Add(1)
	}
	return nil
}

func TestBusesOfASequencerHaveOneLog(t *testing.T) {
	now := time.Now()
	var shared sequenced
	a := shared.join(t, bus.Options{TTL: time.Minute, Sweep: -1, Clock: func() time.Time { return now }})
	b := shared.join(t, bus.Options{TTL: time.Minute, Sweep: -1, Clock: func() time.Time { return now.Add(50 * time.Second) }})
	must(t, agent(t, a.Bus, "a"), proposes("t", "p", "1"))
	must(t, agent(t, b.Bus, "b"), found("x"))
	var refused *bus.PermissionError
	if _, err := a.Layer("late", kindWord); !errors.As(err, &refused) {
		t.Errorf("a kind that an agent may have published: %v", err)
	}
	rival := must(t, agent(t, a.Bus, "b"), proposes("t", "q", "2"))
	var owned *conflict.ProposalError
	if _, err := agent(t, b.Bus, "c").Publish(t.Context(), proposes("t", "p", "another")); !errors.As(err, &owned) {
		t.Errorf("taken by another bus: %v", err)
	}
	now = now.Add(30 * time.Second) // by b's clock the first proposal has expired, by the log's it has not
	b.Sweep()
	must(t, agent(t, a.Bus, "c"), proposes("t", "r", "3"))
	for _, each := range shared.buses {
		if err := each.follow(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		equal(t, "conflicts", openPairs(each.Bus, "t"), openPairs(a.Bus, "t"))
	}
	got := history(a.Bus, bus.Filter{})
	if want := []string{"p", "x", "q", "conflict", "r", "conflict"}; !slices.Equal(texts(got), want) {
		t.Errorf("got %v, want %v", texts(got), want)
	}
	if conflict, ok := a.Get(got[3].Head().ID); !ok || conflict.Head().Seq != rival.Seq+1 {
		t.Errorf("%v is not right behind %d", conflict, rival.Seq)
	}
	if a.Last() != b.Last() || a.Stats().Conflicts != b.Stats().Conflicts {
		t.Errorf("%d %+v and %d %+v", a.Last(), a.Stats().Conflicts, b.Last(), b.Stats().Conflicts)
	}
}

func TestLayerDecidesAgainWhenTheLogMovedOn(t *testing.T) {
	var shared sequenced
	a, b := shared.join(t, bus.Options{}), shared.join(t, bus.Options{})
	layer, err := b.Layer("layer", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	decided, committed := 0, []uint64{}
	must(t, agent(t, a.Bus, "a"), found("x")) // b does not have it yet
	err = layer.Append(t.Context(), func(next uint64, _ time.Time) ([]signals.Any, error) {
		decided++
		s := signals.New(signals.Header{}, signals.Memory{Content: fmt.Sprint(next), Category: "c"})
		return []signals.Any{s, s}, nil
	}, func(all []signals.Any) { committed = seqs(all) })
	if err != nil || decided != 2 {
		t.Errorf("decided %d times, want 2: %v", decided, err)
	}
	equal(t, "committed", committed, []uint64{2 * stride, 2*stride + 1})
	for s := range b.History(bus.Filter{Kinds: []signals.Kind{signals.KindMemory}}) {
		if s.Body().(signals.Memory).Content != fmt.Sprint(2*stride) {
			t.Errorf("%+v", s)
		}
	}
	if err := layer.Append(t.Context(), func(uint64, time.Time) ([]signals.Any, error) { return nil, nil }, nil); err != nil {
		t.Error(err)
	}
}

func TestThreadOfASequencerIsClosedByTheLogAlone(t *testing.T) {
	var shared sequenced
	a := shared.join(t, bus.Options{})
	must(t, agent(t, a.Bus, "a"), proposes("t", "p", "1"))
	a.CloseThread("t")
	if live := a.Stats().Conflicts.Live; live != 1 {
		t.Errorf("%d live after CloseThread, want 1", live)
	}
	must(t, a.System(), signals.New(signals.Header{Thread: "t"}, settled{Over: true}))
	if live := a.Stats().Conflicts.Live; live != 0 {
		t.Errorf("%d live after its end, want 0", live)
	}
}

// A tally is a layer whose only signals say how many there are.
type tally struct {
	*bus.Layer
	folded int
}

func (c *tally) count(ctx context.Context) error {
	return c.Append(ctx, func(uint64, time.Time) ([]signals.Any, error) {
		return []signals.Any{signals.New(signals.Header{}, signals.Memory{Content: fmt.Sprint(c.folded + 1), Category: "c"})}, nil
	}, func(all []signals.Any) { c.folded += len(all) })
}

// counted returns what the tally's signals say.
func counted(b *bus.Bus) (all []string) {
	for _, s := range history(b, bus.Filter{Kinds: []signals.Kind{signals.KindMemory}}) {
		all = append(all, s.Body().(signals.Memory).Content)
	}
	return all
}

func TestLayerFoldsWhatTheBusIsFedWithBeforeItDecidesAgain(t *testing.T) {
	var shared sequenced
	b := shared.join(t, bus.Options{})
	c := &tally{Layer: made(b.Layer("tally", signals.KindMemory))}
	b.answer = func() error { return c.count(t.Context()) } // between the log and the return of the first
	if err := c.count(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := counted(b.Bus); !slices.Equal(got, []string{"1", "2"}) || c.folded != 2 {
		t.Errorf("the log has %v and the fold %d, want 1 and 2", got, c.folded)
	}
}

func TestLayerFoldsWhatEntersTheLogAfterItsCallerHasLeft(t *testing.T) {
	var shared sequenced
	b := shared.join(t, bus.Options{})
	c := &tally{Layer: made(b.Layer("tally", signals.KindMemory))}
	lost := errors.New("not acknowledged")
	b.answer = func() error { return lost }
	if err := c.count(t.Context()); !errors.Is(err, lost) {
		t.Fatalf("got %v, want %v", err, lost)
	}
	must(t, agent(t, b.Bus, "a"), found("x"))
	if err := c.count(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := counted(b.Bus); !slices.Equal(got, []string{"1", "2"}) || c.folded != 2 {
		t.Errorf("the log has %v and the fold %d, want 1 and 2", got, c.folded)
	}
}

// outage is a log that is away until its callers have left.
func outage(ctx context.Context, _ []signals.Any) error {
	<-ctx.Done()
	return fmt.Errorf("%w: %w", bus.ErrUnknown, context.Cause(ctx))
}

var errRefused = errors.New("full")

func refuse(context.Context, []signals.Any) error { return errRefused }

func TestAppendsThatDoNotEnterTheLogAreForgotten(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	for name, away := range map[string]func(context.Context, []signals.Any) error{
		"whose callers have left": outage, "that are refused": refuse,
	} {
		var shared sequenced
		b := shared.join(t, bus.Options{})
		b.away = away
		l, ctx := layerOf(t, b.Bus), left
		if name == "that are refused" {
			ctx = t.Context()
		}
		var all []weak.Pointer[[1 << 10]byte]
		for range 100 {
			large := new([1 << 10]byte)
			all = append(all, weak.Make(large))
			if err := l.Append(ctx, ticks, func([]signals.Any) { runtime.KeepAlive(large) }); err == nil {
				t.Fatal("entered the log")
			}
		}
		runtime.GC()
		runtime.GC() // what became garbage during the first
		if kept := len(slices.DeleteFunc(all, func(p weak.Pointer[[1 << 10]byte]) bool { return p.Value() == nil })); kept > 1 {
			t.Errorf("%d of 100 appends %s are in memory", kept, name)
		}
		runtime.KeepAlive(b)
	}
}

func TestLayerSendsWhatItsCallersLeftAgainBeforeItDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shared sequenced
		b := shared.join(t, bus.Options{Sweep: -1})
		c := &tally{Layer: made(b.Layer("tally", signals.KindMemory))}
		b.away = outage
		for range 2 { // the calls of the second round send those of the first
			var calls sync.WaitGroup
			for range 3 {
				calls.Go(func() {
					short, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					if err := c.count(short); !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
				})
			}
			calls.Wait()
		}
		b.away = nil
		for range 2 {
			if err := c.count(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := counted(b.Bus); !slices.Equal(got, []string{"1", "2", "3"}) || c.folded != 3 {
			t.Errorf("the log has %v and the fold %d, want 1 to 3", got, c.folded)
		}
		if sent := b.sent.Load(); sent != 3+3+1+2 {
			t.Errorf("sent %d times, want 3 and 3 while it was away, one of these again, and 2", sent)
		}
	})
}

// A sequencer may give up before the context ends.
func TestLayerFoldsWhatEntersTheLogAfterItsSequencerGaveUp(t *testing.T) {
	for name, then := range map[string]func(b *sequencedBus, c *tally, sent []signals.Any) error{
		"when the bus is fed with it": func(b *sequencedBus, _ *tally, sent []signals.Any) error {
			b.log.log = append(b.log.log, sent)
			return b.follow(t.Context(), 1)
		},
		"when it is sent again": func(*sequencedBus, *tally, []signals.Any) error { return nil },
		"when it is sent again after it was unknown twice": func(_ *sequencedBus, c *tally, _ []signals.Any) error {
			if err := c.count(t.Context()); !errors.Is(err, bus.ErrUnknown) {
				return fmt.Errorf("got %w, want ErrUnknown", err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var shared sequenced
			b := shared.join(t, bus.Options{})
			c := &tally{Layer: made(b.Layer("tally", signals.KindMemory))}
			var sent []signals.Any
			b.away = func(_ context.Context, all []signals.Any) error {
				sent = all
				return fmt.Errorf("%w: %w", bus.ErrUnknown, errRefused)
			}
			if err := c.count(t.Context()); !errors.Is(err, errRefused) || c.folded != 0 {
				t.Fatalf("folded %d: %v", c.folded, err)
			}
			if err := then(b, c, sent); err != nil {
				t.Fatal(err)
			}
			b.away = nil
			if err := c.count(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := counted(b.Bus); !slices.Equal(got, []string{"1", "2"}) || c.folded != 2 {
				t.Errorf("the log has %v and the fold %d, want 1 and 2", got, c.folded)
			}
		})
	}
}

func TestSignalsThatMayBeInTheLogCountForLimitsAndRefusedOnesDoNot(t *testing.T) {
	now := time.Now()
	var shared sequenced
	b := shared.join(t, bus.Options{Rate: 1, Burst: 1, Sweep: -1, Clock: func() time.Time { return now }})
	a := agent(t, b.Bus, "a")
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		pays bool
	}{{t.Context(), errRefused, false}, {left, errRefused, false}, {t.Context(), bus.ErrUnknown, true}, {left, bus.ErrUnknown, true}} {
		now = now.Add(time.Minute)
		b.away = func(context.Context, []signals.Any) error { return fmt.Errorf("away: %w", c.err) }
		if _, err := a.Publish(c.ctx, found("x")); !errors.Is(err, c.err) {
			t.Fatal(err)
		}
		b.away = nil
		var limit *bus.LimitError
		if _, err := a.Publish(t.Context(), found("y")); errors.As(err, &limit) != c.pays {
			t.Errorf("after %v, context %v: %v", c.err, c.ctx.Err(), err)
		}
	}
}

func TestLayerFoldsWhatWasSentThoughItIsRefusedWhenItIsSentAgain(t *testing.T) {
	var shared sequenced
	b := shared.join(t, bus.Options{})
	c := &tally{Layer: made(b.Layer("tally", signals.KindMemory))}
	left, leave := context.WithCancel(t.Context())
	b.away = func(ctx context.Context, all []signals.Any) error {
		shared.log = append(shared.log, all) // the bus is fed with it later
		leave()
		return outage(ctx, all)
	}
	if err := c.count(left); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	b.away = refuse
	if err := c.count(t.Context()); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	if err := b.follow(t.Context(), 1); err != nil || c.folded != 1 {
		t.Errorf("folded %d of 1: %v", c.folded, err)
	}
}

func TestConcurrentCallsOfALayerCountWithoutGap(t *testing.T) {
	var shared sequenced
	b := shared.join(t, bus.Options{})
	c := &tally{Layer: made(b.Layer("tally", signals.KindMemory))}
	const callers, each = 4, 50
	var calls sync.WaitGroup
	for range callers {
		calls.Go(func() {
			for range each {
				if err := c.count(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	for i, text := range counted(b.Bus) {
		if text != fmt.Sprint(i+1) {
			t.Fatalf("signal %d says %s", i+1, text)
		}
	}
	if c.folded != callers*each {
		t.Errorf("folded %d, want %d", c.folded, callers*each)
	}
}

func TestLayersThatFollowCountTogether(t *testing.T) {
	var shared sequenced
	var tallies []*tally
	for range 3 {
		b := shared.join(t, bus.Options{})
		c := &tally{Layer: made(b.Layer("tally", signals.KindMemory, kindWord))}
		c.Follow(func(signals.Any) bool { c.folded++; return true })
		tallies = append(tallies, c)
	}
	var calls sync.WaitGroup
	for i, c := range tallies {
		calls.Go(func() {
			a := agent(t, shared.buses[i].Bus, fmt.Sprint("a", i))
			for range 20 {
				must(t, a, found("x")) // of a kind that the layers do not follow
				if err := c.count(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	for i, b := range shared.buses {
		if err := b.follow(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		got := counted(b.Bus)
		for n, text := range got {
			if text != fmt.Sprint(n+1) {
				t.Fatalf("bus %d: signal %d says %s", i, n+1, text)
			}
		}
		if len(got) != 60 || tallies[i].folded != 60 {
			t.Errorf("bus %d has %d, its layer folded %d, want 60", i, len(got), tallies[i].folded)
		}
	}
}

func TestLayerFollowsFromTheEndOfTheLogUntilItHasEnough(t *testing.T) {
	var shared sequenced
	a, b := shared.join(t, bus.Options{}), shared.join(t, bus.Options{})
	writer := &tally{Layer: made(a.Layer("tally", signals.KindMemory))}
	reader := &tally{Layer: made(b.Layer("tally", signals.KindMemory))}
	count := func() {
		if err := errors.Join(writer.count(t.Context()), b.follow(t.Context(), 1000)); err != nil {
			t.Fatal(err)
		}
	}
	count()
	if from := reader.Follow(func(signals.Any) bool { reader.folded++; return reader.folded < 2 }); from != stride {
		t.Errorf("it follows what is behind %d, want %d", from, stride)
	}
	for range 3 {
		count()
	}
	if reader.folded != 2 {
		t.Errorf("folded %d, want the 2 after which it wanted no more", reader.folded)
	}
}
