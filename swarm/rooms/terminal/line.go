package terminal

import (
	"strings"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// A line is the last one of the terminal while an agent speaks: it grows with the fragments
// of the answer. Other output ends it, and then the whole answer follows when it is
// complete.
type line struct {
	stream string // of the fragments; "": no agent speaks
	text   string // of the fragments so far
	shown  string // of the text, as the terminal has it; "": the line was ended
}

// add takes the next fragment, and returns what to print.
func (l *line) add(from string, d events.Dialogue) string {
	before := ""
	if d.Stream != l.stream {
		before = l.cut()
		l.stream, l.text, l.shown = d.Stream, "", ""
	} else if l.shown == "" {
		return "" // the whole answer will follow
	}
	l.text += d.Chunk
	whole := message(from, mark(d.Common), l.text)
	more := strings.TrimPrefix(whole, l.shown)
	l.shown = whole
	return before + more
}

// end returns what to print for an event in the log, without the line break behind it.
func (l *line) end(e events.Event, whole string) string {
	if d, ok := e.Body.(events.Dialogue); ok && d.Stream == l.stream && l.shown != "" {
		if rest, same := strings.CutPrefix(whole, l.shown); same {
			*l = line{}
			return rest
		}
	}
	return l.cut() + whole
}

// cut ends the line, and returns what to print before something else.
func (l *line) cut() string {
	if l.shown == "" {
		return ""
	}
	l.shown = ""
	return "\n"
}
