package otel_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestConnectivityThreadIsOneTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	b := watched(t, r, nil)
	layer, err := connectivity.New(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	layer.SetCoordinator("review", "lead")
	inbox, err := layer.Inbox("lead")
	if err != nil {
		t.Fatal(err)
	}
	defer inbox.Close()
	low, err := layer.Emit(t.Context(), connectivity.Input{
		Thread: "review", Source: "tester", Class: coordination.ConfidenceLow, Audience: coordination.Coordinator,
		Priority: coordination.Normal, Confidence: coordination.Graded(0.3), Summary: "two tests are flaky",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inbox.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := layer.Resolve(t.Context(), low.Signal.ID); err != nil {
		t.Fatal(err)
	}
	golden(t, "connectivity.txt", oteltest.Tree(r.spans(t), routine...))
}
