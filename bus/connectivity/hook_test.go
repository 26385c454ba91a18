package connectivity_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

type hook = connectivity.Hook

// hooked returns a world whose hook records its calls.
func hooked(t *testing.T, h hook) *world {
	var w *world
	w = newWorld(t, &connectivity.Options{Hook: func(ctx context.Context, s coordination.Signal) (signals.Effort, error) {
		w.mu.Lock()
		w.events = append(w.events, "hook "+s.Summary)
		w.mu.Unlock()
		return h(ctx, s)
	}})
	return w.watch()
}

func TestTheHookIsCalledBeforeObservers(t *testing.T) {
	w := hooked(t, func(context.Context, coordination.Signal) (signals.Effort, error) { return signals.Deep, nil })
	s := w.emit(says("1", class(coordination.EscalationUncertainty)))
	w.emit(says("2", class(coordination.EscalationInterrupt), replacing(s.ID)))
	equal(t, "events", w.seen(), "hook 1", "1 emitted", "hook 2", "1 superseded", "2 emitted")
	if w.Mode("t") != signals.Deep || w.Mode("u") != 0 {
		t.Errorf("mode %s", w.Mode("t"))
	}
}

func TestTheHookIsCalledForEscalationsAndCriticalSignals(t *testing.T) {
	w := hooked(t, func(context.Context, coordination.Signal) (signals.Effort, error) { return 0, nil })
	for c := coordination.AttentionRaise; c <= coordination.EscalationUncertainty; c++ {
		for _, p := range []coordination.Priority{coordination.Low, coordination.High, coordination.Critical} {
			before := len(w.seen())
			w.emit(says("x", class(c), at(p), by(c.String()+p.String())))
			called := w.seen()[before] == "hook x"
			if want := c.Message() == coordination.AboutEscalation || p == coordination.Critical; called != want {
				t.Errorf("%s %s: called %v", p, c, called)
			}
		}
	}
	if w.Mode("t") != 0 {
		t.Error("a hook that asked for nothing set a mode")
	}
}

func TestTheHookIsNotCalledForSignalsThatAreNotStored(t *testing.T) {
	w := hooked(t, func(context.Context, coordination.Signal) (signals.Effort, error) { return signals.Deep, nil })
	s := w.emit(says("x", class(coordination.EscalationInterrupt)))
	w.repeats(says("y", class(coordination.EscalationInterrupt)), s)
	_, _ = w.Emit(ctx, says("", class(coordination.EscalationInterrupt)))
	w.bus.Close()
	_, _ = w.Emit(ctx, says("z", class(coordination.EscalationInterrupt), by("b")))
	equal(t, "events", w.seen(), "hook x", "x emitted")
}

func TestTheHookFindsTheSignalStored(t *testing.T) {
	var w *world
	w = hooked(t, func(_ context.Context, s coordination.Signal) (signals.Effort, error) {
		if got := w.state(s.ID); got != coordination.Emitted {
			t.Errorf("state %s", got)
		}
		return 0, nil
	})
	w.emit(says("x", class(coordination.EscalationInterrupt)))
}

func TestWithoutAHookEscalationsAreEmitted(t *testing.T) {
	w := newWorld(t, nil).watch()
	w.emit(says("x", class(coordination.EscalationInterrupt)))
	equal(t, "events", w.seen(), "x emitted")
}

func TestAFailingHookAffectsNoSignal(t *testing.T) {
	for name, h := range map[string]hook{
		"panics": func(context.Context, coordination.Signal) (signals.Effort, error) { panic("boom") },
		"fails": func(context.Context, coordination.Signal) (signals.Effort, error) {
			return signals.Deep, errors.New("no")
		},
		"unknown": func(context.Context, coordination.Signal) (signals.Effort, error) { return 9, nil },
	} {
		failures := 0
		w := newWorld(t, &connectivity.Options{Hook: h, Failure: func(error) { failures++ }}).watch()
		w.emit(says("x", class(coordination.EscalationInterrupt)))
		w.emit(says("y", by("b")))
		equal(t, name, w.seen(), "x emitted", "y emitted")
		if failures != 1 || w.Mode("t") != 0 {
			t.Errorf("%s: %d failures, mode %s", name, failures, w.Mode("t"))
		}
	}
}

