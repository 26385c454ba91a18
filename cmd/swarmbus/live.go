package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// live is a line on a terminal that shows what an agent is saying, and nothing
// elsewhere. It is safe for concurrent use.
type live struct {
	w     io.Writer // nil: no terminal
	notes io.Writer
	width int

	mu   sync.Mutex // protects the fields below
	said map[string]string
	on   bool // there is a line
}

func newLive(w io.Writer) *live {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &live{notes: w}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 80
	}
	return &live{w: w, notes: w, width: width, said: map[string]string{}}
}

// piece shows the end of what the agent has said.
func (l *live) piece(agent string, p models.Piece) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Again {
		l.said[agent] = ""
	}
	const most = 400 // bytes, of which the end is shown
	all := l.said[agent] + p.Text
	l.said[agent] = all[max(0, len(all)-most):]
	l.on = true
	_, _ = fmt.Fprintf(l.w, "\r\x1b[K%s", liveLine(agent, l.said[agent], l.width))
}

// liveLine is a line without anything that a terminal would act on.
func liveLine(agent, text string, width int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r > unicode.MaxLatin1: // others may take two columns
			return '.'
		}
		return r
	}, strings.ToValidUTF8(agent+": "+text, "."))
	runes := []rune(clean)
	if n := len(runes) - max(10, width-1); n > 0 {
		name := len([]rune(agent)) + 2
		runes = append(runes[:name:name], runes[min(len(runes), name+n):]...)
	}
	return string(runes)
}

// retrying says why there is nothing new for a while.
func (l *live) retrying(err error, pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	_, _ = fmt.Fprintf(l.notes, "%s; again in %v\n", transcript.Printable(err.Error()), pause.Round(100*time.Millisecond))
}

// clear takes the line away, before something else is printed.
func (l *live) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

func (l *live) erase() {
	if l.on {
		_, _ = io.WriteString(l.w, "\r\x1b[K")
		l.on = false
	}
}
