package main

import (
	"fmt"
	"strings"
)

// markdown is the report: for each table the medians, the ratio to the bus
// (how many times as long the other takes) and the spread.
func (r *result) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The bus against its rivals\n\n%s", r.Environment)
	b.WriteString("\nNot to be had from the module proxy: kelindar/event, mustafaturan/bus, olebedev/emitter, leandro-lugaresi/hub.\n")
	for _, t := range r.Tables {
		t.markdown(&b)
	}
	b.WriteString("\n## history, expiry, conflict\n\n| | goal | median | spread |\n| --- | ---: | ---: | ---: |\n")
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "| %s | %s | %s | %s–%s |\n", f.Name, f.Goal, amount(f.Cell.Median, f.Unit), amount(f.Cell.Least, f.Unit), amount(f.Cell.Most, f.Unit))
	}
	return b.String()
}

func (t *measuredTable) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n|", t.Title)
	if t.Base != "" {
		t.differences(b)
		return
	}
	for _, n := range t.Readers {
		fmt.Fprintf(b, " | %d", n)
	}
	b.WriteString(" | what it does not do |\n| --- |")
	b.WriteString(strings.Repeat(" ---: |", len(t.Readers)))
	b.WriteString(" --- |\n")
	ours := t.ours()
	for _, r := range t.Rows {
		fmt.Fprintf(b, "| %s", r.Name)
		for i, c := range r.Cells {
			b.WriteString(" | " + c.markdown(ours[i]))
		}
		fmt.Fprintf(b, " | %s |\n", r.Lacks)
	}
	b.WriteString("\nMedian, (least–most), and how many times as long as swarmbus it takes.\n")
}

// differences is a table of one column.
func (t *measuredTable) differences(b *strings.Builder) {
	b.WriteString(" | median (least–most) | difference | |\n| --- | ---: | ---: | --- |\n")
	base := t.ours()[0]
	for _, r := range t.Rows {
		c, difference := r.Cells[0], ""
		if !r.Floor && r.Name != t.Base {
			difference = fmt.Sprintf("%+.0f", c.Least-base.Least)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.Name, c.markdown(c), difference, r.Lacks)
	}
	b.WriteString("\nThe difference is that of the least times, which other work on the machine disturbs least.\n")
}

func (t *measuredTable) ours() []cell {
	for _, r := range t.Rows {
		if r.Name == "swarmbus" {
			return r.Cells
		}
	}
	return make([]cell, len(t.Readers))
}

func (c cell) markdown(ours cell) string {
	if c.Median == 0 {
		return "–"
	}
	text := fmt.Sprintf("%.3g (%.3g–%.3g)", c.Median, c.Least, c.Most)
	if ours.Median > 0 && ours != c {
		text += fmt.Sprintf(" ×%.2f", c.Median/ours.Median)
	}
	return text
}

func amount(v float64, unit string) string {
	switch {
	case unit != "ns":
		return fmt.Sprintf("%.3g %s", v, unit)
	case v >= 1e6:
		return fmt.Sprintf("%.3g ms", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.3g µs", v/1e3)
	}
	return fmt.Sprintf("%.3g ns", v)
}
