package bus_test

import (
	"context"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func TestObserversSeeEverythingInOrder(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{History: 3, Sweep: -1, Clock: func() time.Time { return now }})
	events := watch(t, b)
	a, z := agent(t, b, "a"), agent(t, b, "z")
	sub := subscribe(t, b, bus.SubscribeOptions{Agent: "reader", Kinds: []signals.Kind{signals.KindDiscovery}})
	handle(t, b, bus.HandleOptions{Agent: "handler"}, func(context.Context, signals.Signal[signals.Discovery]) error { return nil })

	private := found("1")
	private.Recipients = signals.To("reader")
	must(t, a, private)
	_, _ = unread(sub)
	must(t, a, found("2"))
	must(t, a, proposes("", "p", "this"))
	must(t, z, proposes("", "q", "that"))
	now = now.Add(2 * time.Minute)
	b.Sweep()
	equal(t, "events", events(), []string{
		"published 1", "settled 1 for reader: delivered",
		"published 2", "settled 2 for handler: delivered",
		"published p",
		"published q", "opened p-q", "evicted 1", "published conflict", "evicted 2",
		"expired p", "expired q", "expired conflict", "ended p-q resolved=false",
	})
}

func TestObserverMayPanicPublishAndStop(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	var stop func()
	n := 0
	b.Observe(func(bus.Event) { panic("no") })
	stop = b.Observe(func(e bus.Event) {
		n++
		if p, ok := e.(bus.Published); ok && text(p.Signal) == "1" {
			must(t, a, found("2"))
			return
		}
		stop()
		stop()
	})
	must(t, a, found("1"))
	must(t, a, found("3"))
	if n != 2 {
		t.Errorf("saw %d events, want 2", n)
	}
}
