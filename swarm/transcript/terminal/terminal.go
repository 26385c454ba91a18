// Package terminal detects the best options for a transcript from its
// destination. It is a separate package so that only programs that need it have
// its dependencies.
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

// Options returns suitable options for w. For a terminal these are its width,
// and colour if it supports that, unless env, such as os.Environ(), says
// otherwise (NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM). For other writers, such as a
// file or a pipe, no line is cut.
func Options(w io.Writer, env []string) *transcript.Options {
	o := &transcript.Options{Color: colorprofile.Detect(w, env) >= colorprofile.ANSI, Width: -1}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = max(0, width)
		}
	}
	return o
}
