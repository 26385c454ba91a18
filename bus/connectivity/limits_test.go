package connectivity_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
)

func TestTheBusesRateBindsThoseWhoEmit(t *testing.T) {
	b := newBus(t, &bus.Options{Rate: 1e-9, Burst: 3})
	l := made(connectivity.New(b, nil))
	emitted, refused := map[string]int{}, 0
	for n := range 100 {
		for _, id := range []string{"a", "b"} {
			_, err := l.Emit(ctx, says(fmt.Sprint(n), by(id), class(connectivity.EscalationInterrupt), at(connectivity.Critical)))
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
