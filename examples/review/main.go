// Review lets ten agents review a Go package and decide whether to approve it.
//
//	go run ./examples/review [flags] [dir]
//
// Each agent is a real analyser with a personality of its own. They publish
// what they find, doubt and challenge each other with reasons that can be
// checked in the code, propose to approve or to request changes, vote, and
// decide. There is no model, key, server or network in it. The same package
// and seed give the same log, byte for byte.
//
// The exit status is 0 when they decided, 3 when they did not agree, 1 for an
// error and 2 for wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

const (
	statusDecided     = 0
	statusError       = 1
	statusUsage       = 2
	statusNoConsensus = 3
)

type flags struct {
	seed  uint64
	json  bool
	log   bool
	full  bool
	width int
	otel  bool
	dir   string
}

func parse(args []string, stderr io.Writer) (*flags, error) {
	f := &flags{dir: "./swarm"}
	set := flag.NewFlagSet("review", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Uint64Var(&f.seed, "seed", 1, "of the run; not 0")
	set.BoolVar(&f.json, "json", false, "print every event as a line of JSON")
	set.BoolVar(&f.log, "log", false, "print the log of signals as lines of JSON")
	set.BoolVar(&f.full, "full", false, "print texts in full")
	set.IntVar(&f.width, "width", 120, "columns of a line")
	set.BoolVar(&f.otel, "otel", false, "send traces to where the OTEL_* variables say; needs go run -tags otel")
	set.Usage = func() {
		fmt.Fprintf(stderr, "usage: review [flags] [dir]\n\nReviews the Go package in dir (default %s).\n\n", f.dir)
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() > 1 || f.seed == 0 || f.width < 20 {
		set.Usage()
		return nil, fmt.Errorf("one directory at most, a seed that is not 0, a width of 20 at least")
	}
	if f.otel && openTelescope == nil {
		err := errors.New("this build cannot send traces: go run -tags otel ./examples/review -otel")
		fmt.Fprintln(stderr, "review:", err)
		return nil, err
	}
	if set.NArg() == 1 {
		f.dir = set.Arg(0)
	}
	return f, nil
}

// run is the program without the process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f, err := parse(args, stderr)
	if err != nil {
		return statusUsage
	}
	view, err := f.telescope(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "review:", err)
		return statusError
	}
	result, err := review(ctx, f, view, stdout)
	view.close(stderr)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "review:", err)
		return statusError
	case result.Stop != swarm.StopConsensus:
		return statusNoConsensus
	default:
		return statusDecided
	}
}

func review(ctx context.Context, f *flags, view telescope, stdout io.Writer) (*swarm.Result, error) {
	p, err := inspect.Load(ctx, f.dir)
	if err != nil {
		return nil, err
	}
	s, err := swarm.New(swarm.Options{
		Agents: team(p),
		Name:   "review",
		Hook:   view.hook,
		Seed:   f.seed,
		// Steps in place of the time of day, so that a run can be repeated.
		Clock: swarm.StepClock(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Millisecond),
	})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	stop, err := view.watch(s.Bus())
	if err != nil {
		return nil, err
	}
	defer stop()

	var result *swarm.Result
	show := f.show(stdout)
	for event, err := range s.Stream(ctx, task(p)) {
		if err != nil {
			return nil, err
		}
		if stopped, ok := event.(swarm.Stopped); ok {
			result = stopped.Result
		}
		if err := show(event); err != nil {
			return nil, err
		}
	}
	return result, result.Err
}

func task(p *inspect.Package) signals.Task {
	stats := p.Stats()
	return signals.Task{
		Task:    fmt.Sprintf("Should package %s (%s) be approved?", p.Name, p.Path),
		Context: fmt.Sprintf("%d files, %d lines, %d functions, %d tests", stats.Files, stats.Lines, stats.Functions, stats.Tests),
	}
}

func (f *flags) show(w io.Writer) func(swarm.Event) error {
	switch {
	case f.json:
		return transcript.JSON(w)
	case f.log:
		return transcript.Log(w)
	default:
		return transcript.Text(w, &transcript.Options{Width: f.width, Full: f.full})
	}
}
