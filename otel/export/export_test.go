package export_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/bustest"
	"github.com/swarmbus/swarmbus/otel/export"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func TestSpansAndMetricsAreSent(t *testing.T) {
	var traces, metrics atomic.Int32
	collector(t, func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/traces":
			traces.Add(1)
		case "/v1/metrics":
			metrics.Add(1)
		}
	})
	p := newPipeline(t, export.Options{})
	decide(t, p)
	account := p.Close()
	if traces.Load() == 0 || metrics.Load() == 0 || account.Sent < 12 || account.Lost() != 0 || account.Traces != 1 || account.Metrics == 0 {
		t.Errorf("got %d and %d requests, %+v, want everything sent", traces.Load(), metrics.Load(), account)
	}
}

func TestReplicasAreDistinguished(t *testing.T) {
	var got sent
	got.collect(t)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	for range 2 {
		p := newPipeline(t, export.Options{Service: "one", NoMetrics: true})
		decide(t, p)
		p.Close()
	}
	ids := map[string]bool{}
	for _, about := range got.resources {
		ids[about["service.instance.id"]] = true
		if about["service.name"] != "one" || about["ip"] == "" || about["service.version"] == "" || about["deployment.environment.name"] != "test" {
			t.Errorf("got %v, want service, version, address and what the variable says", about)
		}
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("got instances %v, want two", ids)
	}
}

// TestTurnThatNeverEndsIsSent closes the pipeline while an agent ignores its
// context, without waiting for the swarm.
func TestTurnThatNeverEndsIsSent(t *testing.T) {
	var got sent
	got.collect(t)
	release := make(chan struct{})
	p := newPipeline(t, export.Options{NoMetrics: true})
	s, err := swarm.New(swarm.Options{Hook: p.Observer, Limits: swarm.Limits{Deadline: 50 * time.Millisecond}, Agents: []*agents.Agent{{
		ID: "deaf", Reactor: agents.Each(func(context.Context, signals.Any) said {
			<-release
			return agents.Emit()
		}),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
		t.Fatal(err)
	}
	p.Close()
	close(release)
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.spans, "invoke_agent deaf") {
		t.Errorf("got %v, want the turn", got.spans)
	}
}

// TestPublishesAreSentWhenTheWatchIsNotStopped closes only the pipeline.
func TestPublishesAreSentWhenTheWatchIsNotStopped(t *testing.T) {
	var got sent
	got.collect(t)
	p := newPipeline(t, export.Options{NoMetrics: true})
	b := bustest.New(t, nil)
	if _, err := p.Observer.Watch(b.Bus); err != nil {
		t.Fatal(err)
	}
	if _, err := b.System().Publish(t.Context(), signals.New(signals.Header{}, signals.Task{Task: "x"})); err != nil {
		t.Fatal(err)
	}
	if account := p.Close(); account.Sent != 1 || !slices.Contains(got.spans, "publish task:new") {
		t.Errorf("got %v and %v, want the publish", account, got.spans)
	}
}

// TestProgramMayAskForContentAndDeliveries has an option, and the variable that
// takes precedence over it.
func TestProgramMayAskForContentAndDeliveries(t *testing.T) {
	upper := func(_ signals.Kind, _, text string) string { return strings.ToUpper(text) }
	for value, want := range map[string]bool{"": true, "true": true, "false": false, "no_content": false} {
		t.Run(value, func(t *testing.T) {
			var got sent
			got.collect(t)
			t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
			p := newPipeline(t, export.Options{NoMetrics: true, Content: upper, Deliveries: true})
			decide(t, p)
			p.Close()
			if found := strings.Contains(fmt.Sprint(got.attributes), "DO A"); found != want {
				t.Errorf("content sent: %v, want %v", found, want)
			}
			if !slices.Contains(got.spans, "process proposal") {
				t.Errorf("got %v, want the deliveries", got.spans)
			}
		})
	}
}
