package bus_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

const kindTick signals.Kind = "acme.example/tick"

type tick struct {
	N uint64 `json:"n"`
}

func (tick) Kind() signals.Kind { return kindTick }

func layerOf(t testing.TB, b *bus.Bus) *bus.Layer {
	t.Helper()
	l, err := b.Layer("ticker", kindTick)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func ticks(seq uint64, _ time.Time) ([]signals.Any, error) {
	return []signals.Any{signals.New(signals.Header{Source: "ann", Confidence: 1}, tick{seq})}, nil
}

func TestALayersKindsAreReserved(t *testing.T) {
	b := newBus(t, nil)
	before, during := agent(t, b, "before"), signals.New(signals.Header{}, tick{})
	layerOf(t, b)
	var refused *bus.PermissionError
	if _, err := before.Publish(context.Background(), during); !errors.As(err, &refused) || refused.Kind != kindTick {
		t.Errorf("an agent's: %v", err)
	}
	if _, err := b.Agent("bob", bus.Permissions{CanEmit: []signals.Kind{kindTick}}); !errors.As(err, &refused) {
		t.Errorf("an agent that may emit it: %v", err)
	}
	must(t, b.System(), during)
}

func TestALayerPublishesItsKindsAndNoOthers(t *testing.T) {
	b := newBus(t, nil)
	kinds := []signals.Kind{kindTick}
	some, none := made(b.Layer("some", kinds...)), made(b.Layer("none"))
	kinds[0] = signals.KindTask
	for _, l := range []*bus.Layer{some, none} {
		var refused *bus.PermissionError
		err := l.Append(t.Context(), func(uint64, time.Time) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{}, signals.Task{Task: "x"})}, nil
		}, nil)
		if !errors.As(err, &refused) || refused.Kind != signals.KindTask {
			t.Errorf("got %v, want a PermissionError about %s", err, signals.KindTask)
		}
	}
}

func TestALayerReservesNoKindsOnceAgentsHavePublished(t *testing.T) {
	b := newBus(t, nil)
	var refused *bus.PermissionError
	if _, err := b.Layer("system", signals.KindConsensus); !errors.As(err, &refused) || refused.Kind != signals.KindConsensus || strings.Contains(err.Error(), "published") {
		t.Errorf("a kind of the system: %v", err)
	}
	must(t, b.System(), found("x"))
	layerOf(t, b)
	if _, err := agent(t, b, "a").Publish(t.Context(), signals.New(signals.Header{}, tick{})); !errors.As(err, &refused) {
		t.Errorf("a reserved kind of an agent: %v", err)
	}
	must(t, agent(t, b, "a"), found("x"))
	layerOf(t, b) // reserved by the first
	if _, err := b.Layer("late", kindTick, kindWord); !errors.As(err, &refused) || refused.Kind != kindWord {
		t.Errorf("another kind: %v", err)
	}
}

// TestALayerDecidesAtTheEndOfTheLog has publishers between, and none of them
// gets between what a layer saw and what it says.
func TestALayerDecidesAtTheEndOfTheLog(t *testing.T) {
	b := newBus(t, nil)
	l := layerOf(t, b)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p := agent(t, b, "noise")
		for range 1000 {
			must(t, p, found("x"))
		}
	}()
	committed := 0
	for range 1000 {
		var seq uint64
		err := l.Append(context.Background(), func(next uint64, _ time.Time) ([]signals.Any, error) {
			seq = next
			return ticks(next, time.Time{})
		}, func(all []signals.Any) {
			if committed++; len(all) != 1 || all[0].Head().Seq != seq || all[0].Head().ID.IsZero() {
				t.Errorf("committed %v, promised %d", all, seq)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if <-done; committed != 1000 {
		t.Errorf("committed was called %d times, want 1000", committed)
	}
	for s := range b.History(bus.Filter{Kinds: []signals.Kind{kindTick}}) {
		if typed, ok := signals.As[tick](s); !ok || typed.Payload.N != typed.Seq || typed.Source != "ann" {
			t.Fatalf("decided at %v", typed)
		}
	}
}

// A layer can record the fate of signals even while the handlers' backlog is full.
func TestARecordNeedsNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Undrained: 1})
		l, leave := layerOf(t, b), make(chan struct{})
		handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[tick]) error { <-leave; return nil })
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 {
			if err := l.Record(ended, ticks, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Append(ended, ticks, nil); !errors.Is(err, bus.ErrBacklog) {
			t.Errorf("an append: %v, want ErrBacklog", err)
		}
		close(leave)
		synctest.Wait()
		if b.Close(); b.Last() != 3 {
			t.Errorf("%d records, want 3", b.Last())
		}
		if err := l.Record(t.Context(), ticks, nil); !errors.Is(err, bus.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	})
}

