package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// live is a line on a terminal that shows how a running solve stands and what an agent is
// saying, and nothing elsewhere. It is safe for concurrent use.
type live struct {
	w     io.Writer // nil: no terminal
	notes io.Writer
	width int

	mu   sync.Mutex // protects the fields below
	of   status
	said map[string]string // the newest words, by agent
	who  string            // said something last
	on   bool              // there is a line
	away bool              // something else is being printed
}

func newLive(w io.Writer) *live {
	f, ok := w.(*os.File)
	if !ok || !cli.Redraws(f) {
		return &live{notes: w}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return liveOn(w, width)
}

// liveOn returns a line on a terminal with that many columns.
func liveOn(w io.Writer, width int) *live {
	return &live{w: w, notes: w, width: width, said: map[string]string{}, away: true}
}

// run draws the line each second, for the time that has passed, until stop is called. spent
// says how much of a budget is used; nil: there is none.
func (l *live) run(spent func() string) (stop func()) {
	if l.w == nil {
		return func() {}
	}
	l.change(func() { l.of.began, l.of.spent = time.Now(), spent })
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.change(func() {})
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		l.clear()
	}
}

// change changes what the line says, and draws it.
func (l *live) change(what func()) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	what()
	l.drawLocked()
}

func (l *live) drawLocked() {
	if l.w == nil || l.away {
		return
	}
	l.on = true
	_, _ = fmt.Fprintf(l.w, "\r\x1b[K%s", l.of.line(time.Now(), l.who, l.said[l.who], l.width))
}

// says shows what an agent says.
func (l *live) says(s solves.Saying) {
	l.change(func() { l.said[s.Agent], l.who = s.Words, s.Agent })
}

// ended forgets what an agent has said in a turn that is over.
func (l *live) ended(agent string) {
	delete(l.said, agent)
	if l.who == agent {
		l.who = ""
	}
}

// shown draws the line again after an event was printed, unless it was the last one.
func (l *live) shown(e solves.Event) {
	l.change(func() {
		_, stopped := e.(solves.Stopped)
		l.away = stopped
		l.of.after(e)
		if _, begins := e.(solves.RoundStarted); begins {
			l.who = ""
		}
	})
}

// retrying says why there is nothing new for a while.
func (l *live) retrying(err error, pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eraseLocked()
	_, _ = fmt.Fprintf(l.notes, "%s; again in %v\n", text.Printable(err.Error()), pause.Round(100*time.Millisecond))
	l.drawLocked()
}

// clear takes the line away until an event is shown, before something else is printed.
func (l *live) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eraseLocked()
	l.away = true
}

func (l *live) eraseLocked() {
	if l.on {
		_, _ = io.WriteString(l.w, "\r\x1b[K")
		l.on = false
	}
}
