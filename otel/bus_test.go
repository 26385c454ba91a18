package otel_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// A tick is a signal of another program's kind.
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
	publish(t, b, "a", say("thread-x", first.ID, origin))
	r.Flush()
	all := oteltest.FromSDK(r.recorder.Ended())
	i := slices.IndexFunc(all, func(s oteltest.Span) bool { return s.Attributes["swarmbus.seq"] == "2" })
	sent, want := all[i], otel.ToSpan(origin)
	if sent.Trace != want.TraceID().String() || sent.Parent != want.SpanID().String() {
		t.Errorf("got %+v, want it in trace %s", sent, want.TraceID())
	}
	if len(sent.Links) != 1 || sent.Links[0].Span != all[1-i].ID || sent.Attributes["swarmbus.reply_to"] != "#1 acme.example/tick by a" {
		t.Errorf("got %+v, want a link to the signal answered, and its name", sent)
	}
}

func TestPublishShowsTheResultsOfItsDeliveries(t *testing.T) {
	r := newTrace(t, otel.Options{})
	b := watched(t, r, nil)
	never := func(signals.Any) bool { return false }
	readers := []*bus.Subscription{
		subscribe(t, b, bus.SubscribeOptions{Agent: "one"}), subscribe(t, b, bus.SubscribeOptions{Agent: "two"}),
		subscribe(t, b, bus.SubscribeOptions{Agent: "picky", Where: never}),
	}
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	for _, sub := range readers {
		_, _ = sub.Poll()
	}
	spans := r.spans(t)
	about := spans[0].Attributes
	slowest, err := strconv.ParseFloat(about["swarmbus.deliveries.slowest"], 64)
	if len(spans) != 1 || about["swarmbus.deliveries.delivered"] != "2" || about["swarmbus.deliveries.filtered"] != "1" ||
		about["swarmbus.deliveries.dead"] != "" || err != nil || slowest <= 0 || about["swarmbus.deliveries.slowest_reader"] == "" {
		t.Errorf("got %+v, want one span with 2 delivered, 1 filtered and the slowest", spans)
	}
}

func TestDeliveriesHaveSpansOfTheirOwnByOption(t *testing.T) {
	r := newTrace(t, otel.Options{Deliveries: true})
	b := watched(t, r, nil)
	sub := subscribe(t, b, bus.SubscribeOptions{Agent: "one"})
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	_, _ = sub.Poll()
	spans := r.spans(t)
	if len(spans) != 2 || spans[0].Name != "process acme.example/tick" || spans[0].Parent != spans[1].ID || spans[0].Attributes["swarmbus.reader"] != "one" {
		t.Errorf("got %+v, want a delivery inside of its publish", spans)
	}
}

// TestDeliveryThatIsLateHasItsOwnSpan reads a signal after the span of its
// publish had to be closed.
func TestDeliveryThatIsLateHasItsOwnSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		b := watched(t, r, nil)
		sub := subscribe(t, b, bus.SubscribeOptions{Agent: "one"})
		publish(t, b, "a", say("thread-x", signals.ID{}, nil))
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(r.recorder.Ended()); n != 1 {
			t.Errorf("%d spans have ended after a second, want that of the publish", n)
		}
		_, _ = sub.Poll()
		spans := r.spans(t)
		if len(spans) != 2 || spans[1].Parent != spans[0].ID || spans[1].Attributes["swarmbus.delivery.late"] != "true" ||
			spans[1].End.Sub(spans[1].Start) != time.Second {
			t.Errorf("got %+v, want the late delivery, a second long", spans)
		}
	})
}

// TestPublishSpansEndASecondAfterTheirSolve reads the spans while the bus is still
// watched, as in a program that continues.
func TestPublishSpansEndASecondAfterTheirSolve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		b := watched(t, r, &bus.Options{TTL: -1})
		s, err := swarm.New(swarm.Options{Hook: r, Bus: b, Agents: team()})
		if err != nil {
			t.Fatal(err)
		}
		result, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{0, len(result.Log)} {
			published := 0
			for _, span := range oteltest.FromSDK(r.recorder.Ended()) {
				if span.Kind == "PRODUCER" {
					published++
				}
			}
			if published != want {
				t.Errorf("%d publishes are over, want %d", published, want)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
	})
}

// TestDeliveriesAfterASolveAreLate reads a solve's signals when it is over, and
// before their rows are.
func TestDeliveriesAfterASolveAreLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		b := watched(t, r, &bus.Options{TTL: -1})
		s, err := swarm.New(swarm.Options{Hook: r, Bus: b, Agents: team()})
		if err != nil {
			t.Fatal(err)
		}
		sub := subscribe(t, b, bus.SubscribeOptions{Agent: "archive", Kinds: []signals.Kind{signals.KindTask}})
		if _, err := s.Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := sub.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		about := named(t, r, "publish task:new").Attributes
		if about["swarmbus.deliveries.late"] != "1" || about["swarmbus.deliveries.delivered"] != "3" {
			t.Errorf("got %v, want 3 delivered, to two agents and the solve, and a late one", about)
		}
	})
}

func subscribe(t *testing.T, b *bus.Bus, o bus.SubscribeOptions) *bus.Subscription {
	t.Helper()
	sub, err := b.Subscribe(o)
	if err != nil {
		t.Fatal(err)
	}
	return sub
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

func TestBusIsWatchedOnce(t *testing.T) {
	r := newTrace(t, otel.Options{})
	b := made(bus.New(nil))
	defer b.Close()
	stop, err := r.Watch(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Watch(b); !errors.Is(err, otel.ErrWatched) {
		t.Errorf("got %v, want that it is watched", err)
	}
	watched(t, r, nil) // another bus may be
	publish(t, b, "a", say("thread-x", signals.ID{}, nil))
	stop()
	if n := len(r.spans(t)); n != 1 {
		t.Errorf("got %d spans, want 1", n)
	}
	stop, err = r.Watch(b)
	if err != nil {
		t.Fatalf("a bus cannot be watched again: %v", err)
	}
	stop()
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

// made returns a bus or a swarm whose options cannot be wrong.
func made[T any](b T, err error) T {
	if err != nil {
		panic(err)
	}
	return b
}
