package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// terminal returns the file descriptor of a terminal, if that is what w is.
func terminal(w io.Writer) (fd int, ok bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// columns returns the width of the terminal that w is, 100 if it is none.
func columns(w io.Writer) int {
	if fd, ok := terminal(w); ok {
		if width, _, err := term.GetSize(fd); err == nil && width >= 20 {
			return width
		}
	}
	return 100
}

// A progress line says what is being done and for how long, on a terminal. It
// rewrites itself, and leaves nothing behind.
type progress struct {
	w     io.Writer
	start time.Time
	wg    sync.WaitGroup
	stop  chan struct{}

	mu    sync.Mutex // protects the fields below
	doing string
}

// startProgress returns a progress line on w. Where w is no terminal it shows
// nothing.
func startProgress(w io.Writer) *progress {
	p := &progress{w: w, start: time.Now(), stop: make(chan struct{})}
	if _, ok := terminal(w); ok {
		p.wg.Go(p.loop)
	}
	return p
}

func (p *progress) loop() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			fmt.Fprint(p.w, "\r\x1b[K")
			return
		case <-tick.C:
			p.mu.Lock()
			doing := p.doing
			p.mu.Unlock()
			fmt.Fprintf(p.w, "\r\x1b[K%s … %.1f s", doing, time.Since(p.start).Seconds())
		}
	}
}

// say changes what the line says.
func (p *progress) say(doing string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing = doing
}

// end takes the line away. Nothing may be said after it.
func (p *progress) end() {
	close(p.stop)
	p.wg.Wait()
}
