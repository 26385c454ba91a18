package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/swarmbus/swarmbus/internal/votes"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// report writes the scores of all teams of a kind, and then the default's team by team in the last phase.
func report(w io.Writer, sets []*votes.Set, rows []row) error {
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	fmt.Fprintf(w, `# What small teams decide

Written by `+"`go run ./benchmarks/teams --data DIR`"+`; the drawn teams are of the sets in DIR with enough voters:
%s. Threshold 0.7; a team begins knowing nothing. Shares in %% of the tasks.
Worth is right less 7/3 of wrong: nothing for a guess that is right in 70 %%. ECE is the mean distance of
confidence and share right.
`, strings.Join(names, ", "))
	for _, kind := range []string{"planted", "drawn"} {
		fmt.Fprintf(w, "\n## All %s teams\n\n", kind)
		fmt.Fprint(w, "| outcomes told | decisions | by | right | wrong | open | leader right | worth | ECE |\n")
		fmt.Fprint(w, "| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
		for _, r := range rows {
			if r.Kind == kind && r.Team == "" && r.N > 0 {
				fmt.Fprintf(w, "| %.0f %% | %s | %s %s\n", 100*r.Told, r.Phase, r.Engine, r.cells())
			}
		}
	}
	fmt.Fprintf(w, "\n## The default, decisions %s, by team\n\n", phases[len(phases)-1].name)
	fmt.Fprint(w, "| team | outcomes told | right | wrong | open | leader right | worth | ECE |\n")
	_, err := fmt.Fprint(w, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range rows {
		if r.Team != "" && r.Engine == "default" && r.Phase == phases[len(phases)-1].name && r.N > 0 {
			_, err = fmt.Fprintf(w, "| %s | %.0f %% %s\n", r.Team, 100*r.Told, r.cells())
		}
	}
	return err
}

func (s *score) cells() string {
	n := s.N / 100
	return fmt.Sprintf("| %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |",
		s.Right/n, s.Wrong/n, 100-(s.Right+s.Wrong)/n, s.Leads/n, s.worth()/n, 100*s.ece())
}

func writeJSON(name string, rows []row) error {
	text, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// chart draws the default's worth in planted teams by phase, a line for each share of known outcomes.
func chart(name string, rows []row) error {
	p := plot.New()
	p.Title.Text = "Worth of what planted teams decide, by outcomes told"
	p.Y.Label.Text = "% of the tasks"
	var lines []any
	for _, share := range told {
		var at plotter.XYs
		for _, r := range rows {
			if r.Kind == "planted" && r.Team == "" && r.Told == share && r.Engine == "default" {
				at = append(at, plotter.XY{X: float64(len(at)), Y: 100 * r.worth() / r.N})
			}
		}
		lines = append(lines, fmt.Sprintf("%.0f %%", 100*share), at)
	}
	if err := plotutil.AddLinePoints(p, lines...); err != nil {
		return err
	}
	p.NominalX(phases[0].name, phases[1].name, phases[2].name)
	return p.Save(7*vg.Inch, 4*vg.Inch, name)
}
