package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// world is a layer on a bus of its own, with a record of its events.
type world struct {
	testing.TB
	*connectivity.Layer
	bus *bus.Bus
	now time.Time // of the bus's clock; not for concurrent tests

	mu     sync.Mutex // protects the field below
	events []string
}

// newWorld has a clock that stands still unless it is advanced.
func newWorld(t testing.TB, o *connectivity.Options) *world {
	t.Helper()
	w := &world{TB: t, now: time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC)}
	w.bus = newBus(t, &bus.Options{Clock: func() time.Time { return w.now }})
	w.Layer = made(connectivity.New(w.bus, o))
	return w
}

func newBus(t testing.TB, o *bus.Options) *bus.Bus {
	if o == nil {
		o = &bus.Options{}
	}
	o.History = 1 << 20
	b := made(bus.New(o))
	t.Cleanup(func() { _ = b.Shutdown(timetest.Context(t)) })
	return b
}

// Query is the layer's, for valid queries.
func (w *world) Query(thread string, q coordination.Query) []coordination.Signal {
	w.Helper()
	return found(w, w.Layer, thread, q)
}

func found(t interface {
	Helper()
	Errorf(string, ...any)
}, l *connectivity.Layer, thread string, q coordination.Query,
) []coordination.Signal {
	t.Helper()
	all, err := l.Query(thread, q)
	if err != nil {
		t.Errorf("%+v: %v", q, err)
	}
	return all
}

// watch records events as short texts.
func (w *world) watch() *world {
	w.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events = append(w.events, fmt.Sprintf("%s %s", s.Summary, e))
	})
	return w
}

func (w *world) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

// says returns an attention of source a, modified by change.
func says(summary string, change ...func(*connectivity.Input)) connectivity.Input {
	in := connectivity.Input{
		Thread: "t", Source: "a", Class: coordination.AttentionRaise, Audience: coordination.Coordinator,
		Priority: coordination.Normal, Summary: summary,
	}
	for _, f := range change {
		f(&in)
	}
	return in
}

// alarm returns an urgent escalation: those with other numbers do not repeat
// it.
func alarm(n int, change ...func(*connectivity.Input)) connectivity.Input {
	return says(fmt.Sprint(n), append(change, class(coordination.EscalationInterrupt), at(coordination.High))...)
}

func by(source string) func(*connectivity.Input) {
	return func(in *connectivity.Input) { in.Source = source }
}

func to(a coordination.Audience) func(*connectivity.Input) {
	return func(in *connectivity.Input) { in.Audience = a }
}

func at(p coordination.Priority) func(*connectivity.Input) {
	return func(in *connectivity.Input) { in.Priority = p }
}

func in(thread string) func(*connectivity.Input) {
	return func(in *connectivity.Input) { in.Thread = thread }
}

func replacing(id signals.ID) func(*connectivity.Input) {
	return func(in *connectivity.Input) { in.Replaces = id }
}

func until(step int) func(*connectivity.Input) {
	return func(in *connectivity.Input) { in.ExpiresAtStep = step }
}

func class(c coordination.Class) func(*connectivity.Input) {
	return func(in *connectivity.Input) {
		in.Class = c
		switch c {
		case coordination.ConfidenceHigh:
			in.Confidence = coordination.Graded(0.9)
		case coordination.ConfidenceMedium, coordination.ConflictActive, coordination.ConflictResolved:
			in.Confidence = coordination.Graded(0.5)
		case coordination.ConfidenceLow:
			in.Confidence = coordination.Graded(0.2)
		case coordination.ConfidenceBlocker:
			in.Confidence = coordination.Graded(0)
		}
	}
}

// emit stores a signal or fails the test. It may be called in observers.
func (w *world) emit(in connectivity.Input) coordination.Signal {
	w.Helper()
	e, err := w.Emit(ctx, in)
	if err != nil {
		w.Errorf("emit %q: %v", in.Summary, err)
	}
	if e.Suppressed {
		w.Errorf("%q was suppressed: %v", in.Summary, e.Reason)
	}
	return e.Signal
}

// repeats fails the test unless the input is suppressed as a repetition of a
// signal.
func (w *world) repeats(in connectivity.Input, of coordination.Signal) {
	w.Helper()
	e, err := w.Emit(ctx, in)
	if err != nil || !e.Suppressed || e.Signal.ID != of.ID || e.Reason.String() == "" {
		w.Errorf("emit %q: got %q, suppressed %v (%v), error %v; want it suppressed for %q",
			in.Summary, e.Signal.Summary, e.Suppressed, e.Reason, err, of.Summary)
	}
}

func (w *world) resolve(id signals.ID) coordination.Signal {
	w.Helper()
	s, err := w.Resolve(ctx, id)
	if err != nil {
		w.Errorf("resolve: %v", err)
	}
	return s
}

func (w *world) advance(thread string) int {
	w.Helper()
	step, err := w.AdvanceStep(ctx, thread)
	if err != nil {
		w.Errorf("advance: %v", err)
	}
	return step
}

func (w *world) state(id signals.ID) coordination.State {
	w.Helper()
	s, ok := w.Get(id)
	if !ok {
		w.Errorf("%s is gone", id)
	}
	return s.State
}

// rebuilt returns a layer on a bus that was fed with the world's log.
func (w *world) rebuilt(o *connectivity.Options) *connectivity.Layer {
	w.Helper()
	all := slices.Collect(w.bus.History(bus.Filter{}))
	l, err := connectivity.Rebuild(fed(w, all), o, slices.Values(all))
	if err != nil {
		w.Fatal(err)
	}
	return l
}

func fed(t testing.TB, all []signals.Any) *bus.Bus {
	t.Helper()
	b := newBus(t, nil)
	if err := b.Feed(ctx, all...); err != nil {
		t.Fatal(err)
	}
	return b
}

func summaries(all []coordination.Signal) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Summary)
	}
	return out
}

func equal[T comparable](t testing.TB, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func is(t interface {
	Helper()
	Errorf(string, ...any)
}, err, want error,
) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func invalid(t testing.TB, err error, field string) {
	t.Helper()
	var v *connectivity.ValidationError
	if !errors.As(err, &v) || v.Field != field || !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("got error %v, want field %q refused", err, field)
	}
}

func made2[T any](v T, found bool) T {
	if !found {
		panic("not found")
	}
	return v
}

// made returns v and panics on an error.
func made[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
