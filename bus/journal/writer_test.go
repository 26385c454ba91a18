package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newBus(t testing.TB) *bus.Bus {
	t.Helper()
	b, err := bus.New(&bus.Options{
		TTL: -1, Sweep: -1, History: 1 << 16, Mint: signals.SeededMint("journal"), Clock: func() time.Time { return epoch },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// talk publishes a little of everything: rivals, replies, recipients.
func talk(t testing.TB, b *bus.Bus, round int) {
	t.Helper()
	thread := fmt.Sprintf("t%d", round)
	for _, name := range []string{"a", "b"} {
		p, err := b.Agent(name, bus.Permissions{})
		if err != nil {
			t.Fatal(err)
		}
		proposal := signals.Proposal{ProposalID: name, Content: "do " + name}
		vote := signals.Vote{ProposalID: name, Stance: signals.Agree, Weight: 1, Reasoning: `so ,"payload": it is`}
		h := signals.Header{Thread: thread, Confidence: 0.5}
		private := h
		private.Recipients = signals.To("c")
		_, err = p.PublishAll(context.Background(), signals.New(h, proposal), signals.New(h, vote), signals.New(private, vote))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// samples are signals as a bus has them.
func samples(t testing.TB) []signals.Any {
	t.Helper()
	b := newBus(t)
	talk(t, b, 1)
	return slices.Collect(b.History(bus.Filter{}))
}

func logOf(t testing.TB, b *bus.Bus) string {
	t.Helper()
	var all strings.Builder
	for s := range b.History(bus.Filter{}) {
		data, err := signals.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(data, '\n'))
	}
	return all.String()
}

func conflictsOf(b *bus.Bus, threads int) string {
	var all strings.Builder
	for n := range threads {
		for pair := range b.Conflicts(fmt.Sprintf("t%d", n)) {
			fmt.Fprintf(&all, "%+v\n", pair)
		}
	}
	return all.String()
}

func attach(t testing.TB, b *bus.Bus, s journal.Store) *journal.Writer {
	t.Helper()
	w, err := journal.Attach(t.Context(), b, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestARebuiltBusIsTheSameAndGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	once := newBus(t) // all in one run
	for round := range 6 {
		talk(t, once, round)
	}
	for life := range 3 {
		b, j := newBus(t), open(t, path, nil)
		w := attach(t, b, j)
		talk(t, b, 2*life)
		talk(t, b, 2*life+1)
		if err := errors.Join(w.Close(t.Context()), w.Close(t.Context()), j.Close()); err != nil {
			t.Fatal(err)
		}
		b.Close()
	}
	again := newBus(t)
	last, err := journal.Restore(t.Context(), again, view(t, path), nil)
	if err != nil || last != once.Last() {
		t.Fatalf("restored up to %d, %v, want %d", last, err, once.Last())
	}
	if got, want := logOf(t, again), logOf(t, once); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := conflictsOf(again, 6), conflictsOf(once, 6); got != want || want == "" {
		t.Errorf("got conflicts\n%s\nwant\n%s", got, want)
	}
}

func TestABusThatSpokeBeforeIsWrittenFromItsHistory(t *testing.T) {
	b, m := newBus(t), new(journal.Memory)
	talk(t, b, 0)
	w := attach(t, b, m)
	talk(t, b, 1)
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m.Last() != b.Last() {
		t.Errorf("%d records of %d signals", m.Last(), b.Last())
	}
	other := newBus(t)
	talk(t, other, 5) // with the same ids
	if _, err := journal.Attach(t.Context(), other, m, nil); err == nil {
		t.Error("a log was put behind another")
	}
	again := attach(t, b, m)
	talk(t, b, 2)
	if err := again.Close(t.Context()); err != nil || m.Last() != b.Last() {
		t.Errorf("the bus that has the log went on to %d, the journal to %d: %v", b.Last(), m.Last(), err)
	}
}

func TestSyncWaitsForItsSignalAndForNothingElse(t *testing.T) {
	b := newBus(t)
	slow := &slowStore{Store: new(journal.Memory), gate: make(chan struct{})}
	w := attach(t, b, slow)
	talk(t, b, 0) // which does not wait
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Sync(ctx, b.Last()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(slow.gate)
	if err := w.Sync(t.Context(), b.Last()); err != nil || slow.Last() != b.Last() {
		t.Errorf("%d of %d written, %v", slow.Last(), b.Last(), err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestExpiredUnreadSignalsAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := bus.New(&bus.Options{Sweep: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		slow := &slowStore{Store: new(journal.Memory), gate: make(chan struct{})}
		w := attach(t, b, slow)
		say := func(ttl time.Duration) {
			finding := signals.Discovery{Finding: "x", Relevance: 1}
			if _, err := b.System().Publish(t.Context(), signals.New(signals.Header{Confidence: 1, TTL: ttl}, finding)); err != nil {
				t.Fatal(err)
			}
		}
		say(time.Hour)
		synctest.Wait() // the writer waits for its store
		say(time.Second)
		time.Sleep(time.Minute)
		close(slow.gate)
		if err := w.Close(t.Context()); err != nil || slow.Last() != 2 {
			t.Errorf("%d records, %v, want both signals", slow.Last(), err)
		}
		again, err := bus.New(&bus.Options{Sweep: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if last, err := journal.Restore(t.Context(), again, slow.Store, nil); err != nil || last != 2 {
			t.Errorf("restored up to %d, %v", last, err)
		}
		if n := len(slices.Collect(again.History(bus.Filter{}))); n != 1 {
			t.Errorf("%d signals are there, want the one that lives", n)
		}
	})
}

func TestSyncDoesNotWaitForAFullBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, m := newBus(t), new(journal.Memory)
		w := attach(t, b, m)
		begin := time.Now()
		for round := range 20 {
			talk(t, b, round)
			if err := w.Sync(t.Context(), b.Last()); err != nil || m.Last() != b.Last() {
				t.Fatalf("%d of %d, %v", m.Last(), b.Last(), err)
			}
		}
		if waited := time.Since(begin); waited > 0 {
			t.Errorf("waited %v", waited)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestSlowWriterBlocksNoPublisherAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t)
		slow := &slowStore{Store: new(journal.Memory), gate: make(chan struct{})}
		w := attach(t, b, slow)
		const n = 1<<16 + 1<<12 // more than other readers may leave unread
		a, err := b.Agent("a", bus.Permissions{})
		if err != nil {
			t.Fatal(err)
		}
		finding := signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: "x", Relevance: 1})
		for range n {
			if _, err := a.Publish(t.Context(), finding); err != nil {
				t.Fatal(err)
			}
		}
		close(slow.gate)
		if err := w.Close(t.Context()); err != nil || slow.Last() != n {
			t.Errorf("%d of %d written, %v", slow.Last(), n, err)
		}
	})
}

func TestCloseOfAWriterWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t)
		slow := &slowStore{Store: new(journal.Memory), gate: make(chan struct{})}
		w := attach(t, b, slow)
		for round := range 500 {
			talk(t, b, round)
		}
		synctest.Wait() // the writer waits for its store
		begin := time.Now()
		why := errors.New("no more time")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, why)
		defer cancel()
		for range 2 {
			if err := w.Close(ctx); !errors.Is(err, why) || time.Since(begin) != 300*time.Millisecond {
				t.Errorf("after %v: got %v", time.Since(begin), err)
			}
		}
		begun := slow.asked.Load()
		close(slow.gate)
		synctest.Wait()
		if n := slow.asked.Load(); begun != 1 || n != 1 {
			t.Errorf("%d appends before Close returned and %d in all, want the one that it found", begun, n)
		}
	})
}

func TestWriterDoesNotWaitForEvictedSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := bus.New(&bus.Options{Sweep: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, ttl := range []time.Duration{time.Hour, time.Second, time.Second} {
			finding := signals.New(signals.Header{TTL: ttl}, signals.Discovery{Finding: "x"})
			if _, err := b.System().Publish(t.Context(), finding); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		b.Sweep()
		m := new(journal.Memory)
		w := attach(t, b, m)
		if m.Last() == 0 {
			t.Error("Attach returned before the history was written")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := w.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}

func TestAWriterGoesOnAfterTheContextOfAttach(t *testing.T) {
	b, m := newBus(t), new(journal.Memory)
	ctx, cancel := context.WithCancel(t.Context())
	w, err := journal.Attach(ctx, b, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	talk(t, b, 0)
	if err := w.Close(t.Context()); err != nil || m.Last() != b.Last() {
		t.Errorf("%d of %d written, %v", m.Last(), b.Last(), err)
	}
}

type slowStore struct {
	journal.Store
	gate  chan struct{}
	asked atomic.Int32
}

func (s *slowStore) Append(records ...journal.Record) (uint64, error) {
	s.asked.Add(1)
	<-s.gate
	return s.Store.Append(records...)
}

func TestFailedWriterReportsItsErrorAndBlocksNoPublisher(t *testing.T) {
	b, m := newBus(t), new(journal.Memory)
	w := attach(t, b, m)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for round := range 50 {
		talk(t, b, round)
	}
	if err := w.Sync(t.Context(), 1); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := w.Close(t.Context()); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestSignalRecordsReadAsTheyWereWritten(t *testing.T) {
	for _, s := range samples(t) {
		r, err := journal.SignalRecord(s)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := signals.Marshal(s)
		if !bytes.Equal(r.JSON(), want) {
			t.Errorf("got %s, want %s", r.JSON(), want)
		}
		back, err := r.Signal(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := signals.Marshal(back); !bytes.Equal(again, want) {
			t.Errorf("got %s, want %s", again, want)
		}
		if len(r.Body) == 0 || r.Body[0] != '{' || r.Body[len(r.Body)-1] != '}' {
			t.Errorf("the body is %q", r.Body)
		}
	}
	if _, err := (&journal.Record{Type: 2}).Signal(nil); err == nil {
		t.Error("a result was read as a signal")
	}
}
