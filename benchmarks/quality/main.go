// Quality scores every strategy, the learned one and published methods on sets of votes with a known truth.
//
//	go run ./benchmarks/quality                              # the sets in benchmarks/data/votes
//	go run ./benchmarks/quality --data DIR --md FILE --json FILE --svg DIR
//
// A set is a directory with votes.csv (task, voter, label and, where it has them, confidence and group) and
// truth.csv (task, label). Its set.json, {"labels":"shared"} or {"labels":"own"}, says whether labels mean the same in
// every task. docs/measurements.md explains the measures and what was learned from them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

type options struct {
	data, json, md, svg string
	sets, methods       string
	parts               string
	draws, resamples    int
	workers             int
	seed                uint64
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func flags(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("quality", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "benchmarks/data/votes", "directory of sets")
	f.StringVar(&o.json, "json", "", "write the figures to this `file`")
	f.StringVar(&o.md, "md", "", "write the tables to this `file` instead of standard output")
	f.StringVar(&o.svg, "svg", "", "write charts to this `directory`")
	f.StringVar(&o.sets, "sets", "", "only these sets, separated by commas")
	f.StringVar(&o.methods, "methods", "", "only these methods, separated by commas")
	f.StringVar(&o.parts, "parts", "batch,known,stream,attack", "what to measure")
	f.IntVar(&o.draws, "draws", 3, "draws of known outcomes, and orders of streams, averaged over")
	f.IntVar(&o.resamples, "resamples", 200, "of the bootstrap; 0: no intervals")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "how many sets to measure at once; results do not depend on it")
	f.Uint64Var(&o.seed, "seed", 1, "of every draw")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	for _, part := range strings.Split(o.parts, ",") {
		if !slices.Contains([]string{"batch", "known", "stream", "attack"}, part) {
			return nil, fmt.Errorf("no part %q: there are batch, known, stream and attack", part)
		}
	}
	if o.draws < 1 || o.workers < 1 || o.resamples < 0 {
		return nil, fmt.Errorf("%d draws, %d workers and %d resamples make no sense", o.draws, o.workers, o.resamples)
	}
	return o, nil
}

func run(args []string, stdout, stderr io.Writer) error {
	o, err := flags(args, stderr)
	if err != nil {
		return err
	}
	sets, err := load(os.DirFS(o.data))
	if err != nil {
		return err
	}
	sets = slices.DeleteFunc(sets, func(s *set) bool { return !chosen(o.sets, s.name) })
	if len(sets) == 0 {
		return fmt.Errorf("no set in %s", o.data)
	}
	r := newPlan(o, sets).run(stderr)
	r.Command = "go run ./benchmarks/quality " + strings.Join(shown(args), " ")
	if err := r.write(o, stdout); err != nil {
		return err
	}
	return nil
}

// shown leaves out where files are written and what changes no figure.
func shown(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if slices.Contains([]string{"json", "md", "svg", "workers"}, name) {
			if !joined {
				i++
			}
			continue
		}
		kept = append(kept, args[i])
	}
	return kept
}

// chosen reports whether a list names it; an empty one names all.
func chosen(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}
