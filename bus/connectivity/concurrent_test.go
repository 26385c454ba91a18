package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// real is a world with the machine's clock, for concurrent use.
func real(t testing.TB, o *connectivity.Options) *world {
	b := newBus(t, nil)
	return &world{TB: t, bus: b, Layer: made(connectivity.New(b, o))}
}

func TestABusHandlerFindsTheSignalItIsCalledFor(t *testing.T) {
	w := real(t, nil).watch()
	is(t, w.SetCoordinator("t", "boss"), nil)
	answers := 0
	_, err := bus.Handle(w.bus, bus.HandleOptions{Agent: "boss"}, func(ctx context.Context, s signals.Signal[coordination.Escalation]) error {
		if got := w.state(s.ID); got != coordination.Emitted {
			t.Errorf("state %s", got)
		}
		answers++
		answer, err := w.Emit(ctx, says("answer", by("boss")))
		if err != nil || answer.Suppressed {
			t.Errorf("answer: %v", err)
		}
		e, err := w.Emit(ctx, says(s.Payload.Summary, class(coordination.EscalationInterrupt)))
		if err != nil || !e.Suppressed || e.Signal.ID != s.ID {
			t.Errorf("a repetition inside the handler: %v %v", e.Signal.Summary, err)
		}
		w.resolve(s.ID)
		w.advance("t")
		return nil
	})
	is(t, err, nil)
	for range 2 {
		w.emit(says("help", class(coordination.EscalationInterrupt)))
	}
	if answers != 2 {
		t.Errorf("%d answers", answers)
	}
	equal(t, "events", w.seen(), "help emitted", "answer emitted", "help resolved", "help emitted", "answer emitted", "help resolved")
	same(t, w.rebuilt(nil), w.Layer, "t")
}

// A handler of an earlier signal may run inside the publish that it collides
// with.
func TestHandlersCollideWithoutDeadlock(t *testing.T) {
	w := real(t, nil)
	var agents []*bus.Publisher
	for _, id := range []string{"x", "y", "z"} {
		p, err := w.bus.Agent(id, bus.Permissions{})
		is(t, err, nil)
		agents = append(agents, p)
	}
	_, err := bus.Handle(w.bus, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		_, err := w.Emit(ctx, says("same", until(0)))
		if err != nil {
			t.Error(err)
		}
		if _, err := w.AdvanceStep(ctx, "t"); err != nil {
			t.Error(err)
		}
		return nil
	})
	is(t, err, nil)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for range 200 {
				if _, err := agents[i].Publish(ctx, signals.New(signals.Header{Thread: "t"}, signals.Discovery{Finding: "f"})); err != nil {
					t.Error(err)
				}
				if _, err := w.Emit(ctx, says("same")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	is(t, w.bus.Sync(timetest.Context(t), w.bus.Last()), nil) // another goroutine may be running the handlers
	same(t, w.rebuilt(nil), w.Layer, "t")
	if got := w.Step("t"); got != 600 {
		t.Errorf("step %d after 600 advances", got)
	}
}

func TestOneOfManyEqualSignalsIsStored(t *testing.T) {
	w := real(t, nil).watch()
	for round := range 100 {
		thread := fmt.Sprint("t", round)
		var stored atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				e, err := w.Emit(ctx, says("x", in(thread)))
				if err != nil {
					t.Error(err)
				}
				if !e.Suppressed {
					stored.Add(1)
				}
				if _, there := w.Get(e.Signal.ID); !there {
					t.Error("got a signal that is not there")
				}
			})
		}
		wg.Wait()
		if stored.Load() != 1 || len(w.Query(thread, coordination.Query{})) != 1 {
			t.Fatalf("%d stored", stored.Load())
		}
	}
}

