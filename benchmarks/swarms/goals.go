package main

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg/draw"
)

func shape(i int) draw.GlyphDrawer { return plotutil.Shape(i) }
func colorOf(i int) color.Color    { return plotutil.Color(i) }

// A goal is a figure with its target.
type goal struct {
	What, Want string
	Figure     float64
	Met        bool
	Note       string
}

func (g goal) is() string {
	verdict := "missed"
	if g.Met {
		verdict = "met"
	}
	text := fmt.Sprintf("%.3g, %s", g.Figure, verdict)
	if g.Note != "" {
		text += " (" + g.Note + ")"
	}
	return text
}

func budgetsOf(rows []row) (all []int) {
	for _, r := range rows {
		if !slices.Contains(all, r.Budget) {
			all = append(all, r.Budget)
		}
	}
	return all
}

// goals compares the rows with the targets, at the first two budgets.
func goals(rows []row, budgets []int) []goal {
	if len(budgets) > 2 {
		budgets = budgets[:2]
	}
	low, high := budgets[0], budgets[len(budgets)-1]
	return []goal{
		worst(rows, budgets), near(rows, budgets),
		gain(rows, budgets, learned, 7), gain(rows, budgets, choosing, 3),
		cheap(rows, high),
		atLeast(rows, "W3 facts apart, complementary", choosing, high, 90), atLeast(rows, "W3 facts apart, hidden", choosing, high, 80),
		over(rows, "W4 rotating expert, proofs", choosing, high, 20),
		over(rows, "W5 fixed expert, no proofs", learned, high, 24), over(rows, "W7 three hostile of nine", learned, high, 24),
		talk(rows, low),
	}
}

// worst is the most that auto is below a plain vote in any world.
func worst(rows []row, budgets []int) goal {
	g := goal{What: "Auto below plain Vote, in any world, points", Want: "≤ 1.0", Figure: -100}
	each(budgets, func(budget int, w string) {
		for _, by := range []string{choosing, learned} {
			if d := find(rows, w, plain, budget).Accuracy - find(rows, w, by, budget).Accuracy; d > g.Figure {
				g.Figure, g.Note = d, fmt.Sprintf("%s, %s, budget %d", by, w, budget)
			}
		}
	})
	g.Met = g.Figure <= 1
	return g
}

func each(budgets []int, f func(budget int, world string)) {
	for _, b := range budgets {
		for _, w := range worlds {
			f(b, w.name)
		}
	}
}

// best returns the accuracy of the best contender that keeps to the budget, of those that
// know as many outcomes at most.
func best(rows []row, w string, budget, known int) (accuracy float64, by string) {
	for _, c := range contenders {
		if c.beyond || c.known > known || strings.HasPrefix(c.name, choosing) {
			continue
		}
		if r := find(rows, w, c.name, budget); r.Accuracy > accuracy {
			accuracy, by = r.Accuracy, c.name
		}
	}
	return accuracy, by
}

func near(rows []row, budgets []int) goal {
	g := goal{What: "Auto, 40 outcomes, within 2.5 points of the best protocol, % of worlds", Want: "≥ 85"}
	n := 0.0
	each(budgets, func(budget int, w string) {
		n++
		top, by := best(rows, w, budget, 40)
		if top-find(rows, w, learned, budget).Accuracy <= 2.5 {
			g.Figure++
		} else {
			g.Note = strings.TrimPrefix(g.Note+fmt.Sprintf("; not %s, budget %d: %s %.1f", w, budget, by, top), "; ")
		}
	})
	g.Figure *= 100 / n
	g.Met = g.Figure >= 85
	return g
}

// gain is the accuracy of auto over that of a plain vote, over the worlds without the hidden profile.
func gain(rows []row, budgets []int, by string, want float64) goal {
	g := goal{What: by + ": mean gain over plain Vote without the hidden profile, points", Want: fmt.Sprintf("≥ %.0f", want)}
	n := 0.0
	each(budgets, func(budget int, w string) {
		if strings.HasSuffix(w, "hidden") {
			return
		}
		n++
		g.Figure += find(rows, w, by, budget).Accuracy - find(rows, w, plain, budget).Accuracy
	})
	g.Figure /= n
	g.Met = g.Figure >= want
	return g
}

// cheap is the cost of auto where talk does not pay.
func cheap(rows []row, budget int) goal {
	g := goal{What: fmt.Sprintf("Auto in W1, W2 and W8: most calls, %% of 15, for ≤ 0.8 points less than plain Vote (budget %d)", budget), Want: "≤ 65"}
	lost := -100.0
	for _, w := range []string{"W1 shared evidence", "W2 one small model", "W8 seven clones of nine"} {
		r := find(rows, w, choosing, budget)
		g.Figure = max(g.Figure, 100*r.Cost/15)
		lost = max(lost, find(rows, w, plain, budget).Accuracy-r.Accuracy)
	}
	g.Met, g.Note = g.Figure <= 65 && lost <= .8, fmt.Sprintf("at most %.1f points lost", lost)
	return g
}

func atLeast(rows []row, w, by string, budget int, want float64) goal {
	r := find(rows, w, by, budget)
	return goal{fmt.Sprintf("%s in %s, budget %d", by, w, budget), fmt.Sprintf("≥ %.0f", want), r.Accuracy, r.Accuracy >= want, fmt.Sprintf("%.1f calls", r.Cost)}
}

func over(rows []row, w, by string, budget int, want float64) goal {
	r := find(rows, w, by, budget)
	d := r.Accuracy - find(rows, w, plain, budget).Accuracy
	return goal{fmt.Sprintf("%s over plain Vote in %s, points, budget %d", by, w, budget), fmt.Sprintf("≥ %.0f", want), d, d >= want, fmt.Sprintf("%.1f calls", r.Cost)}
}

// talk compares the same team with and without a round of talk.
func talk(rows []row, budget int) goal {
	const w = "W1 shared evidence"
	d := find(rows, w, sameTeam, budget).Accuracy - find(rows, w, plain, budget).Accuracy
	return goal{"One round of talk of all on W1, against a vote of about as many: more means that agents leak the truth", "−2 to 2", d, max(d, -d) <= 2, ""}
}
