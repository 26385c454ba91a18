package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
)

// results collects the results of concurrent calls.
type results chan error

func (r results) want(t *testing.T, want error) {
	t.Helper()
	select {
	case err := <-r:
		is(t, err, want)
	case <-soon(t).Done():
		t.Fatal("does not return")
	}
}

// One emission waits for room, an identical one follows, and the first gives
// up: the alarm is not lost.
func TestWhatIsNotCommittedSuppressesNothing(t *testing.T) {
	w := real(t, nil)
	full := w.full()
	alarm := says("fire", to(connectivity.All))
	first, cancel := context.WithCancel(ctx)
	one, two := make(results), make(results)
	go func() {
		_, err := w.Emit(first, alarm)
		one <- err
	}()
	w.waits(1)
	var second connectivity.Emission
	go func() {
		var err error
		second, err = w.Emit(ctx, alarm)
		two <- err
	}()
	w.waits(2)
	cancel()
	one.want(t, context.Canceled)
	for range 2 {
		_, err := full.Next(soon(t))
		is(t, err, nil)
	}
	two.want(t, nil)
	if got, held := w.Get(second.Signal.ID); second.Suppressed || !held || got.Summary != "fire" {
		t.Errorf("suppressed %v, held %v: nobody has the alarm", second.Suppressed, held)
	}
}

func TestWhatIsNotCommittedEndsNothing(t *testing.T) {
	w := real(t, nil)
	live := w.emit(says("live", to(connectivity.All)))
	sub, err := w.bus.Subscribe(bus.SubscribeOptions{
		Agent: "full", Kinds: []signals.Kind{connectivity.KindTransition}, Backlog: 2, WhenFull: bus.Wait,
	})
	is(t, err, nil)
	t.Cleanup(sub.Close)
	for range 2 {
		w.resolve(w.emit(says("fills it", by("b"), to(connectivity.All))).ID)
	}
	for name, end := range map[string]func(context.Context) error{
		"resolve": func(ctx context.Context) error { _, err := w.Resolve(ctx, live.ID); return err },
		"replace": func(ctx context.Context) error {
			_, err := w.Emit(ctx, says("new", by("c"), replacing(live.ID)))
			return err
		},
	} {
		first, cancel := context.WithCancel(ctx)
		one := make(results)
		go func() { one <- end(first) }()
		w.waits(1)
		late, stop := context.WithTimeout(ctx, 200*time.Millisecond)
		if _, err := w.Resolve(late, live.ID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: resolved while another end waits: %v", name, err)
		}
		stop()
		cancel()
		one.want(t, context.Canceled)
		if w.state(live.ID).Terminal() {
			t.Fatalf("%s: ended by what is not in the log", name)
		}
	}
	_, err = sub.Next(soon(t))
	is(t, err, nil)
	w.resolve(live.ID)
}

func TestTheIDOfAnEmissionCannotBeTakenInAdvance(t *testing.T) {
	now := time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC)
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Mint: signals.SeededMint("a")})
	l := made(connectivity.New(b, nil))
	p, err := b.Agent("mallory", bus.Permissions{})
	is(t, err, nil)
	for seq := range uint64(9) {
		taken := signals.SeededMint("a").ID(seq+1, now)
		if _, err := p.Publish(ctx, signals.New(signals.Header{ID: taken, Thread: "t"}, signals.Discovery{Finding: "x"})); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("took the id of signal %d: %v", seq+1, err)
		}
	}
	e, err := l.Emit(ctx, says("x"))
	if err != nil || e.Suppressed {
		t.Errorf("suppressed %v: %v", e.Suppressed, err)
	}
}

