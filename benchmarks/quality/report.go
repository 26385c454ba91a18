package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// write writes all requested outputs.
func (r *results) write(o *options, stdout io.Writer) error {
	if o.json != "" {
		text, err := json.MarshalIndent(r, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.json, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if o.svg != "" {
		if err := r.charts(o.svg); err != nil {
			return err
		}
	}
	text := r.markdown()
	if o.md == "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	return os.WriteFile(o.md, []byte(text), 0o644)
}

func (r *results) markdown() string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "# Decision quality\n\nWritten by `%s`. docs/measurements.md explains the measures.\n", strings.TrimSpace(r.Command))
	r.setTable(b)
	for _, known := range knownShares {
		r.batchTables(b, known)
	}
	r.streamTables(b)
	r.attackTables(b)
	r.publishedTable(b)
	return b.String()
}

func (r *results) setTable(b io.Writer) {
	fmt.Fprint(b, "\n| set | tasks | voters | votes | labels |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, s := range r.Sets {
		own := ""
		if s.Own {
			own = ", each task's own"
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d%s |\n", s.Name, s.Tasks, s.Voters, s.Votes, s.Labels, own)
	}
}

// names are the methods that were measured.
func (r *results) names() []string {
	var names []string
	for _, m := range methods() {
		if slices.ContainsFunc(r.Batch, func(x batchRow) bool { return x.Method == m.name }) {
			names = append(names, m.name)
		}
	}
	return names
}

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

func (r *results) batchTables(b io.Writer, known float64) {
	if !slices.ContainsFunc(r.Batch, func(x batchRow) bool { return x.Known == known }) {
		return
	}
	title := "No known outcome"
	if known > 0 {
		title = fmt.Sprintf("%.0f %% known outcomes, scored on the others", 100*known)
	}
	fmt.Fprintf(b, "\n## %s\n\nAccuracy in %% by set; of k labels that tie for the lead each counts 1/k.\n\n| method |", title)
	for _, s := range r.Sets {
		fmt.Fprintf(b, " %s |", s.Name)
	}
	fmt.Fprintf(b, "\n| --- |%s\n", strings.Repeat(" ---: |", len(r.Sets)))
	for _, name := range r.names() {
		fmt.Fprintf(b, "| %s |", name)
		for _, s := range r.Sets {
			m, _ := r.row(s.Name, name, known)
			fmt.Fprintf(b, " %s |", percent(m.Accuracy))
		}
		fmt.Fprintln(b)
	}
	for _, g := range []string{"all", groups[0].name, groups[1].name} {
		r.groupTable(b, g, known)
	}
}

func (r *results) groupTable(b io.Writer, group string, known float64) {
	names := r.names()
	_, n := r.group(group, names[0], known)
	if _, all := r.group("all", names[0], known); n == 0 || group != "all" && n == all {
		return
	}
	fmt.Fprintf(b, "\nMean over %d sets (%s), 95 %% intervals by bootstrap over tasks:\n\n", n, group)
	fmt.Fprint(b, "| method | accuracy % | F1, binary sets | Brier | log-loss | ECE % | sure of (≥ 0.95) % | right there % |\n")
	fmt.Fprint(b, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, name := range names {
		m, _ := r.group(group, name, known)
		fmt.Fprintf(
			b, "| %s | %s (%s–%s) | %s | %.3f | %.3f | %s (%s–%s) | %s | %s |\n", name,
			percent(m.Accuracy), percent(m.Low), percent(m.High), r.f1(group, name, known), m.Brier, m.LogLoss,
			percent(m.ECE), percent(m.ECELow), percent(m.ECEHigh), percent(m.Sure), percent(m.RightThere),
		)
	}
}

// f1 is the mean over the group's binary sets.
func (r *results) f1(group, name string, known float64) string {
	sum, n := 0.0, 0.0
	for _, s := range r.Sets {
		if m, ok := r.row(s.Name, name, known); ok && s.Labels == 2 && r.in(group, s.Name) {
			sum += m.F1
			n++
		}
	}
	if n == 0 {
		return "–"
	}
	return percent(sum / n)
}

func (r *results) streamTables(b io.Writer) {
	if len(r.Streams) == 0 {
		return
	}
	fmt.Fprint(b, "\n## Streaming\n\nTasks come one after the other, votes one by one, until a method stops; means over the drawn orders.\n\n")
	fmt.Fprint(b, "| set | known % | method | votes % | a task | accuracy % | majority of all % | confidence − accuracy |\n")
	fmt.Fprint(b, "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, x := range r.Streams {
		fmt.Fprintf(
			b, "| %s | %.0f | %s | %s | %.1f | %s | %s | %+.1f |\n", x.Set, 100*x.Known, x.Engine,
			percent(x.Votes), x.PerTask, percent(x.Accuracy), percent(x.Majority), 100*x.Gap,
		)
	}
	for _, g := range []string{"all", groups[0].name, groups[1].name} {
		r.streamMeans(b, g)
	}
}

func (r *results) streamMeans(b io.Writer, group string) {
	type key struct {
		engine string
		known  float64
	}
	var keys []key
	sums := map[key]streamed{}
	n := map[key]float64{}
	for _, x := range r.Streams {
		k := key{x.Engine, x.Known}
		if !r.in(group, x.Set) {
			continue
		}
		if n[k] == 0 {
			keys = append(keys, k)
		}
		s := sums[k]
		s.Votes, s.PerTask = s.Votes+x.Votes, s.PerTask+x.PerTask
		s.Accuracy, s.Majority, s.Gap = s.Accuracy+x.Accuracy, s.Majority+x.Majority, s.Gap+math.Abs(x.Gap)
		sums[k], n[k] = s, n[k]+1
	}
	if len(keys) == 0 {
		return
	}
	fmt.Fprintf(b, "\nMean over %.0f sets (%s); the gap without sign:\n\n", n[keys[0]], group)
	fmt.Fprint(b, "| method | known % | votes % | a task | accuracy % | majority of all % | gap |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, k := range keys {
		s, d := sums[k], n[k]
		fmt.Fprintf(
			b, "| %s | %.0f | %s | %.1f | %s | %s | %.1f |\n", k.engine, 100*k.known, percent(s.Votes/d), s.PerTask/d,
			percent(s.Accuracy/d), percent(s.Majority/d), 100*s.Gap/d,
		)
	}
}

func (r *results) attackTables(b io.Writer) {
	if len(r.Attacks) == 0 {
		return
	}
	fmt.Fprint(b, "\n## Under attack\n\nOn the tasks under attack: accuracy in %, and in brackets the share wrong with a confidence of at least\n")
	fmt.Fprint(b, "0.95; ? where there is no certificate, so that nothing is decided.\n\n| set | attack | majority | dawid-skene | learned |\n| --- | --- | ---: | ---: | ---: |\n")
	for at := 0; at+2 < len(r.Attacks); at += 3 {
		x := r.Attacks[at : at+3] // dawid-skene, learned, majority
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", x[0].Set, x[0].Attack, x[2].attacked, x[0].attacked, x[1].attacked)
	}
	fmt.Fprint(b, "\nMeans:\n\n| attack | sets | majority | dawid-skene | learned | without certificate |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, a := range attacks {
		for _, g := range []string{"all", groups[0].name, groups[1].name} {
			r.attackMeans(b, a.name, g)
		}
	}
}

func (x attacked) String() string {
	if !x.Certified {
		return percent(x.Accuracy) + " ?"
	}
	return fmt.Sprintf("%s (%s)", percent(x.Accuracy), percent(x.WrongSure))
}

func (r *results) attackMeans(b io.Writer, name, group string) {
	sums, n, refused := map[string]attacked{}, 0.0, 0
	for _, x := range r.Attacks {
		if x.Attack != name || !r.in(group, x.Set) {
			continue
		}
		s := sums[x.Method]
		s.Accuracy, s.WrongSure, s.Certified = s.Accuracy+x.Accuracy, s.WrongSure+x.WrongSure, true
		sums[x.Method] = s
		if x.Method == "learned" {
			n++
			if !x.Certified {
				refused++
			}
		}
	}
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | %s |", name, group)
	for _, method := range []string{"majority", "dawid-skene", "learned"} {
		s := sums[method]
		fmt.Fprintf(b, " %s (%s) |", percent(s.Accuracy/n), percent(s.WrongSure/n))
	}
	fmt.Fprintf(b, " %d of %.0f |\n", refused, n)
}

func (r *results) publishedTable(b io.Writer) {
	var lines []string
	within, all := 0, 0
	for _, name := range r.names() {
		for _, s := range r.Sets {
			want, ok := published[name][s.Name]
			m, measured := r.row(s.Name, name, 0)
			if !ok || !measured {
				continue
			}
			all++
			if math.Abs(100*m.Accuracy-want) <= 0.55 {
				within++
				continue
			}
			lines = append(lines, fmt.Sprintf("| %s | %s | %s | %.1f |", name, s.Name, percent(m.Accuracy), want))
		}
	}
	if all == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Against known figures\n\nOur implementations of other methods agree within 0.5 points with %d of %d known accuracies.", within, all)
	if len(lines) > 0 {
		fmt.Fprintf(b, " The others:\n\n| method | set | here | known |\n| --- | --- | ---: | ---: |\n%s\n", strings.Join(lines, "\n"))
		return
	}
	fmt.Fprintln(b)
}