func TestAHookThatEndsItsGoroutineAffectsNoSignal(t *testing.T) {
	once := true
	w := hooked(t, func(context.Context, coordination.Signal) (signals.Effort, error) {
		if once {
			once = false
			runtime.Goexit()
		}
		return 0, nil
	})
	var wg sync.WaitGroup
	wg.Go(func() { w.emit(says("x", class(coordination.EscalationInterrupt))) })
	wg.Wait()
	w.emit(says("y", by("b")))
	equal(t, "events", w.seen(), "hook x", "x emitted", "y emitted")
}

// Events that a hook causes come after the signal's own events.
func TestAHookMayEmitAndResolve(t *testing.T) {
	var w *world
	w = hooked(t, func(_ context.Context, s coordination.Signal) (signals.Effort, error) {
		if s.Summary == "x" {
			w.emit(says("nested", by("hook"), class(coordination.EscalationInterrupt)))
			w.resolve(s.ID)
		}
		return 0, nil
	})
	s := w.emit(says("x", class(coordination.EscalationInterrupt)))
	equal(t, "events", w.seen(), "hook x", "hook nested", "x emitted", "nested emitted", "x resolved")
	if w.state(s.ID) != coordination.Resolved {
		t.Error("resolved and yet live")
	}
}

func TestTheModeIsThatOfTheNewestSignal(t *testing.T) {
	modes := []signals.Effort{signals.Deep, 0, signals.Cheap}
	w := hooked(t, func(context.Context, coordination.Signal) (m signals.Effort, _ error) {
		m, modes = modes[0], modes[1:]
		return m, nil
	})
	for _, want := range []signals.Effort{signals.Deep, signals.Deep, signals.Cheap} {
		w.emit(says("x", at(coordination.Critical)))
		if got := w.Mode("t"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The signal may have been resolved by the hook, and dropped by the cap, before
// the hook returns.
func TestTheModeStaysThoughTheSignalIsForgotten(t *testing.T) {
	var w *world
	w = newWorld(t, &connectivity.Options{Retain: 1, Hook: func(_ context.Context, s coordination.Signal) (signals.Effort, error) {
		w.resolve(s.ID)
		w.resolve(w.emit(says("other", by("b"))).ID)
		if _, held := w.Get(s.ID); held {
			t.Error("the sample shows little")
		}
		return signals.Deep, nil
	}})
	w.emit(alarm(1))
	if got := w.Mode("t"); got != signals.Deep {
		t.Errorf("mode %s", got)
	}
	same(t, w.rebuilt(&connectivity.Options{Retain: 1}), w.Layer, "t")
}

func TestAModeDoesNotOutliveItsThread(t *testing.T) {
	for _, anew := range []bool{true, false} {
		var w *world
		w = newWorld(t, &connectivity.Options{Hook: func(ctx context.Context, s coordination.Signal) (signals.Effort, error) {
			is(t, w.CloseThread(ctx, "t"), nil)
			if anew {
				w.emit(says("anew", by("b")))
			}
			return signals.Deep, nil
		}})
		w.emit(alarm(1))
		if got := w.Mode("t"); got != 0 {
			t.Errorf("mode %s of a thread that was closed (anew: %v)", got, anew)
		}
		same(t, w.rebuilt(nil), w.Layer, "t")
	}
}

func TestCriticalStaysUnacknowledgedUntilItEnds(t *testing.T) {
	w := newWorld(t, nil).watch()
	first := w.emit(says("1", at(coordination.Critical)))
	w.emit(says("calm", at(coordination.High), by("b")))
	w.emit(says("elsewhere", at(coordination.Critical), in("u")))
	second := w.emit(says("2", at(coordination.Critical)))
	equal(t, "waiting", summaries(w.Unacknowledged("t")), "1", "2")
	w.resolve(first.ID)
	equal(t, "waiting", summaries(w.Unacknowledged("t")), "2")
	w.emit(says("3", at(coordination.Critical), replacing(second.ID))) // takes it over
	equal(t, "waiting", summaries(w.Unacknowledged("t")), "3")
	equal(t, "nowhere", summaries(w.Unacknowledged("v")))
}

// An inbox delivers a signal after the hook has returned its decision.
func TestInboxesDeliverAfterTheHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, leave := make(chan struct{}), make(chan struct{})
		w := real(t, &connectivity.Options{Hook: func(context.Context, coordination.Signal) (signals.Effort, error) {
			close(entered)
			<-leave
			return signals.Deep, nil
		}})
		inbox := w.inbox("a")
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.emit(says("fire", class(coordination.EscalationInterrupt), to(coordination.Self)))
		}()
		<-entered
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		if s, err := inbox.Next(short); err == nil {
			t.Errorf("%q was delivered before the hook returned", s.Summary)
		}
		close(leave)
		s, err := inbox.Next(timetest.Context(t))
		if err != nil || s.Summary != "fire" || w.Mode("t") != signals.Deep {
			t.Errorf("%q in mode %s: %v", s.Summary, w.Mode("t"), err)
		}
		<-done
		equal(t, "twice", hears(t, inbox))
	})
}

