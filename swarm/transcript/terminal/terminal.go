// Package terminal finds out how a transcript looks best where it is written
// to. It is a package of its own so that the programs that need it alone take in
// what it imports.
//
//	show := transcript.Text(os.Stdout, terminal.Options(os.Stdout, os.Environ()))
package terminal

import (
	"io"
	"os"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// Options returns what suits w: colour where it is a terminal that has colour,
// unless env, such as os.Environ(), says otherwise (NO_COLOR, CLICOLOR,
// CLICOLOR_FORCE, TERM), and the terminal's width. For anything else it is the
// defaults.
func Options(w io.Writer, env []string) *transcript.Options {
	o := &transcript.Options{Color: colorprofile.Detect(w, env) >= colorprofile.ANSI}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			o.Width = width
		}
	}
	return o
}
