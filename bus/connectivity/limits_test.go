package connectivity_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestTheBusesRateLimitsEachSource(t *testing.T) {
	b := newBus(t, &bus.Options{Rate: 1e-9, Burst: 3})
	l := made(connectivity.New(b, nil))
	emitted, refused := map[string]int{}, 0
	for n := range 100 {
		for _, id := range []string{"a", "b"} {
			_, err := l.Emit(ctx, says(fmt.Sprint(n), by(id), class(coordination.EscalationInterrupt), at(coordination.Critical)))
			var limit *bus.LimitError
			switch {
			case err == nil:
				emitted[id]++
			case errors.As(err, &limit) && limit.Agent == id:
				refused++
			default:
				t.Fatal(err)
			}
		}
	}
	if emitted["a"] != 3 || emitted["b"] != 3 || refused != 194 {
		t.Errorf("emitted %v and refused %d, want 3 of each and 194", emitted, refused)
	}
}

func TestSignalsThatTheBusRefusesHaveNoEffect(t *testing.T) {
	now := time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC)
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Rate: 1, Burst: 1})
	l := made(connectivity.New(b, nil))
	live, err := l.Emit(ctx, says("live"))
	is(t, err, nil)
	again := says("fire", class(coordination.EscalationInterrupt), at(coordination.Critical))
	for name, in := range map[string]connectivity.Input{"new": again, "replaces": says("other", replacing(live.Signal.ID))} {
		var limit *bus.LimitError
		if _, err := l.Emit(ctx, in); !errors.As(err, &limit) {
			t.Errorf("%s: got %v, want a LimitError", name, err)
		}
	}
	if got, _ := l.Get(live.Signal.ID); got.State.Terminal() {
		t.Errorf("the live signal is %s, ended by what is not in the log", got.State)
	}
	now = now.Add(time.Second)
	if e, err := l.Emit(ctx, again); err != nil || e.Suppressed {
		t.Errorf("suppressed %v by what is not in the log: %v", e.Suppressed, err)
	}
}
