// Journal measures the journal beside a bare file, in one run and on one disk:
//
//	go run ./benchmarks/journal [-rounds 5] [-dir DIR]
//
// Contenders take turns in every round, and the median round counts, so that
// the ratios mean something on a machine that does other things as well.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 5, "rounds, of which the median counts")
	dir := flag.String("dir", ".", "directory on the disk to measure")
	scale := flag.Float64("scale", 1, "how much of the work to do")
	flag.Parse()
	if err := run(os.Stdout, *dir, *rounds, *scale); err != nil {
		fmt.Fprintln(os.Stderr, "journal:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, dir string, rounds int, scale float64) error {
	dir, err := os.MkdirTemp(dir, ".journal")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in a directory of its own
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "what\tcontender\ta second\teach\tof the first\n")
	for _, m := range measures(scale) {
		costs, err := m.run(dir, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for i, c := range m.contenders {
			fmt.Fprintf(out, "%s\t%s\t%.0f\t%v\t%.2f\n", m.name, c.name, 1e9/costs[i], round(costs[i]), costs[0]/costs[i])
		}
	}
	return out.Flush()
}

func round(ns float64) time.Duration {
	d := time.Duration(ns)
	if d > 10*time.Microsecond {
		return d.Round(time.Microsecond / 10)
	}
	return d
}

// A measure compares contenders at one operation.
type measure struct {
	name       string
	contenders []contender
}

// A contender repeats an operation n times in an empty directory, and returns
// how long that took.
type contender struct {
	name string
	n    int
	do   func(ctx context.Context, dir string, n int) (time.Duration, error)
}
