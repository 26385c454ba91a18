package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// results are all figures. Anew is the same with worlds drawn anew, of which nothing was
// seen when the modes were written.
type results struct {
	Teams, Questions int
	Rows, Anew       []row
	Goals, GoalsAnew []goal
	Replays          []replayed
}

// anew is added to the seed for the worlds that are drawn anew.
const anew = 1 << 20

// results measures everything, or as much as there is time for.
func (o *options) results(ctx context.Context) (all results, err error) {
	all.Teams = o.teams
	if all.Rows, all.Anew, all.Questions, err = o.measure(ctx); err != nil {
		return all, err
	}
	few := o.budgets[:min(2, len(o.budgets))]
	all.Goals, all.GoalsAnew = goals(all.Rows, few), goals(all.Anew, few)
	if o.data != "" {
		all.Replays, err = o.replays()
	}
	return all, err
}

// saved reads the output of an earlier run.
func (o *options) saved(context.Context) (all results, err error) {
	text, err := os.ReadFile(o.from)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

func (o *options) report(ctx context.Context, stdout io.Writer) error {
	measured := o.results
	if o.from != "" {
		measured = o.saved
	}
	all, err := measured(ctx)
	if err != nil {
		return err
	}
	if o.json != "" {
		text, err := json.MarshalIndent(all, "", "\t")
		if err == nil {
			err = os.WriteFile(o.json, append(text, '\n'), 0o644)
		}
		if err != nil {
			return err
		}
	}
	if o.svg != "" {
		if err := chart(o.svg, all.Rows); err != nil {
			return err
		}
	}
	text := all.text(budgetsOf(all.Rows))
	if o.md == "" {
		_, err = io.WriteString(stdout, text)
		return err
	}
	return os.WriteFile(o.md, []byte(text), 0o644)
}

// find returns the row of a contender in a world.
func find(rows []row, world, by string, budget int) *row {
	for i := range rows {
		if r := &rows[i]; r.World == world && r.By == by && r.Budget == budget {
			return r
		}
	}
	return &row{}
}

func (all *results) text(budgets []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# What pays in a swarm

Written by `+"`go run ./benchmarks/swarms`"+`: planted agents that answer through swarm, bus and ledger. %d teams of
each world with parameters drawn from its ranges, %d questions each, the same ones for every contender. Accuracy in %%:
the right answer leads; ± is half of the interval of 95 %% over teams. A call costs 1, reading a message of another agent
0.25, and one's own history 0.25 a round. "Beyond" are contenders that may cost more than the budget, and are no rivals
for the goals. The worlds and their parameters are those of the sources that are named at the end.
`, all.Teams, all.Questions)
	for _, budget := range budgets {
		table(&b, fmt.Sprintf("Accuracy, budget of %d calls", budget), all.Rows, budget, func(r *row) string { return fmt.Sprintf("%.1f ±%.1f", r.Accuracy, r.Interval) })
		table(&b, fmt.Sprintf("Cost in calls, budget of %d", budget), all.Rows, budget, func(r *row) string { return fmt.Sprintf("%.1f", r.Cost) })
	}
	middle := budgets[min(1, len(budgets)-1)]
	table(&b, fmt.Sprintf("Wrong decisions and none, in %%, budget of %d", middle), all.Rows, middle, func(r *row) string { return fmt.Sprintf("%.0f, %.0f", r.Wrong, r.Open) })
	table(&b, fmt.Sprintf("Distance of confidence and share right (ECE, in points), of the decided, budget of %d", middle), all.Rows, middle, func(r *row) string { return fmt.Sprintf("%.0f", r.ECE) })
	fmt.Fprint(&b, "\n## Goals\n\n| goal | wanted | these worlds | drawn anew |\n| --- | ---: | ---: | ---: |\n")
	for i, g := range all.Goals {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", g.What, g.Want, g.is(), all.GoalsAnew[i].is())
	}
	fmt.Fprint(&b, "\n## Worlds drawn anew\n")
	table(&b, fmt.Sprintf("Accuracy in worlds drawn anew, budget of %d calls", middle), all.Anew, middle, func(r *row) string { return fmt.Sprintf("%.1f ±%.1f", r.Accuracy, r.Interval) })
	all.replayed(&b)
	fmt.Fprint(&b, sources)
	return b.String()
}

func table(b *strings.Builder, title string, rows []row, budget int, cell func(*row) string) {
	fmt.Fprintf(b, "\n## %s\n\n| |", title)
	for _, w := range worlds {
		fmt.Fprintf(b, " %s |", w.name)
	}
	fmt.Fprintf(b, "\n| --- |%s\n", strings.Repeat(" ---: |", len(worlds)))
	for _, c := range contenders {
		name := c.name
		if c.beyond {
			name += " (beyond)"
		}
		fmt.Fprintf(b, "| %s |", name)
		for _, w := range worlds {
			fmt.Fprintf(b, " %s |", cell(find(rows, w.name, c.name, budget)))
		}
		fmt.Fprintln(b)
	}
}

// chart draws accuracy by cost, one point for each contender, over all worlds.
func chart(file string, rows []row) error {
	p := plot.New()
	p.Title.Text = "Accuracy by cost, mean over worlds, one point for each budget"
	p.X.Label.Text, p.Y.Label.Text = "calls", "%"
	p.Add(plotter.NewGrid())
	p.Legend.Top = false
	for i, c := range contenders {
		var points plotter.XYs
		by := map[int][]*row{}
		for j := range rows {
			if rows[j].By == c.name {
				by[rows[j].Budget] = append(by[rows[j].Budget], &rows[j])
			}
		}
		for _, b := range budgetsOf(rows) {
			at := plotter.XY{}
			for _, r := range by[b] {
				at.X += r.Cost / float64(len(by[b]))
				at.Y += r.Accuracy / float64(len(by[b]))
			}
			points = append(points, at)
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, dots.Color, dots.Shape = colorOf(i), colorOf(i), shape(i)
		p.Add(line, dots)
		p.Legend.Add(c.name, line, dots)
	}
	return p.Save(10*vg.Inch, 6*vg.Inch, file)
}

const sources = `
## Where the parameters come from

Accuracy .55 to .80 and wrong answers that two models share in .42 to .66 of the cases in which both err: Correlated
Errors (arXiv 2506.07962). Conformity .3, and .85 for one small model: 2606.00820 and 2605.00914. A right answer persuades
hardly better than a wrong one: 2508.17536. No gain by checking oneself: 2310.01798. Hidden profiles: HiddenBench,
2505.11556. Proofs recognised and invalid arguments accepted: Khan et al. and 2606.00820. Persuasion by hostile agents:
Scientific Reports 2026, s41598-026-42705-7. Stated confidence: 2306.13063. Most figures are those of abstracts. All
agents are planted: what models do with these modes has to be measured with models.
`
