package otel_test

import (
	"context"
	"flag"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "rewrite the expected trees in testdata")

// routine are attributes that say the name again or are the same everywhere;
// consensus.txt has them.
var routine = []string{
	"messaging.system", "messaging.operation.name", "messaging.operation.type", "messaging.destination.name", "messaging.message.id",
	"gen_ai.conversation.id", "gen_ai.operation.name", "gen_ai.agent.id", "gen_ai.agent.name", "gen_ai.workflow.name",
	"swarmbus.thread", "swarmbus.deliveries.slowest", "swarmbus.deliveries.slowest_reader", "swarmbus.confidence", "swarmbus.strategy",
	"swarmbus.threshold", "swarmbus.quorum", "swarmbus.seed", "swarmbus.failed",
}

type seq = iter.Seq2[signals.Any, error]

// A trace is an observer whose spans a test reads.
type trace struct {
	*otel.Observer
	recorder *tracetest.SpanRecorder
}

func newTrace(t testing.TB, o otel.Options, more ...sdktrace.TracerProviderOption) *trace {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(append(more, sdktrace.WithSpanProcessor(recorder))...)
	o.Tracers = provider
	observer, err := otel.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	return &trace{observer, recorder}
}

// spans returns what was recorded, and reports what is wrong whatever it is.
func (r *trace) spans(t testing.TB) []oteltest.Span {
	t.Helper()
	r.Flush()
	spans := oteltest.FromSDK(r.recorder.Ended())
	for _, problem := range oteltest.Problems(spans) {
		t.Error(problem)
	}
	if started := len(r.recorder.Started()); started != len(spans) {
		t.Errorf("%d of %d spans ended", len(spans), started)
	}
	return spans
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(expected(t, name), got); diff != "" {
		t.Errorf("testdata/%s (-want +got; rewrite with -update):\n%s", name, diff)
	}
}

func expected(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// solve runs a swarm that is watched, to its end.
func (r *trace) solve(t testing.TB, o swarm.Options) *solves.Result {
	t.Helper()
	o.Hook, o.Seed = r, 1
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := r.Watch(s.Bus())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	result, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err != nil && result == nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	return result
}

func agent(id string, hears signals.Kind, says ...signals.Any) *agents.Agent {
	return &agents.Agent{ID: id, Listens: []signals.Kind{hears}, Reactor: agents.Each(func(context.Context, signals.Any) seq {
		return agents.Emit(says...)
	})}
}

func proposer(id, proposal string) *agents.Agent {
	a := agent(id, signals.KindTask, signals.New(signals.Header{Confidence: 0.8}, signals.Proposal{ProposalID: proposal, Content: "do " + proposal}))
	a.CanEmit = []signals.Kind{signals.KindProposal}
	return a
}

func voter(id, proposal string) *agents.Agent {
	a := agent(id, signals.KindProposal, signals.New(signals.Header{Confidence: 1},
		signals.Vote{ProposalID: proposal, Stance: signals.Agree, Weight: 1, Reasoning: "because"}))
	a.CanEmit = []signals.Kind{signals.KindVote}
	return a
}