func TestAnEmissionAcrossACloseBeginsTheThreadAnew(t *testing.T) {
	w := real(t, nil)
	full := w.full()
	for range 7 {
		w.advance("t")
	}
	done := make(results)
	var e connectivity.Emission
	go func() {
		var err error
		e, err = w.Emit(ctx, says("x", to(connectivity.All), func(in *connectivity.Input) { in.ExpiresAfter = 1 }))
		done <- err
	}()
	w.waits(1)
	is(t, w.CloseThread(ctx, "t"), nil)
	for range 2 {
		_, err := full.Next(soon(t))
		is(t, err, nil)
	}
	done.want(t, nil)
	if e.Signal.Step != 0 || e.Signal.ExpiresAtStep != 1 || w.Step("t") != 0 {
		t.Errorf("at step %d until %d of a thread at step %d", e.Signal.Step, e.Signal.ExpiresAtStep, w.Step("t"))
	}
}

// A reader of the bus finds every signal in the layer, however early it reads.
func TestAReaderFindsTheSignalItHasRead(t *testing.T) {
	w := real(t, nil)
	sub, err := w.bus.Subscribe(bus.SubscribeOptions{Agent: "a"})
	is(t, err, nil)
	const n = 2000
	go func() {
		for range n {
			w.emit(says("x", at(connectivity.Critical), to(connectivity.Self)))
		}
	}()
	for range n {
		s, err := sub.Next(soon(t))
		is(t, err, nil)
		if _, held := w.Get(s.Head().ID); !held {
			t.Fatal("not there")
		}
	}
}

func TestTheKindsAreTheLayers(t *testing.T) {
	w := newWorld(t, nil)
	s := w.emit(says("x", class(connectivity.ConflictActive)))
	agent, err := w.bus.Agent("mallory", bus.Permissions{})
	is(t, err, nil)
	for _, forged := range forgeries(signals.Header{Thread: "t", Confidence: 1, TTL: -1}, s.ID) {
		_, err := agent.Publish(ctx, forged)
		var refused *bus.PermissionError
		if !errors.As(err, &refused) {
			t.Errorf("an agent published %s: %v", forged.Kind(), err)
		}
	}
	same(t, w.rebuilt(nil), w.Layer, "t")
}

func TestALayerDoesNotBelieveWhatAgentsPublishedBeforeIt(t *testing.T) {
	for _, forged := range forgeries(signals.Header{Thread: "t", Confidence: 1, TTL: -1}, signals.MustID("sig_x")) {
		b := newBus(t, nil)
		agent, err := b.Agent("mallory", bus.Permissions{})
		is(t, err, nil)
		_, err = agent.Publish(ctx, forged)
		is(t, err, nil)
		var refused *bus.PermissionError
		if _, err := connectivity.New(b, nil); !errors.As(err, &refused) {
			t.Errorf("after a forged %s: %v", forged.Kind(), err)
		}
	}
}

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	for field, o := range map[string]connectivity.Options{
		"MaxLive": {MaxLive: -1},
		"Basis":   {Suppression: connectivity.Suppression{Basis: 2}},
		"Window":  {Suppression: connectivity.Suppression{Window: -1}},
		"layer":   {Name: "a\nb"},
	} {
		_, err := connectivity.New(newBus(t, nil), &o)
		invalid(t, err, field)
	}
}

// The cost of a step is linear in the signals that expire: here each has
// different recipients, so that each end is an entry of its own.
func TestAStepCostsWhatExpires(t *testing.T) {
	each := func(n int) time.Duration {
		b := newBus(t, nil)
		l := made(connectivity.New(b, nil))
		for i := range n {
			if _, err := l.Emit(ctx, says("x", by(fmt.Sprint("s", i)), to(connectivity.Self), until(1))); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		_, err := l.AdvanceStep(ctx, "t")
		is(t, err, nil)
		return time.Since(start) / time.Duration(n)
	}
	// It was 200 times as much when ids were compared with all earlier ones.
	// One slow run may be due to a busy machine.
	var few, many time.Duration
	for range 3 {
		few, many = each(1000), each(32_000)
		if many <= 40*max(few, time.Microsecond) {
			return
		}
	}
	t.Errorf("%v each of 1,000, %v each of 32,000", few, many)
}
