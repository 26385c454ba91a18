package connectivity_test

import (
	"errors"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

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

// A reader of the bus that reads a signal at once finds it in the layer.
func TestAReaderFindsTheSignalItHasRead(t *testing.T) {
	w := real(t, nil)
	sub, err := w.bus.Subscribe(bus.SubscribeOptions{Agent: "a"})
	is(t, err, nil)
	const n = 2000
	go func() {
		for range n {
			w.emit(says("x", at(coordination.Critical), to(coordination.Self)))
		}
	}()
	for range n {
		s, err := sub.Next(timetest.Context(t))
		is(t, err, nil)
		if _, held := w.Get(s.Head().ID); !held {
			t.Fatal("not there")
		}
	}
}

func TestTheKindsAreTheLayers(t *testing.T) {
	w := newWorld(t, nil)
	s := w.emit(says("x", class(coordination.ConflictActive)))
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

func TestNewRefusesABusWhereAgentsPublishedItsKinds(t *testing.T) {
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
