package otel_test

import (
	"context"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// nowhere takes every span.
type nowhere struct{}

func (nowhere) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (nowhere) Shutdown(context.Context) error                             { return nil }

// A mode is how much is traced; its observer is nil for not at all.
type mode struct {
	name     string
	observer *otel.Observer
}

func modes(b *testing.B) []mode {
	all := []mode{{"none", nil}}
	for name, sampler := range map[string]sdktrace.Sampler{"sampled-out": sdktrace.NeverSample(), "sampled": sdktrace.AlwaysSample()} {
		p := sdktrace.NewTracerProvider(sdktrace.WithSampler(sampler), sdktrace.WithBatcher(nowhere{}, sdktrace.WithMaxQueueSize(1<<16)))
		b.Cleanup(func() { _ = p.Shutdown(context.Background()) })
		observer, err := otel.New(&otel.Options{Tracers: p})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, mode{name, observer})
	}
	return all
}

// compare runs the modes in turn, a batch each, and reports the time of one
// operation without tracing and the others as multiples of it, all of one run.
func compare(b *testing.B, prepare func(*otel.Observer) (batch func(), operations int)) {
	type work struct {
		mode
		batch func()
		spent time.Duration
	}
	var all []*work
	operations := 0
	for _, m := range modes(b) {
		w := &work{mode: m}
		w.batch, operations = prepare(m.observer)
		all = append(all, w)
	}
	for b.Loop() {
		for _, w := range all {
			began := time.Now()
			w.batch()
			w.spent += time.Since(began)
		}
	}
	none := float64(all[0].spent)
	b.ReportMetric(none/float64(b.N*operations), "ns/none")
	for _, w := range all[1:] {
		b.ReportMetric(float64(w.spent)/none, w.name+"/none")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPublish is one signal into the log and out to one reader.
func BenchmarkPublish(b *testing.B) {
	const batch = 1000
	compare(b, func(o *otel.Observer) (func(), int) {
		log := made(bus.New(nil))
		b.Cleanup(log.Close)
		if o != nil {
			if _, err := o.Watch(log); err != nil {
				b.Fatal(err)
			}
		}
		sub, err := log.Subscribe(bus.SubscribeOptions{})
		if err != nil {
			b.Fatal(err)
		}
		p, err := log.Agent("a", bus.Permissions{})
		if err != nil {
			b.Fatal(err)
		}
		ctx, s := b.Context(), signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: "x"})
		return func() {
			for range batch {
				if _, err := p.Publish(ctx, s); err != nil {
					b.Fatal(err)
				}
				_, _ = sub.Poll()
			}
		}, batch
	})
}

// BenchmarkSolve is eight agents deciding between two proposals.
func BenchmarkSolve(b *testing.B) {
	compare(b, func(o *otel.Observer) (func(), int) {
		team := []*agents.Agent{proposer("p", "a"), proposer("q", "b")}
		for _, id := range []string{"r", "s", "t", "u", "v", "w"} {
			team = append(team, voter(id, "a"))
		}
		options := swarm.Options{Agents: team, Seed: 1}
		if o != nil {
			options.Hook = o
		}
		return func() {
			s, err := swarm.New(options)
			if err != nil {
				b.Fatal(err)
			}
			if o != nil {
				stop, err := o.Watch(s.Bus())
				if err != nil {
					b.Fatal(err)
				}
				defer stop()
			}
			if _, err := s.Solve(b.Context(), signals.Task{Task: "which?"}); err != nil {
				b.Fatal(err)
			}
			_ = s.Shutdown(context.Background())
		}, 1
	})
}
