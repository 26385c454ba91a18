package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

func TestProcessesHaveOneLog(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	one, two := join(t, natsbus.Options{URL: url, Process: "one"}), join(t, natsbus.Options{URL: url, Process: "two"})
	must(t, agent(t, one, "a"), found("t", "x"))
	must(t, agent(t, two, "b"), proposes("t", "p", "1"))
	r := must(t, agent(t, one, "a"), proposes("t", "q", "2"))
	last := must(t, agent(t, two, "b"), found("t", "y"))
	reach(t, one.Bus(), last.Seq)
	reach(t, two.Bus(), last.Seq)
	late := join(t, natsbus.Options{URL: url, Process: "late"})
	got := lines(t, one.Bus())
	if len(got) != 5 || !slices.Equal(got, lines(t, two.Bus())) || !slices.Equal(got, lines(t, late.Bus())) {
		t.Errorf("got\n%s\nand\n%s\nand\n%s", strings.Join(got, "\n"), strings.Join(lines(t, two.Bus()), "\n"), strings.Join(lines(t, late.Bus()), "\n"))
	}
	// The conflict is right behind its cause, in every process.
	if !strings.Contains(got[3], `"type":"conflict"`) || natsbus.StreamSequence(r.Seq) != 3 {
		t.Errorf("after the proposal %d: %s", r.Seq, got[3])
	}
}

func TestProposalBelongsToTheFirstInTheLog(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	one, two := join(t, natsbus.Options{URL: url}), join(t, natsbus.Options{URL: url})
	errs := make(chan error, 2)
	for _, l := range []*natsbus.Log{one, two} {
		p := agent(t, l, l.Process())
		go func() {
			_, err := p.Publish(soon(t), proposes("t", "p", "of "+l.Process()))
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	var owned *conflict.ProposalError
	if (first == nil) == (second == nil) || !errors.As(errors.Join(first, second), &owned) {
		t.Errorf("got %v and %v, want one ProposalError", first, second)
	}
}

func TestDuplicatesAreFoundWithinTheWindowAndBeyond(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url, Storage: natsbus.Storage{Window: time.Second}})
	again := func() error {
		s := found("t", "x")
		s.ID = signals.MustID("mine")
		_, err := l.Append(soon(t), []signals.Any{complete(s)}, 0)
		return err
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	if err := again(); !errors.Is(err, bus.ErrDuplicate) {
		t.Errorf("within the window: %v", err)
	}
	for range 20 { // until the servers have forgotten the id
		err := again()
		var dead *natsbus.DeadLetter
		if !errors.Is(err, bus.ErrDuplicate) {
			t.Fatal(err)
		}
		if errors.As(err, &dead) && dead.Reason == natsbus.Duplicate {
			break
		}
		pause()
	}
	if l.Stats().Dead[natsbus.Duplicate] < 1 || len(lines(t, l.Bus())) != 1 {
		t.Errorf("%+v, %v", l.Stats(), lines(t, l.Bus()))
	}
}

// The second of two at once does not take the answer to the first one, which nobody has given yet.
func TestSignalWhoseIDIsOnItsWayIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	proxy := natstest.NewProxy(t, strings.TrimPrefix(natstest.Start(t, natstest.Options{})[0].URL(), "nats://"))
	l := join(t, natsbus.Options{URL: "nats://" + proxy.Addr()})
	s := found("t", "x")
	s.ID = signals.MustID("mine")
	proxy.Cut()
	first := make(chan error, 1)
	go func() {
		_, err := l.Append(soon(t), []signals.Any{complete(s)}, 0)
		first <- err
	}()
	for l.Stats().Retried == 0 {
		pause()
	}
	if _, err := l.Append(soon(t), []signals.Any{complete(s)}, 0); !errors.Is(err, bus.ErrDuplicate) {
		t.Errorf("the second one: %v, want ErrDuplicate", err)
	}
	proxy.Mend()
	if err := <-first; err != nil {
		t.Errorf("the first one: %v", err)
	}
}

