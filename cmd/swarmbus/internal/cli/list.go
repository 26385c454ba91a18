package cli

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

// A List says how a command prints what it lists or reports: as a table, as JSON with an object on
// each line, or as names alone.
type List struct {
	JSON, Bare, Quiet bool
}

// Report defines the flag of a command that says one thing.
func (l *List) Report(flags *pflag.FlagSet) {
	flags.BoolVar(&l.JSON, "json", false, "print JSON, one object per line")
}

// Columns defines the flags of a command that prints a table.
func (l *List) Columns(flags *pflag.FlagSet) {
	l.Report(flags)
	flags.BoolVar(&l.Bare, "no-headers", false, "print no line of titles")
}

// Define defines the flags of a command that lists what has a name.
func (l *List) Define(flags *pflag.FlagSet) {
	l.Columns(flags)
	flags.BoolVarP(&l.Quiet, "quiet", "q", false, "print names alone, one per line")
}

// Check finds wrong usage.
func (l *List) Check() error {
	if l.JSON && l.Quiet {
		return Usage(errors.New("--json and --quiet exclude each other"))
	}
	return nil
}

// A Table is a list for people: a row begins with the name of what it is about, and has a cell below
// each title. Without titles it is lines that are never cut.
type Table struct {
	Titles []string
	Rows   [][]string
	Right  bool // cells are aligned at their ends
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// PrintList prints values as JSON, or the table of them.
func PrintList[T any](w io.Writer, l *List, all []T, t *Table) error {
	if l.JSON {
		return Encode(w, all)
	}
	return t.Print(w, l)
}

// Print prints the table. On a terminal its lines are cut to the width of that; elsewhere they are
// whole.
func (t *Table) Print(w io.Writer, l *List) error {
	_, err := io.WriteString(w, t.Lines(l, LookOf(w, os.Environ(), 0).Width))
	return err
}

// Lines returns the table in lines of at most so many columns; below 1: of any.
func (t *Table) Lines(l *List, most int) string {
	rows := slices.Clone(t.Rows)
	switch {
	case l.Quiet:
		for i := range rows {
			rows[i] = rows[i][:1]
		}
	case len(rows) > 0 && t.Titles != nil && !l.Bare:
		rows = slices.Insert(rows, 0, t.Titles)
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
			case t.Right:
				line += "  " + pad + cell
			case i < len(row)-1:
				line += cell + pad + "  "
			default:
				line += cell
			}
		}
		if most > 0 && t.Titles != nil {
			line = transcript.Cut(line, most)
		}
		all.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return all.String()
}

// Encode prints values as JSON, one object per line.
func Encode[T any](w io.Writer, all []T) error {
	out := json.NewEncoder(Printable(w))
	for _, x := range all {
		if err := out.Encode(x); err != nil {
			return err
		}
	}
	return nil
}

// Stamp is how a time is printed: as in JSON, in the zone of this machine.
func Stamp(at time.Time) string { return at.Local().Format(time.RFC3339) }
