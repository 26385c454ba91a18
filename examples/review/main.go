// Review lets seven agents review a Go package and decide whether to approve it.
//
//	go run ./examples/review [flags] [dir]
//
// Each agent goes by evidence of its own: the compiler, the passes of go vet, rules for
// lost errors and for calls that remove, run or end something, and what the tests reach.
// With -with staticcheck,gosec two more ask these tools. They say what they find and
// what they could not look at, make each other's findings worse or challenge
// them with reasons that can be checked in the code, propose to approve or to
// request changes, and vote by what they know at first hand. There is no model,
// key, server or network in it. The same package and seed give the same log,
// byte for byte. No code of the package is run unless -run-tests says so.
//
// How often they are right is measured on a corpus of packages with known
// defects and without, see RESULTS.md.
//
// The exit status is 0 when they decided, 3 when they did not agree, 1 for an
// error, 2 for wrong usage and 130 when interrupted.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/term"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// grace is how long an interrupted review has to end tidily.
const grace = 300 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		<-ctx.Done()
		time.Sleep(grace) // an analyzer in the middle of its work does not listen
		os.Exit(statusInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const (
	statusDecided     = 0
	statusError       = 1
	statusUsage       = 2
	statusNoConsensus = 3
	statusInterrupted = 130
)

type flags struct {
	seed     uint64
	json     bool
	log      bool
	full     bool
	width    int
	runTests bool
	otel     bool
	kept     string
	with     []inspect.Tool
	dir      string
}

func parse(args []string, stderr io.Writer) (*flags, error) {
	f := &flags{dir: "./bus"}
	set := flag.NewFlagSet("review", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Uint64Var(&f.seed, "seed", 1, "of the run; not 0")
	set.BoolVar(&f.json, "json", false, "print every event as a line of JSON")
	set.BoolVar(&f.log, "log", false, "print the log of signals as lines of JSON")
	set.BoolVar(&f.full, "full", false, "print texts in full")
	set.IntVar(&f.width, "width", 0, "columns of a line; 0: those of the terminal, 100 where there is none")
	set.BoolVar(&f.runTests, "run-tests", false, "run the package's tests")
	set.Func("with", "`tools` that two more agents ask, each a process: staticcheck,gosec; they are built the first time", func(names string) (err error) {
		f.with, err = with(names)
		return err
	})
	set.StringVar(&f.kept, "journal", "", "keep everything in this new `file`, or under this name, for swarmbus replay and show")
	set.BoolVar(&f.otel, "otel", false, "send traces to where the OTEL_* variables say; needs go run -tags otel")
	set.Usage = func() {
		fmt.Fprintf(stderr, "usage: review [flags] [dir]\n\nReviews the Go package in dir (default %s).\n\n", f.dir)
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() > 1 || f.seed == 0 || f.width != 0 && f.width < 20 {
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
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusDecided
	case err != nil:
		return statusUsage
	}
	switch err = f.review(ctx, stdout, stderr); {
	case err == nil:
		return statusDecided
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "review: interrupted")
		return statusInterrupted
	case errors.Is(err, errNoConsensus):
		return statusNoConsensus
	default:
		fmt.Fprintln(stderr, "review:", err)
		return statusError
	}
}

var errNoConsensus = errors.New("they did not agree")

// review reviews one package and shows how.
func (f *flags) review(ctx context.Context, stdout, stderr io.Writer) (err error) {
	view, err := f.telescope(ctx)
	if err != nil {
		return err
	}
	defer view.close(stderr)
	p, err := inspect.Load(ctx, f.dir, f.runTests, f.with...)
	if err != nil {
		return err
	}
	kept, err := f.keep(stderr)
	if err != nil {
		return err
	}
	if kept != nil {
		defer func() { err = errors.Join(err, kept.Close()) }()
	}
	result, err := solve(ctx, p, f.seed, kept, view, f.show(stdout))
	if err == nil && result.Stop != runlog.StopConsensus {
		return errNoConsensus
	}
	return err
}

// solve has the team decide on p. A journal, if there is one, keeps it.
func solve(ctx context.Context, p *inspect.Package, seed uint64, kept journal.Store, view telescope, show func(solves.Event) error) (result *solves.Result, err error) {
	s, err := swarm.New(swarm.Options{
		Agents:  team(p, tracks()),
		Name:    "review",
		Hook:    view.hook,
		Journal: kept,
		Seed:    seed,
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
	defer func() { err = errors.Join(err, s.Shutdown(ctx)) }() // while somebody still watches

	for event, err := range s.Stream(ctx, task(p)) {
		if err != nil {
			return nil, err
		}
		if stopped, ok := event.(solves.Stopped); ok {
			result = stopped.Result
		}
		if err := show(event); err != nil {
			return nil, err
		}
	}
	return result, result.Err
}

func task(p *inspect.Package) signals.Task {
	return signals.Task{Task: fmt.Sprintf("Should package %s (%s) be approved?", p.Name, p.Path), Context: p.Size()}
}

func (f *flags) show(w io.Writer) func(solves.Event) error {
	switch {
	case f.json:
		return transcript.JSON(w)
	case f.log:
		return transcript.Log(w)
	default:
		o := &transcript.Options{Full: f.full}
		if out, ok := w.(*os.File); ok && term.IsTerminal(int(out.Fd())) {
			o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
			o.Width, _, _ = term.GetSize(int(out.Fd())) // 0 if it is not known
		}
		o.Width = cmp.Or(f.width, o.Width, 100)
		return transcript.Text(w, o)
	}
}