func TestALayerThatRefusesOrPanicsHarmsNoOne(t *testing.T) {
	b := newBus(t, nil)
	l := layerOf(t, b)
	no := errors.New("no")
	committed := func([]signals.Any) { t.Error("committed") }
	if err := l.Append(context.Background(), func(uint64, time.Time) ([]signals.Any, error) { return nil, no }, committed); !errors.Is(err, no) {
		t.Error(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = l.Append(context.Background(), func(uint64, time.Time) ([]signals.Any, error) { panic("no") }, committed)
	}()
	if err := l.Append(context.Background(), func(uint64, time.Time) ([]signals.Any, error) { return []signals.Any{found("x")}, nil }, committed); err == nil {
		t.Error("published another's kind")
	}
	if must(t, b.System(), found("y")).Seq != 1 {
		t.Error("something got into the log")
	}
}

func TestOptionsThatCannotBeAreRefusedByName(t *testing.T) {
	for field, o := range map[string]bus.Options{
		"History": {History: -1}, "Undrained": {Undrained: -1}, "Slow": {Slow: -1}, "Rate": {Rate: -1},
		"Burst": {Burst: -1}, "Bytes": {Bytes: -1},
	} {
		if _, err := bus.New(&o); !errors.Is(err, bus.ErrOption) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := bus.New(&bus.Options{History: 1 << 62}); !errors.Is(err, bus.ErrOption) {
		t.Errorf("a history that overflows: %v", err)
	}
	if _, err := bus.New(&bus.Options{Rate: 1.1e15}); !errors.Is(err, bus.ErrOption) {
		t.Errorf("a rate that overflows: %v", err)
	}
	b := newBus(t, &bus.Options{Rate: 1e15})
	if _, err := b.Subscribe(bus.SubscribeOptions{Backlog: -1}); !errors.Is(err, bus.ErrOption) || !strings.Contains(err.Error(), "Backlog") {
		t.Errorf("Backlog: %v", err)
	}
}

func TestATimeFarAheadOfTheClockIsRefused(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1})
	s := found("x")
	s.Time = now.Add(time.Minute)
	must(t, b.System(), s)
	s.Time = s.Time.Add(1)
	var wrong *signals.FieldError
	if _, err := b.System().Publish(context.Background(), s); !errors.As(err, &wrong) || wrong.Field != "timestamp" {
		t.Error(err)
	}
}

func TestSignalsOfALayerThatPanicsAreHandled(t *testing.T) {
	b := newBus(t, nil)
	l := layerOf(t, b)
	handled := make(chan struct{})
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[tick]) error { close(handled); return nil })
	func() {
		defer func() { _ = recover() }()
		_ = l.Append(t.Context(), ticks, func([]signals.Any) { panic("no") })
	}()
	<-handled
	if err := b.Shutdown(timetest.Context(t)); err != nil {
		t.Error(err)
	}
}

// A rush is a context that does something when somebody waits for its end.
type rush struct {
	context.Context
	do func()
}

func (r rush) Done() <-chan struct{} { r.do(); return r.Context.Done() }

func TestALayerOpenedDuringAPublishReservesItsKinds(t *testing.T) {
	b := newBus(t, nil)
	var opened *bus.Layer
	_, err := agent(t, b, "ann").Publish(rush{t.Context(), func() {
		if opened == nil {
			opened = layerOf(t, b)
		}
	}}, signals.New(signals.Header{}, tick{}))
	var refused *bus.PermissionError
	if opened == nil || !errors.As(err, &refused) {
		t.Errorf("got %v, want a PermissionError", err)
	}
}

func TestCommittedSignalsNeverChange(t *testing.T) {
	b := newBus(t, &bus.Options{History: 10})
	l := layerOf(t, b)
	kept := map[uint64]signals.Any{}
	keep := func(all []signals.Any) { kept[all[0].Head().Seq] = all[0] }
	for i := range 2000 {
		committed := keep
		if i%100 != 50 {
			committed = nil // so that its page can be reused
		}
		if err := l.Append(t.Context(), ticks, committed); err != nil {
			t.Fatal(err)
		}
	}
	for seq, s := range kept {
		if s.Head().Seq != seq || s.Body() != (tick{seq}) {
			t.Errorf("signal %d has become %v", seq, s)
		}
	}
}