func TestOneOfManyEndsWins(t *testing.T) {
	w := real(t, nil).watch()
	for round := range 100 {
		thread := fmt.Sprint("t", round)
		s := w.emit(says("x", in(thread), until(1)))
		var replaced, resolved atomic.Int32
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				_, err := w.Emit(ctx, says("y", by(fmt.Sprint("b", i)), in(thread), replacing(s.ID)))
				if err == nil {
					replaced.Add(1)
				} else if !errors.Is(err, connectivity.ErrTerminal) {
					t.Error(err)
				}
			})
			wg.Go(func() {
				_, err := w.Resolve(ctx, s.ID)
				if err == nil {
					resolved.Add(1)
				} else if !errors.Is(err, connectivity.ErrTerminal) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() { w.advance(thread) })
		wg.Wait()
		got := w.state(s.ID)
		switch {
		case replaced.Load() > 1, replaced.Load() == 1 && got != coordination.Superseded,
			resolved.Load() > 0 && got != coordination.Resolved, replaced.Load() == 1 && resolved.Load() > 0:
			t.Fatalf("%d replaced, %d resolved, and it is %s", replaced.Load(), resolved.Load(), got)
		}
		same(t, w.rebuilt(nil), w.Layer, thread)
	}
}

func TestEveryAdvanceCounts(t *testing.T) {
	w := real(t, nil)
	var mu sync.Mutex
	reached := map[int]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				step := w.advance("t")
				mu.Lock()
				reached[step] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(reached) != 800 || w.Step("t") != 800 {
		t.Errorf("%d steps reached, at %d, after 800 advances", len(reached), w.Step("t"))
	}
}

// A signal being emitted while its thread is closed is forgotten if it is in
// the log before the close, and kept if after.
func TestClosingWhileOthersEmit(t *testing.T) {
	w := real(t, nil)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for range 500 {
				if _, err := w.Emit(ctx, says("x", by(fmt.Sprint("s", g)), at(coordination.Critical))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 200 {
			is(t, w.CloseThread(ctx, "t"), nil)
		}
	})
	wg.Wait()
	same(t, w.rebuilt(nil), w.Layer, "t")
}

// Many goroutines do everything to a few threads: the log gives the same state,
// events of each signal are in order, and every end is reported once.
func TestConcurrentUse(t *testing.T) {
	w := real(t, &connectivity.Options{
		Hook: func(context.Context, coordination.Signal) (signals.Effort, error) {
			runtime.Gosched()
			return signals.Deep, nil
		},
	})
	var mu sync.Mutex
	told := map[signals.ID][]connectivity.Event{}
	w.OnSignal(func(ctx context.Context, s coordination.Signal, e connectivity.Event) {
		mu.Lock()
		if e != connectivity.Crowded {
			told[s.ID] = append(told[s.ID], e)
		}
		n := len(told)
		mu.Unlock()
		if e == connectivity.WasEmitted && n%10 == 0 {
			_, _ = w.Resolve(ctx, s.ID)
		}
	})
	w.SetResolver("", picks("b"))
	threads := []string{"t", "u"}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 7))
			var mine []signals.ID
			for range 300 {
				thread := threads[r.IntN(len(threads))]
				switch r.IntN(12) {
				case 0:
					_, err := w.AdvanceStep(ctx, thread)
					is(t, err, nil)
				case 1, 2, 3:
					if len(mine) > 0 {
						_, _ = w.Resolve(ctx, mine[r.IntN(len(mine))])
					}
				case 4:
					w.Query(thread, coordination.Query{})
					w.Converged(thread)
				case 5:
					if g == 0 && r.IntN(10) == 0 {
						is(t, w.CloseThread(ctx, thread), nil)
					}
				default:
					in := says("x", in(thread), by(fmt.Sprint("s", r.IntN(4))), class(coordination.Class(1+r.IntN(11))),
						to(coordination.Audience(1+r.IntN(4))), at(coordination.Priority(1+r.IntN(4))))
					if r.IntN(3) == 0 {
						in.ExpiresAtStep = w.Step(thread) + 1 + r.IntN(2)
					}
					if len(mine) > 0 && r.IntN(4) == 0 {
						in.Replaces = mine[r.IntN(len(mine))]
					}
					if e, err := w.Emit(ctx, in); err == nil {
						mine = append(mine, e.Signal.ID)
					}
				}
			}
		})
	}
	wg.Wait()
	same(t, w.rebuilt(nil), w.Layer, threads...)
	if len(told) < 300 {
		t.Errorf("%d signals in all, which shows little", len(told))
	}
	for id, events := range told {
		if events[0] != connectivity.WasEmitted || len(events) > 2 {
			t.Errorf("events %v", events)
		}
		if s, held := w.Get(id); held && s.State.Terminal() != (len(events) == 2) {
			t.Errorf("%s is %s after %v", id, s.State, events)
		}
	}
}
