package cli

import (
	"cmp"
	"io"
	"os"
	"strconv"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// LookOf is how transcripts look on w, with lines of that width if there is one. On a terminal
// they are as wide as it is, and have colour if it supports that, unless env, such as
// os.Environ(), says otherwise (NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM). On other writers,
// such as a file or a pipe, no line is cut. COLUMNS is the width of a terminal that does not tell.
func LookOf(w io.Writer, env []string, width int) *transcript.Options {
	if o, is := w.(*output); is {
		w = o.w
	}
	o := &transcript.Options{Color: colorprofile.Detect(w, env) >= colorprofile.ANSI, Width: -1}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = max(0, width)
			if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width <= 0 {
				o.Width = max(0, columns)
			}
		}
	}
	o.Width = cmp.Or(width, o.Width)
	return o
}

// Redraws reports whether a file is a terminal on which a line can be drawn anew.
func Redraws(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }
