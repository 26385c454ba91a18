package bus_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func TestPublishingWithoutReadersAllocatesNothing(t *testing.T) {
	for name, o := range map[string]*bus.Options{"defaults": nil, "limits": {Rate: 1e9, Burst: 1 << 30, Bytes: 1 << 40}} {
		b := newBus(t, o)
		p, s, ctx := publisher(t, b, "a"), event(), context.Background()
		s.Recipients = signals.To("b", "c")
		publish := func() {
			if _, err := p.Publish(ctx, s); err != nil {
				t.Fatal(err)
			}
		}
		for range 5000 { // until the history reuses its pages
			publish()
		}
		if n := testing.AllocsPerRun(5000, publish); n > 0 {
			t.Errorf("%s: %v allocations per signal", name, n)
		}
	}
}
