// Swarms compares the ways to spend calls in a swarm: votes, talk, facts, checks, or to choose.
//
//	go run ./benchmarks/swarms                                # all worlds, 4,000 questions each
//	go run ./benchmarks/swarms --md FILE --json FILE --svg FILE
//
// Its agents are planted: world.go defines their skills, their common errors, and the effect
// of talk on them. They run through a swarm with its bus and ledger. Each contender gets
// the same questions and a budget in calls, of which reading a message of another agent
// takes a quarter. If it is interrupted, it reports partial results. RESULTS.md has the results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

type options struct {
	teams, questions, workers int
	budgets                   []int
	seed                      uint64
	data, from, md, json, svg string
}

func main() {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt)
	defer end()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "swarms:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	f := flag.NewFlagSet("swarms", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.teams, "teams", 16, "teams of each world, with parameters of their own")
	f.IntVar(&o.questions, "questions", 250, "questions of each team")
	f.IntVar(&o.workers, "workers", 2, "teams at once")
	budgets := f.String("budgets", "10,20,40", "budgets in calls")
	f.Uint64Var(&o.seed, "seed", 1, "of the worlds")
	f.StringVar(&o.data, "data", "benchmarks/data/votes", "directory of sets whose voters answer when asked; \"\": none")
	f.StringVar(&o.from, "from", "", "read the figures from this file, which --json has written, instead of measuring")
	f.StringVar(&o.md, "md", "", "write the tables to this file instead of standard output")
	f.StringVar(&o.json, "json", "", "write the figures to this file")
	f.StringVar(&o.svg, "svg", "", "draw accuracy and cost to this file")
	if err := f.Parse(args); err != nil {
		return err
	}
	for _, text := range strings.Split(*budgets, ",") {
		b, err := strconv.Atoi(text)
		if err != nil || b < 1 {
			return fmt.Errorf("--budgets %q: %q is no number of calls", *budgets, text)
		}
		o.budgets = append(o.budgets, b)
	}
	if o.teams < 1 || o.questions < 1 || o.workers < 1 {
		return errors.New("--teams, --questions and --workers have to be positive")
	}
	return o.report(ctx, stdout)
}
