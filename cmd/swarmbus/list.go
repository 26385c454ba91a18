package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// A list says how a command prints what it lists or reports: as a table, as JSON with an object on
// each line, or as names alone.
type list struct {
	json, bare, quiet bool
}

// report defines the flag of a command that says one thing.
func (l *list) report(flags *pflag.FlagSet) {
	flags.BoolVar(&l.json, "json", false, "print JSON, one object per line")
}

// columns defines the flags of a command that prints a table.
func (l *list) columns(flags *pflag.FlagSet) {
	l.report(flags)
	flags.BoolVar(&l.bare, "no-headers", false, "print no line of titles")
}

// define defines the flags of a command that lists what has a name.
func (l *list) define(flags *pflag.FlagSet) {
	l.columns(flags)
	flags.BoolVarP(&l.quiet, "quiet", "q", false, "print names alone, one per line")
}

func (l *list) check() error {
	if l.json && l.quiet {
		return usage(errors.New("--json and --quiet exclude each other"))
	}
	return nil
}

// A table is a list for people: a row begins with the name of what it is about, and has a cell below
// each title. Without titles it is lines that are never cut.
type table struct {
	titles []string
	rows   [][]string
	right  bool // cells are aligned at their ends
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// printList prints values as JSON, or the table of them.
func printList[T any](w io.Writer, l *list, all []T, t *table) error {
	if l.json {
		return encode(w, all)
	}
	return t.print(w, l)
}

// print prints the table. On a terminal its lines are cut to the width of that; elsewhere they are
// whole.
func (t *table) print(w io.Writer, l *list) error {
	_, err := io.WriteString(w, t.lines(l, lookOf(w, os.Environ(), 0).Width))
	return err
}

// lines returns the table in lines of at most so many columns; below 1: of any.
func (t *table) lines(l *list, most int) string {
	rows := slices.Clone(t.rows)
	switch {
	case l.quiet:
		for i := range rows {
			rows[i] = rows[i][:1]
		}
	case len(rows) > 0 && t.titles != nil && !l.bare:
		rows = slices.Insert(rows, 0, t.titles)
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = text.Printable(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displaywidth.String(row[i]))
		}
	}
	var all strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-displaywidth.String(cell))
			switch {
			case t.right:
				line += "  " + pad + cell
			case i < len(row)-1:
				line += cell + pad + "  "
			default:
				line += cell
			}
		}
		if most > 0 && t.titles != nil {
			line = transcript.Cut(line, most)
		}
		all.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return all.String()
}

// encode prints values as JSON, one object per line.
func encode[T any](w io.Writer, all []T) error {
	out := json.NewEncoder(printable{w})
	for _, x := range all {
		if err := out.Encode(x); err != nil {
			return err
		}
	}
	return nil
}

// stamp is how a time is printed: as in JSON, in the zone of this machine.
func stamp(at time.Time) string { return at.Local().Format(time.RFC3339) }
