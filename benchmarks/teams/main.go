// Teams measures the decisions of small teams, task after task, each task decided before anything is learned from it.
//
//	go run ./benchmarks/teams                                  # planted teams, and teams of the sets at hand
//	go run ./benchmarks/teams --data DIR --md FILE --json FILE --svg FILE
//
// Planted are teams whose voters are right as often as is written beside them; drawn are random teams of 3, 5, 7 and 9
// voters of each set in which that many vote on nearly everything. A share of the outcomes is revealed after the
// decisions. docs/quality.md has the results.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

type options struct {
	data  string
	seeds int
	seed  uint64
	md    string
	json  string
	svg   string
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "teams:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	var o options
	f := flag.NewFlagSet("teams", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "benchmarks/data/votes", "directory of sets")
	f.IntVar(&o.seeds, "seeds", 6, "draws of every team, averaged over")
	f.Uint64Var(&o.seed, "seed", 1, "of every draw")
	f.StringVar(&o.md, "md", "", "write the tables to this file instead of standard output")
	f.StringVar(&o.json, "json", "", "write the figures to this file")
	f.StringVar(&o.svg, "svg", "", "draw worth by outcomes told and phase to this file")
	if err := f.Parse(args); err != nil {
		return err
	}
	if _, err := os.Stat(o.data); err != nil {
		return err
	}
	sets, err := load(os.DirFS(o.data))
	if err != nil {
		return err
	}
	rows := o.measure(sets)
	if o.json != "" {
		if err := writeJSON(o.json, rows); err != nil {
			return err
		}
	}
	if o.svg != "" {
		if err := chart(o.svg, rows); err != nil {
			return err
		}
	}
	if o.md == "" {
		return report(stdout, sets, rows)
	}
	file, err := os.Create(o.md)
	if err != nil {
		return err
	}
	if err := report(file, sets, rows); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
