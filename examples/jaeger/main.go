// Jaeger shows three decisions in a running Jaeger: one that is reached, one in
// which the only proposal is turned down while all sorts of things go wrong, and
// one in which rival proposals are escalated to somebody outside.
//
//	go run ./examples/jaeger
//
// It sends traces to where the OTEL_* variables say, by default to port 4318 of
// this machine, and prints where to look at them. docs/tracing.md is the way
// from nothing to a trace. There is no model or key in it.
//
// The exit status is 0 when every span was taken, 1 when some were lost and for
// an error.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"

	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/export"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "jaeger:", err)
		os.Exit(1)
	}
}

// run is the program without the process.
func run(ctx context.Context, stdout, stderr io.Writer) error {
	// Jaeger takes no metrics.
	p, err := export.New(ctx, &export.Options{
		Service: "example", NoMetrics: true, Log: slog.New(slog.NewTextHandler(stderr, nil)),
	})
	if err != nil {
		return err
	}
	err = decideAll(ctx, p, stdout)
	account := p.Close()
	fmt.Fprintln(stdout, "otel:", account)
	if err == nil && account.Lost() > 0 {
		err = fmt.Errorf("%d spans were lost: is Jaeger running? see docs/tracing.md", account.Lost())
	}
	return err
}

func decideAll(ctx context.Context, p *export.Pipeline, stdout io.Writer) error {
	for _, o := range []swarm.Options{
		{Name: "retry-policy", Agents: team()},
		{Name: "retry-policy-trouble", Agents: trouble()},
		{Name: "retry-policy-strict", Agents: divided(), Conflicts: settle.ByEscalation},
	} {
		if err := decide(ctx, p, o, stdout); err != nil {
			return err
		}
	}
	return nil
}

func decide(ctx context.Context, p *export.Pipeline, o swarm.Options, stdout io.Writer) error {
	o.Hook, o.Seed = p.Observer, 1
	s, err := swarm.New(o)
	if err != nil {
		return err
	}
	defer s.Close()
	stop, err := p.Observer.Watch(s.Bus())
	if err != nil {
		return err
	}
	defer stop()
	result, err := s.Solve(ctx, signals.Task{Task: "Which retry policy?"})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %s %q, %s\n", o.Name, result.Stop, result.Answer, where(result.Log[0].Head().Trace))
	return s.Shutdown(ctx) // with the turns that were left behind, so that their spans are sent
}

// where is where Jaeger's page shows a trace, if it was sent one.
func where(t *signals.Trace) string {
	if !otel.ToSpan(t).IsSampled() {
		return "not sampled"
	}
	return fmt.Sprintf("http://localhost:16686/trace/%x", t.TraceID)
}
