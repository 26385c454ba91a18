package bus_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus"
)

func TestDispositionsHaveNames(t *testing.T) {
	for d, want := range map[bus.Disposition]string{
		0: "unset", bus.Delivered: "delivered", bus.DeadClosed: "closed", bus.DeadClosed + 1: "bus.Disposition(7)",
	} {
		if got := d.String(); got != want {
			t.Errorf("%d: got %q, want %q", uint8(d), got, want)
		}
	}
}
