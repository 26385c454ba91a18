package otel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
)

// A tick is a signal of somebody else's.
type tick struct {
	State string `json:"state"`
}

func (tick) Kind() signals.Kind { return "acme.example/tick" }

func watched(t *testing.T, r *trace, o *bus.Options) *bus.Bus {
	t.Helper()
	b := made(bus.New(o))
	t.Cleanup(b.Close)
	stop, err := r.Watch(b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return b
}

func publish(t *testing.T, b *bus.Bus, agent string, s signals.Any) bus.Receipt {
	t.Helper()
	p, err := b.Agent(agent, bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := p.Publish(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

func say(thread string, replyTo signals.ID, trace *signals.Trace) signals.Any {
	return signals.New(signals.Header{Thread: thread, ReplyTo: replyTo, Trace: trace}, tick{"on"})
}

func TestThreadWithoutASolveIsOneTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	b := watched(t, r, nil)
	sub, err := b.Subscribe(bus.SubscribeOptions{Agent: "reader"})
	if err != nil {
		t.Fatal(err)
	}
	first := publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	second := publish(t, b, "b", say("thread-x", first.ID, nil))
	publish(t, b, "a", say("thread-y", signals.ID{}, nil))
	publish(t, b, "a", say("thread-x", second.ID, nil))
	publish(t, b, "c", say("thread-x", signals.ID{}, nil))
	for range 5 {
		if _, err := sub.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "thread.txt", oteltest.Tree(r.spans(t), routine...))
}

func TestSignalFromElsewhereIsPartOfItsTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	b := watched(t, r, nil)
	first := publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	origin := &signals.Trace{TraceID: [16]byte{7}, SpanID: [8]byte{8}, Flags: 1, State: "vendor=1"}
	sub, err := b.Subscribe(bus.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	publish(t, b, "a", say("thread-x", first.ID, origin))
	if _, err := sub.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := oteltest.FromSDK(r.recorder.Ended())
	sent, delivered := all[1], all[2]
	want := otel.ToSpan(origin)
	if sent.Trace != want.TraceID().String() || sent.Parent != want.SpanID().String() || delivered.Trace != sent.Trace || delivered.Parent != sent.ID {
		t.Errorf("got %+v and %+v, want both in trace %s", sent, delivered, want.TraceID())
	}
	if len(sent.Links) != 1 || sent.Links[0].Span != all[0].ID || len(delivered.Links) != 1 || delivered.Links[0].Span != sent.Parent {
		t.Errorf("got links %+v and %+v, want to the signal answered and to the origin", sent.Links, delivered.Links)
	}
}

func TestDeadLettersHaveTheirReason(t *testing.T) {
	r := newTrace(t, otel.Options{})
	b := watched(t, r, nil)
	if _, err := b.Subscribe(bus.SubscribeOptions{Agent: "lags", Backlog: 1}); err != nil {
		t.Fatal(err)
	}
	_, err := bus.Handle(b, bus.HandleOptions{Agent: "fails"}, func(context.Context, signals.Signal[tick]) error { return errors.New("secret") })
	if err != nil {
		t.Fatal(err)
	}
	_, err = bus.Handle(b, bus.HandleOptions{Agent: "panics"}, func(context.Context, signals.Signal[tick]) error { panic("secret") })
	if err != nil {
		t.Fatal(err)
	}
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	golden(t, "dead.txt", oteltest.Tree(r.spans(t), routine...))
}

func TestWatchStops(t *testing.T) {
	r := newTrace(t, otel.Options{})
	b := made(bus.New(nil))
	defer b.Close()
	stop, err := r.Watch(b)
	if err != nil {
		t.Fatal(err)
	}
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	stop()
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	if n := len(r.spans(t)); n != 1 {
		t.Errorf("got %d spans, want 1", n)
	}
}

// made returns a bus whose options cannot be wrong.
func made(b *bus.Bus, err error) *bus.Bus {
	if err != nil {
		panic(err)
	}
	return b
}
