package events_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus/events"
)

func TestDispositionsHaveNames(t *testing.T) {
	for d, want := range map[events.Disposition]string{
		0: "unset", events.Delivered: "delivered", events.DeadClosed: "closed", events.DeadClosed + 1: "events.Disposition(7)",
	} {
		if got := d.String(); got != want {
			t.Errorf("%d: got %q, want %q", uint8(d), got, want)
		}
	}
}