// Two callers wait for hooks, and both stop waiting, the later one first.
func TestAnInboxKeepsTheOrderIfWaitingReadersStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		w := real(t, &connectivity.Options{Hook: func(context.Context, coordination.Signal) (signals.Effort, error) {
			<-leave
			return 0, nil
		}})
		inbox := w.inbox("a")
		var emits, calls sync.WaitGroup
		for n := 1; n <= 2; n++ {
			emits.Go(func() { w.emit(alarm(n, to(coordination.Self))) })
			synctest.Wait()
		}
		for range 2 {
			short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
			calls.Go(func() {
				if s, err := inbox.Next(short); err == nil {
					t.Errorf("%q was delivered before its hook returned", s.Summary)
				}
			})
		}
		calls.Wait()
		close(leave)
		emits.Wait()
		equal(t, "then", hears(t, inbox), "1", "2")
	})
}

func TestASlowHookDelaysItsThreadAlone(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	w := real(t, &connectivity.Options{Hook: func(_ context.Context, s coordination.Signal) (signals.Effort, error) {
		if s.Summary == "slow" {
			close(entered)
			<-leave
		}
		return 0, nil
	}}).watch()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.emit(says("slow", class(coordination.EscalationInterrupt)))
	}()
	<-entered
	w.emit(says("behind it", by("b")))
	w.emit(says("quick", by("c"), class(coordination.EscalationUncertainty)))
	w.resolve(w.emit(says("elsewhere", in("u"))).ID)
	w.emit(says("alarm elsewhere", in("u"), class(coordination.EscalationInterrupt)))
	equal(t, "meanwhile", w.seen(), "elsewhere emitted", "elsewhere resolved", "alarm elsewhere emitted")
	close(leave)
	<-done
	equal(t, "then", w.seen()[3:], "slow emitted", "behind it emitted", "quick emitted")
}

func TestTheModeOfAnOlderSignalThatComesLateIsNotKept(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	w := real(t, &connectivity.Options{Hook: func(_ context.Context, s coordination.Signal) (signals.Effort, error) {
		if s.Summary == "2" {
			return signals.Deep, nil
		}
		close(entered)
		<-leave
		return signals.Cheap, nil
	}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.emit(alarm(1))
	}()
	<-entered
	w.emit(alarm(2))
	close(leave)
	<-done
	if got := w.Mode("t"); got != signals.Deep {
		t.Errorf("in mode %s", got)
	}
}
