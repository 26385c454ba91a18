package bus_test

import (
	"context"
	"testing"
)

func TestPublishingWithoutReadersAllocatesNothing(t *testing.T) {
	b := newBus(t, nil)
	p, s, ctx := publisher(t, b, "a"), event(), context.Background()
	publish := func() {
		if _, err := p.Publish(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	for range 5000 { // until the history reuses its pages
		publish()
	}
	if n := testing.AllocsPerRun(5000, publish); n > 0 {
		t.Errorf("%v allocations per signal", n)
	}
}
