package mcp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/swarmbus/swarmbus/internal/text"
)

// kept is how much of a command's standard error is kept, in bytes, and the most of a line.
const kept = 4 << 10

// A tail keeps the end of what is written to it, and shows it line by line.
type tail struct {
	name string
	show io.Writer // nil: the lines are only kept

	mu   sync.Mutex // protects the fields below
	line []byte     // the last, which is not complete
	text string     // the lines before, without control characters
}

// Write implements [io.Writer]. It never fails: a server does not depend on its readers.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line = append(t.line, p...)
	for {
		end := bytes.IndexByte(t.line, '\n')
		if end < 0 && len(t.line) < kept {
			return len(p), nil
		}
		if end < 0 {
			end = len(t.line) - 1
		}
		t.sayLocked(t.line[:end+1])
		t.line = t.line[end+1:]
	}
}

func (t *tail) sayLocked(line []byte) {
	said := shown(line)
	if said == "" {
		return
	}
	if t.text += said + "\n"; len(t.text) > kept {
		t.text = t.text[len(t.text)-kept:]
		_, t.text, _ = strings.Cut(t.text, "\n")
	}
	if t.show != nil {
		_, _ = fmt.Fprintf(t.show, "%s: %s\n", t.name, said) // for a person; the run does not depend on it
	}
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.text + shown(t.line))
}

func shown(line []byte) string { return strings.TrimSpace(text.Printable(string(line))) }
