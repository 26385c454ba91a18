package keep_test

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/keep"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

func TestNamesOfOneSeedOnABusDiffer(t *testing.T) {
	t.Parallel()
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	one, other := keep.NewNamer(b, 7), keep.NewNamer(b, 7)
	said := signals.New(signals.Header{Thread: one.Prefix() + "2", Confidence: 1}, signals.Task{Task: "?"})
	if _, err := b.System().Publish(context.Background(), said); err != nil {
		t.Fatal(err)
	}
	if got := one.Reserve(); got != "solve-00000007-1" {
		t.Errorf("got %s", got)
	}
	if got := other.Reserve(); got != "solve-00000007-3" {
		t.Errorf("got %s, want the one after that of another process", got)
	}
	other.Passed(9)
	if got := one.Reserve(); got != "solve-00000007-10" {
		t.Errorf("got %s, want the one after the last that exists", got)
	}
}

func TestNoNameIsIdleWhileASolveRuns(t *testing.T) {
	t.Parallel()
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	n := keep.NewNamer(b, 1)
	idle := func() (called bool) {
		if err := n.Idle(func(uint64) error { called = true; return nil }); err != nil {
			t.Error(err)
		}
		return called
	}
	thread := n.Reserve()
	if idle() {
		t.Error("idle while a solve runs")
	}
	if err := n.ReserveAgain(thread); !errors.Is(err, runlog.ErrLog) {
		t.Errorf("got %v for a thread that runs", err)
	}
	n.Release(thread)
	if !idle() {
		t.Error("not idle after the solve")
	}
	if err := n.ReserveAgain(thread); err != nil || idle() {
		t.Errorf("%v, or idle while it runs again", err)
	}
}
