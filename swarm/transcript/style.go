package transcript

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// A style is an escape sequence for text attributes (ECMA-48, select graphic
// rendition).
type style string

const (
	bold  style = "1"
	faint style = "2"
	red   style = "31"
	green style = "32"
	amber style = "33"
	blue  style = "34"
)

func (t *page) paint(s style, what string) string {
	if !t.color || what == "" {
		return what
	}
	return "\x1b[" + string(s) + "m" + what + "\x1b[m"
}

// measure counts columns; escape sequences have none.
var measure = displaywidth.Options{ControlSequences: true}

func columns(s string) int { return measure.String(s) }

// Cut cuts a line that has more than width columns, and marks that.
func Cut(line string, width int) string { return measure.TruncateString(line, width, "…") }

// wrap breaks a line that is too long, preferably at a space.
func wrap(line string, width int) string {
	var b strings.Builder
	start, space, at := 0, -1, 0 // of the part, its last space, and columns so far
	pos := 0
	g := measure.StringGraphemes(line)
	for g.Next() {
		r, w := g.Value(), g.Width()
		if at+w > width {
			end := pos
			if space > start {
				end = space
			}
			b.WriteString(strings.TrimRight(line[start:end], " "))
			b.WriteByte('\n')
			start = end
			if space > 0 && end == space {
				start++
			}
			at, space = columns(line[start:pos]), -1
		}
		if r == " " && at > 0 {
			space = pos
		}
		pos += len(r)
		at += w
	}
	b.WriteString(line[start:])
	return b.String()
}