// Readers do not know the id any more, and servers do: it is refused, and not sent past them.
func TestDuplicateThatReadersHaveForgottenIsRefused(t *testing.T) {
	t.Parallel()
	const remember = 8192
	url := natstest.Start(t, natstest.Options{NoSync: true})[0].URL()
	l := join(t, natsbus.Options{URL: url, Remember: remember})
	s := found("t", "x")
	s.ID = signals.MustID("mine")
	if _, err := l.Append(soon(t), []signals.Any{complete(s)}, 0); err != nil {
		t.Fatal(err)
	}
	conn, _ := rawClient(t, url)
	for i := range remember + 1 {
		header, data, err := cloudevents.Binary(signals.New(
			signals.Header{ID: signals.MustID(fmt.Sprint("other ", i)), Source: "b", Thread: "t", Time: time.Now(), TTL: -1}, signals.Discovery{Finding: "y", Relevance: 1}))
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.PublishMsg(&nats.Msg{Subject: natsbus.Subject("swarmbus", "t", "discovery", "b"), Header: header, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	for ctx := soon(t); l.Stats().Last < remember+2; pause() {
		if ctx.Err() != nil {
			t.Fatalf("%+v", l.Stats())
		}
	}
	if _, err := l.Append(soon(t), []signals.Any{complete(s)}, 0); !errors.Is(err, bus.ErrDuplicate) || l.Stats().Last != remember+2 {
		t.Errorf("%v, %d messages, want ErrDuplicate and no message more than %d", err, l.Stats().Last, remember+2)
	}
}

func TestSeveralSignalsAreNextToEachOtherOrNotThere(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l, other := join(t, natsbus.Options{URL: url}), join(t, natsbus.Options{URL: url})
	a := agent(t, l, "a")
	all, err := a.PublishAll(soon(t), proposes("t", "p", "1"), found("u", "x"), found("t", "y"))
	if err != nil || all[1].Seq != all[0].Seq+1 || all[2].Seq != all[1].Seq+1 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := agent(t, l, "b").PublishAll(soon(t), found("t", "z"), proposes("t", "p", "another")); err == nil {
		t.Error("accepted")
	}
	last := must(t, a, found("t", "end"))
	reach(t, other.Bus(), last.Seq)
	if got := lines(t, other.Bus()); len(got) != 4 {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

func TestMoreThanAMessageHoldsIsRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	for name, c := range map[string]struct{ signals, bytes int }{"signals": {2049, 1}, "bytes": {80, 15 << 10}} {
		var all []signals.Any
		for range c.signals {
			all = append(all, found("t", strings.Repeat("x", c.bytes)))
		}
		if _, err := agent(t, l, "a").PublishAll(soon(t), all...); !errors.Is(err, natsbus.ErrTooMany) {
			t.Errorf("%d %s: %v, want ErrTooMany", len(all), name, err)
		}
		if _, err := agent(t, l, "a").PublishAll(soon(t), all[:len(all)/2]...); err != nil {
			t.Errorf("half of the %s: %v", name, err)
		}
	}
}

func TestHandlersPublishWithoutDeadlock(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	a := agent(t, l, "a")
	done := make(chan bus.Receipt, 10)
	_, err := bus.Handle(l.Bus(), bus.HandleOptions{Agent: "a"}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		if n := len(s.Payload.Finding); n < 5 {
			r, err := a.Publish(ctx, found("t", s.Payload.Finding+"x"))
			done <- r
			return err
		}
		close(done)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	must(t, a, found("t", "x"))
	n := 0
	for range done {
		n++
	}
	if n != 4 {
		t.Errorf("%d published by handlers, want 4", n)
	}
}

// Each layer appends the number that its fold of the log is at: no number is missing, and
// none is there twice.
func TestLayerDecidesByTheLogAsItIs(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	const each, processes = 20, 3
	errs := make(chan error, processes)
	var l *natsbus.Log
	for range processes {
		l = join(t, natsbus.Options{URL: url})
		layer, err := l.Bus().Layer("counter", signals.KindMemory)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			var err error
			for range each {
				err = errors.Join(err, layer.Append(soon(t), func(next uint64, _ time.Time) ([]signals.Any, error) {
					s := signals.New(signals.Header{Thread: "t", TTL: -1}, signals.Memory{Content: fmt.Sprint(next), Category: "c"})
					return []signals.Any{s, s}, nil
				}, nil))
			}
			errs <- err
		}()
	}
	for range processes {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	last := must(t, agent(t, l, "a"), found("t", "end"))
	reach(t, l.Bus(), last.Seq)
	n := 0
	for s := range l.Bus().History(bus.Filter{Kinds: []signals.Kind{signals.KindMemory}}) {
		at := s.Head().Seq - uint64(n%2) // the second of two is one further
		if text := s.Body().(signals.Memory).Content; text != fmt.Sprint(at) {
			t.Errorf("signal %d was meant for %s", at, text)
		}
		n++
	}
	if n != 2*each*processes {
		t.Errorf("%d signals, want %d", n, 2*each*processes)
	}
}

func TestLayerFoldsWhatItAppendsBeforeItDecidesAgain(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	layer, err := l.Bus().Layer("counter", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	const callers, each = 4, 20
	var calls sync.WaitGroup
	folded := 0
	for range callers {
		calls.Go(func() {
			for range each {
				err := layer.Append(soon(t), func(uint64, time.Time) ([]signals.Any, error) {
					return []signals.Any{signals.New(signals.Header{Thread: "t", TTL: -1}, signals.Memory{Content: fmt.Sprint(folded), Category: "c"})}, nil
				}, func(all []signals.Any) { folded += len(all) })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	n := 0
	for s := range l.Bus().History(bus.Filter{Kinds: []signals.Kind{signals.KindMemory}}) {
		if text := s.Body().(signals.Memory).Content; text != fmt.Sprint(n) {
			t.Errorf("signal %d was decided after %s", n, text)
		}
		n++
	}
	if n != callers*each || folded != n {
		t.Errorf("%d signals, %d folded, want %d", n, folded, callers*each)
	}
}

func TestLayerFoldsWhatItsCallersLeftDuringAnOutage(t *testing.T) {
	t.Parallel()
	proxy := natstest.NewProxy(t, strings.TrimPrefix(natstest.Start(t, natstest.Options{})[0].URL(), "nats://"))
	l := join(t, natsbus.Options{URL: "nats://" + proxy.Addr()})
	layer, err := l.Bus().Layer("counter", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	folded := 0
	count := func(ctx context.Context) error {
		return layer.Append(ctx, func(uint64, time.Time) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{Thread: "t", TTL: -1}, signals.Memory{Content: fmt.Sprint(folded), Category: "c"})}, nil
		}, func(all []signals.Any) { folded += len(all) })
	}
	const outages = 3
	for range outages {
		proxy.Cut()
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				defer cancel()
				if err := count(short); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v during an outage", err)
				}
			})
		}
		callers.Wait()
		proxy.Mend()
		if err := count(soon(t)); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for s := range l.Bus().History(bus.Filter{Kinds: []signals.Kind{signals.KindMemory}}) {
		if text := s.Body().(signals.Memory).Content; text != fmt.Sprint(n) {
			t.Errorf("signal %d was decided after %s", n, text)
		}
		n++
	}
	if n != 2*outages || folded != n {
		t.Errorf("%d signals, %d folded, want one that was left and one more for each of %d outages", n, folded, outages)
	}
}

func complete(s *signals.Signal[signals.Discovery]) signals.Any {
	s.Source, s.Time = "a", time.Now()
	return s
}

// pause is the time between two looks at what another process does without a word about it.
func pause() { time.Sleep(10 * time.Millisecond) }

// A log knows resolutions without an option.
func TestResolutionEndsAConflictInEveryProcess(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	one, other := join(t, natsbus.Options{URL: url}), join(t, natsbus.Options{URL: url})
	p := must(t, agent(t, one, "a"), proposes("t", "p", "1")).ID
	q := must(t, agent(t, other, "b"), proposes("t", "q", "2")).ID
	reach(t, one.Bus(), other.Bus().Last())
	if _, err := one.Bus().Resolve(soon(t), "t", q, p, "settled"); err != nil {
		t.Fatal(err)
	}
	reach(t, other.Bus(), one.Bus().Last())
	for _, l := range []*natsbus.Log{one, other} {
		for open := range l.Bus().Conflicts("t") {
			t.Errorf("still open: %+v", open)
		}
	}
}
