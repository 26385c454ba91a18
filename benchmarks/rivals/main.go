package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	asJSON := flag.String("json", "", "write the results as JSON to this file")
	asMD := flag.String("md", "", "write the results as Markdown to this file")
	asSVG := flag.String("svg", "", "write the results as a chart to this file")
	rounds := flag.Int("rounds", 5, "measure everything this often")
	long := flag.Duration("time", 60*time.Millisecond, "measure for about this long each time")
	flag.Parse()
	r, err := run(*rounds, *long)
	if err == nil {
		err = r.write(*asJSON, *asMD, *asSVG)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A result has all measurements, in the order of the tables.
type result struct {
	Environment string
	Tables      []measuredTable
	Figures     []measuredFigure
}

type measuredTable struct {
	Title   string
	Readers []int
	Base    string // the row that others differ from; "": ratios
	Rows    []row
}

type row struct {
	Name, Lacks string
	Floor       bool
	Cells       []cell // one for each number of readers
}

type measuredFigure struct {
	Name, Goal, Unit string
	Cell             cell
}

// A cell is a median with its spread; zero when not measured.
type cell struct{ Median, Least, Most float64 }

func run(rounds int, long time.Duration) (*result, error) {
	r := &result{Environment: environment()}
	// First, while the heap is fresh: after the rivals a million signals lie in
	// small pages, and going through them takes up to seven times as long.
	for _, f := range figures() {
		once, err := f.prepare()
		if err != nil {
			return nil, err
		}
		var times []float64
		for range max(rounds, 5) {
			times = append(times, once())
		}
		r.Figures = append(r.Figures, measuredFigure{f.Name, f.Goal, f.Unit, summary(times)})
		progress(f.Name)
	}
	for _, t := range []table{inline(), queued(), promises()} {
		m, err := runTable(t, rounds, long)
		if err != nil {
			return nil, err
		}
		r.Tables = append(r.Tables, m)
	}
	return r, nil
}

// runTable lets the contenders take turns, so that other load on the machine
// disturbs all of them alike.
func runTable(t table, rounds int, long time.Duration) (measuredTable, error) {
	m := measuredTable{Title: t.Title, Readers: t.Readers, Base: t.Base}
	for i, c := range t.Contenders {
		m.Rows = append(m.Rows, row{Name: c.Name, Lacks: c.Lacks, Floor: i < t.Floors, Cells: make([]cell, len(t.Readers))})
	}
	for k, readers := range t.Readers {
		times := make([][]float64, len(t.Contenders))
		for range rounds {
			for i, c := range t.Contenders {
				if c.most > 0 && readers > c.most {
					continue
				}
				runtime.GC()
				ns, err := measure(c, max(readers, c.readers), long)
				if err != nil {
					return m, fmt.Errorf("%s: %w", c.Name, err)
				}
				times[i] = append(times[i], ns)
			}
		}
		for i := range times {
			m.Rows[i].Cells[k] = summary(times[i])
		}
		progress(fmt.Sprint(t.Title, ", ", readers))
	}
	return m, nil
}

func progress(what string) { fmt.Fprintln(os.Stderr, "measured:", what) }

func summary(times []float64) cell {
	if len(times) == 0 {
		return cell{}
	}
	return cell{quantile(times, 0.5), slices.Min(times), slices.Max(times)}
}

func quantile(times []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[int(q*float64(len(sorted)-1))]
}

func environment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				fmt.Fprintf(&b, ", %s", strings.TrimSpace(strings.TrimLeft(name, "\t :")))
				break
			}
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Fprintf(&b, ", load %s", strings.Join(strings.Fields(string(load))[:3], " "))
	}
	fmt.Fprintf(&b, ", %s\n", time.Now().UTC().Format(time.DateOnly))
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			switch d.Path {
			case "github.com/asaskevich/EventBus", "github.com/cskr/pubsub/v2", "github.com/ThreeDotsLabs/watermill",
				"github.com/nats-io/nats-server/v2", "tailscale.com":
				fmt.Fprintf(&b, "- %s %s\n", d.Path, d.Version)
			}
		}
	}
	return b.String()
}

func (r *result) write(asJSON, asMD, asSVG string) error {
	md := r.markdown()
	fmt.Print(md)
	if asMD != "" {
		if err := os.WriteFile(asMD, []byte(md), 0o644); err != nil {
			return err
		}
	}
	if asJSON != "" {
		data, err := json.MarshalIndent(r, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(asJSON, append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	if asSVG != "" {
		return r.chart(asSVG)
	}
	return nil
}
