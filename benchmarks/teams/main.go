// Teams measures what small teams decide, task after task, by the strategies that could be the default: teams
// of voters drawn from real votes with known truth, each task decided before anything is learned from it.
//
//	go run ./benchmarks/teams                          # the sets in benchmarks/data/votes
//	go run ./benchmarks/teams --data DIR --resolve 10  # tell the outcome of every tenth task
//
// docs/concepts.md says what it showed.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/swarmbus/swarmbus/internal/votes"
)

type options struct {
	data    string
	resolve int
	orders  int
	tasks   int
	seed    uint64
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "teams:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	var o options
	f := flag.NewFlagSet("teams", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "benchmarks/data/votes", "directory of sets")
	f.IntVar(&o.resolve, "resolve", 0, "tell what learns the outcome of every so manyth task; 0: none")
	f.IntVar(&o.orders, "orders", 4, "of tasks, with a team each, averaged over")
	f.IntVar(&o.tasks, "tasks", 1000, "at most, of a set")
	f.Uint64Var(&o.seed, "seed", 1, "of every draw")
	if err := f.Parse(args); err != nil {
		return err
	}
	sets, err := load(o.data)
	if err != nil {
		return err
	}
	header(stdout, &o)
	all := newRows()
	for _, form := range forms {
		for _, size := range []int{3, 5, 9, 15} {
			rows := measure(&o, form, size, sets)
			report(stdout, form.name, strconv.Itoa(size), rows)
			join(all, rows)
		}
	}
	report(stdout, "all", "all", all)
	return nil
}

func load(dir string) ([]*votes.Set, error) {
	found, err := votes.Find(os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	var sets []*votes.Set
	for _, name := range found {
		set, refused, err := votes.Read(os.DirFS(dir+"/"+name), name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(refused) > 0 {
			return nil, fmt.Errorf("%s: %w", name, refused[0])
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("no votes.csv in %s or in a directory of it", dir)
	}
	return sets, nil
}

func header(w io.Writer, o *options) {
	told := "no outcome is told"
	if o.resolve > 0 {
		told = fmt.Sprintf("the outcome of one task in %d is told", o.resolve)
	}
	fmt.Fprintf(w, `Means over sets, %d orders each, %s. leads: the leader is right, %%; decided: reached or
rejected, %%; right: of those, %%; worth: right less 7/3 of wrong, in %% of the tasks, which
is nothing for a guess that is right in 70 %%.

| votes | team | strategy |`, o.orders, told)
	for _, p := range phases {
		fmt.Fprintf(w, " %s: leads | decided | right | worth |", p.name)
	}
	fmt.Fprint(w, "\n| --- | ---: | --- |")
	for range phases {
		fmt.Fprint(w, " ---: | ---: | ---: | ---: |")
	}
	fmt.Fprintln(w)
}

func report(w io.Writer, form, size string, rows []row) {
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %s | %s |", form, size, r.strategy)
		for _, s := range r.phases {
			fmt.Fprintf(w, " %s | %s | %s | %s |", percent(s.leads), percent(s.decided), percent(s.right), percent(s.worth))
		}
		fmt.Fprintln(w)
	}
}

// percent writes a mean, and a dash where there was nothing.
func percent(m mean) string {
	if m.n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*m.value())
}
