package journal_test

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

type measured struct{ Value float64 }

func (measured) Kind() signals.Kind { return "test/measured" }

type panics struct{ Text string }

func (panics) Kind() signals.Kind           { return "test/panics" }
func (panics) MarshalJSON() ([]byte, error) { panic("no") }

type exits struct{ Text string }

func (exits) Kind() signals.Kind           { return "test/exits" }
func (exits) MarshalJSON() ([]byte, error) { runtime.Goexit(); return nil, nil }

// ballot says that it is a vote, and cannot be read as one.
type ballot struct {
	Weight string `json:"weight"`
}

func (ballot) Kind() signals.Kind { return signals.KindVote }

// once can be written when it is published, and not when it is recorded.
type once struct {
	written *atomic.Int32
	end     func()
}

func (once) Kind() signals.Kind { return "test/once" }

func (o once) MarshalJSON() ([]byte, error) {
	if o.written.Add(1) > 1 {
		o.end()
	}
	return []byte(`{}`), nil
}

func TestUnencodableSignalIsRefusedAndStopsNoWriter(t *testing.T) {
	t.Parallel()
	b, m := newBus(t), new(journal.Memory)
	w := attach(t, b, m)
	agent, err := b.Agent("a", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		said signals.Any
		says string
	}{
		{signals.New(signals.Header{}, measured{math.NaN()}), "cannot be written as JSON"},
		{signals.New(signals.Header{}, measured{math.Inf(1)}), "cannot be written as JSON"},
		{signals.New(signals.Header{}, panics{"x"}), "cannot be written as JSON: panic: no"},
		{signals.New(signals.Header{}, exits{"x"}), "cannot be written as JSON: it ends the goroutine"},
		{signals.New(signals.Header{}, ballot{"heavy"}), "cannot be read back"},
		{signals.New(signals.Header{}, measured{1}), ""},
		{signals.New(signals.Header{}, signals.Raw{Type: "test/raw", JSON: "[]"}), ""},
	} {
		_, err := agent.Publish(t.Context(), c.said)
		var field *signals.FieldError
		switch {
		case c.says == "" && err == nil:
		case c.says == "" || !errors.As(err, &field) || field.Field != "payload" || !strings.Contains(err.Error(), c.says):
			t.Errorf("%+v: got %v, want %q", c.said, err, c.says)
		}
	}
	talk(t, b, 0)
	if err := w.Close(t.Context()); err != nil || m.Last() != b.Last() {
		t.Errorf("%d of %d written, %v", m.Last(), b.Last(), err)
	}
	if _, err := agent.Publish(t.Context(), signals.New(signals.Header{}, measured{math.NaN()})); err != nil {
		t.Errorf("a bus without a journal: %v", err)
	}
	if last, err := journal.Restore(t.Context(), newBus(t), m, nil); err != nil || last != m.Last() {
		t.Errorf("restored up to %d of %d, %v", last, m.Last(), err)
	}
}

func TestASignalThatCannotBeWrittenAnyMoreLeavesARecordOfThat(t *testing.T) {
	t.Parallel()
	leavesARecord(t, func() { panic("no more") }, "panic: no more")
	leavesARecord(t, runtime.Goexit, "it ends the goroutine")
}

func leavesARecord(t *testing.T, end func(), says string) {
	t.Helper()
	b, m := newBus(t), new(journal.Memory)
	w := attach(t, b, m)
	receipt, err := b.System().Publish(t.Context(), signals.New(signals.Header{Thread: "t"}, once{new(atomic.Int32), end}))
	if err != nil {
		t.Fatal(err)
	}
	talk(t, b, 0)
	if err := w.Close(t.Context()); err != nil || m.Last() != b.Last() {
		t.Fatalf("%d of %d written, %v", m.Last(), b.Last(), err)
	}
	for s, err := range journal.Signals(m, nil, 0) {
		if err != nil {
			t.Fatal(err)
		}
		raw, ok := signals.As[signals.Raw](s)
		if !ok || s.Kind() != journal.KindUnwritten || raw.ID != receipt.ID || raw.Seq != receipt.Seq || raw.Thread != "t" ||
			!strings.Contains(raw.Payload.JSON, says) || !strings.Contains(raw.Payload.JSON, "test/once") {
			t.Errorf("got %+v", s)
		}
		break
	}
}

// gone is a store that ends the goroutine of its caller.
type gone struct{ journal.Memory }

func (*gone) Append(...journal.Record) (uint64, error) { runtime.Goexit(); return 0, nil }

func TestAWriterWhoseStoreEndsItsGoroutineSaysSo(t *testing.T) {
	t.Parallel()
	b := newBus(t)
	w, err := journal.Attach(t.Context(), b, new(gone), nil)
	if err != nil {
		t.Fatal(err)
	}
	talk(t, b, 0)
	if err := w.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "ended the writer's goroutine") {
		t.Errorf("got %v", err)
	}
}
