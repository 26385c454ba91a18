package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A sequencer orders the signals of one bus, which it feeds.
type sequencer struct {
	bus  *bus.Bus
	last atomic.Uint64
	mu   sync.Mutex // held while the bus is fed

	answer func() error // called by Append once, when the bus is fed with the signals, before it returns; nil: none
	later  func(func()) // called once instead of feeding, with what feeds; nil: none
}

var errLost = fmt.Errorf("not acknowledged: %w", bus.ErrUnknown)

func (s *sequencer) Next() uint64 { return s.last.Load() + 1 }

func (s *sequencer) Append(_ context.Context, all []signals.Any, at uint64) (uint64, error) {
	if later := s.later; later != nil {
		s.later = nil
		later(func() { _, _ = s.feed(all, at) })
		return 0, errLost
	}
	first, err := s.feed(all, at)
	if answer := s.answer; err == nil && answer != nil {
		s.answer = nil
		err = answer()
	}
	return first, err
}

func (s *sequencer) feed(all []signals.Any, at uint64) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.Next()
	if at > 0 && at != first {
		return 0, bus.ErrMoved
	}
	var numbered []signals.Any
	for i, one := range all {
		h := one.Head()
		h.Seq = first + uint64(i)
		numbered = append(numbered, signals.With(one, h))
	}
	if err := s.bus.Feed(ctx, numbered...); err != nil {
		return 0, err
	}
	s.last.Add(uint64(len(all)))
	return first, nil
}

// sequencedWorld is a world whose bus has a sequencer.
func sequencedWorld(t testing.TB, o *connectivity.Options) (*world, *sequencer) {
	s := &sequencer{}
	s.bus = newBus(t, &bus.Options{Sequencer: s})
	return (&world{TB: t, bus: s.bus, Layer: made(connectivity.New(s.bus, o))}).watch(), s
}

func TestCallsBetweenACommitAndItsReturnSeeIt(t *testing.T) {
	w, s := sequencedWorld(t, nil)
	var first coordination.Signal
	s.answer = func() error {
		e, err := w.Emit(ctx, says("x"))
		if !e.Suppressed {
			t.Error("a repetition was stored")
		}
		first = e.Signal
		return err
	}
	if got := w.emit(says("x")); got.ID != first.ID {
		t.Errorf("stored %s, and the repetition is of %s", got.ID, first.ID)
	}
	s.answer = func() error {
		if got := w.resolve(first.ID); got.State != coordination.Resolved {
			t.Errorf("state %s", got.State)
		}
		return nil
	}
	if got := w.resolve(first.ID); got.State != coordination.Resolved {
		t.Errorf("state %s", got.State)
	}
	equal(t, "events", w.seen(), "x emitted", "x resolved")
	same(t, w.rebuilt(nil), w.Layer, "t")
}

func TestConcurrentCallsOverASequencerHaveOneEffect(t *testing.T) {
	w, _ := sequencedWorld(t, nil)
	for i := range 200 {
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				e, err := w.Emit(ctx, says(fmt.Sprint(i)))
				if err != nil {
					t.Error(err)
				}
				w.resolve(e.Signal.ID)
			})
		}
		calls.Wait()
	}
	ended := map[signals.ID]int{}
	for s := range w.bus.History(bus.Filter{}) {
		if tr, ok := signals.As[coordination.Transition](s); ok && tr.Payload.State == coordination.Resolved {
			ended[tr.ReplyTo]++
		}
	}
	for id, n := range ended {
		if n > 1 {
			t.Errorf("%s was resolved %d times", id, n)
		}
	}
	same(t, w.rebuilt(nil), w.Layer, "t")
}

// A caller may leave before it is known whether its signals enter the log.
func TestWhatEntersTheLogAfterItsCallerHasLeftIsFolded(t *testing.T) {
	for name, lose := range map[string]func(s *sequencer, leave func()) (enter func()){
		"while it leaves": func(s *sequencer, leave func()) func() {
			s.answer = func() error { leave(); return errLost }
			return func() {}
		},
		"later": func(s *sequencer, leave func()) func() {
			var feed func()
			s.later = func(f func()) { feed = f; leave() }
			return func() { feed() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := sequencedWorld(t, &connectivity.Options{Hook: func(context.Context, coordination.Signal) (signals.Effort, error) { return 0, nil }})
			short, leave := context.WithCancel(ctx)
			enter := lose(s, leave)
			if e, err := w.Emit(short, says("x", class(coordination.EscalationInterrupt))); !errors.Is(err, errLost) || !e.Signal.ID.IsZero() {
				t.Errorf("got %s %v, want %v", e.Signal.ID, err, errLost)
			}
			enter()
			e, err := w.Emit(ctx, says("x", class(coordination.EscalationInterrupt)))
			if err != nil || !e.Suppressed {
				t.Fatalf("the repetition of what is in the log: %+v %v", e, err)
			}
			short, leave = context.WithCancel(ctx)
			enter = lose(s, leave)
			if _, err := w.Resolve(short, e.Signal.ID); !errors.Is(err, errLost) {
				t.Errorf("got %v, want %v", err, errLost)
			}
			enter()
			if state := w.state(e.Signal.ID); state != coordination.Resolved {
				t.Errorf("%s, want resolved as in the log", state)
			}
			w.emit(says("y"))
			equal(t, "events", w.seen(), "x emitted", "x resolved", "y emitted")
			same(t, w.rebuilt(nil), w.Layer, "t")
		})
	}
}
