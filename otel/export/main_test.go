package export_test

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel/export"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		for _, p := range programs {
			_ = os.RemoveAll(filepath.Dir(p))
		}
		os.Exit(status)
	}))
}

// decide lets three agents decide, observed by p if it is not nil.
func decide(t *testing.T, p *export.Pipeline) *solves.Result {
	t.Helper()
	say := func(id string, hears signals.Kind, s signals.Any) *agents.Agent {
		return &agents.Agent{ID: id, Listens: []signals.Kind{hears}, CanEmit: []signals.Kind{s.Kind()}, Reactor: agents.Reactors{
			agents.Each(func(context.Context, signals.Any) said { return agents.Emit(s) }),
		}}
	}
	vote := signals.New(signals.Header{Confidence: 1}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
	o := swarm.Options{
		Seed: 1, Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond),
		Agents: []*agents.Agent{
			say("p", signals.KindTask, signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "a", Content: "do a"})),
			say("v", signals.KindProposal, vote), say("w", signals.KindProposal, vote),
		},
	}
	if p != nil {
		o.Hook = p.Observer
	}
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if p != nil {
		stop, err := p.Observer.Watch(s.Bus())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	result, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return result
}

func newPipeline(t *testing.T, o export.Options) *export.Pipeline {
	t.Helper()
	p, err := export.New(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// collector is a server that accepts telemetry, or refuses it.
func collector(t *testing.T, serve http.HandlerFunc) {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
}

// sent keeps the telemetry that a collector received.
type sent struct {
	mu         sync.Mutex // protects the fields below
	spans      []string   // names
	attributes []string   // texts
	resources  []map[string]string
}

func (s *sent) collect(t *testing.T) {
	collector(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request collectortrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, of := range request.ResourceSpans {
			about := map[string]string{}
			for _, a := range of.Resource.Attributes {
				about[a.Key] = a.Value.GetStringValue()
			}
			s.resources = append(s.resources, about)
			for _, scope := range of.ScopeSpans {
				for _, span := range scope.Spans {
					s.spans = append(s.spans, span.Name)
					for _, a := range span.Attributes {
						s.attributes = append(s.attributes, a.Value.GetStringValue())
					}
				}
			}
		}
	})
}

type said = iter.Seq2[signals.Any, error]
