package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/swarmbus/swarmbus/internal/text"
)

// messages are the lines of a command's standard output that are messages. Servers print banners and
// logs there, too: those lines are skipped, and said to note.
type messages struct {
	in   io.ReadCloser
	all  *bufio.Scanner
	rest []byte // of the line that is being read
	note io.Writer
	odd  int // bytes that were skipped since the last message
}

// mostSkipped is how much that is no message a server may print in front of one, in bytes.
const mostSkipped = 1 << 20

func readMessages(in io.ReadCloser, note io.Writer) *messages {
	m := &messages{in: in, all: bufio.NewScanner(in), note: note}
	m.all.Buffer(nil, mostMessage)
	return m
}

// Read implements [io.Reader].
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if !m.all.Scan() {
			if errors.Is(m.all.Err(), bufio.ErrTooLong) {
				return 0, fmt.Errorf("a message of more than %d bytes", mostMessage)
			}
			return 0, cmp.Or(m.all.Err(), io.EOF)
		}
		line := bytes.TrimSpace(bytes.TrimPrefix(m.all.Bytes(), []byte("\ufeff")))
		switch {
		case len(line) == 0:
		case !isMessage(line):
			if m.odd += len(line); m.odd > mostSkipped {
				return 0, fmt.Errorf("more than %d bytes that are no message, such as %s", mostSkipped, text.Cut(text.Line(string(line)), 200))
			}
			fmt.Fprintf(m.note, "(not a message: %s)\n", text.Cut(string(line), 200))
		default:
			m.odd = 0
			m.rest = append(slices.Clone(readable(line)), '\n')
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// Close implements [io.Closer].
func (m *messages) Close() error { return m.in.Close() }

func isMessage(line []byte) bool { return (line[0] == '{' || line[0] == '[') && json.Valid(line) }

// contents are the kinds of content that the SDK decodes: a result with another one is an error for it.
var contents = []string{"text", "image", "audio", "resource_link", "resource"}

// readable returns a message in which contents of other kinds are texts that say so.
func readable(message []byte) []byte {
	var m, result map[string]json.RawMessage
	var all []json.RawMessage
	if !bytes.Contains(message, []byte(`"content"`)) || json.Unmarshal(message, &m) != nil ||
		json.Unmarshal(m["result"], &result) != nil || json.Unmarshal(result["content"], &all) != nil {
		return message
	}
	changed := false
	for i, one := range all {
		var c struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(one, &c) != nil || slices.Contains(contents, c.Type) {
			continue
		}
		changed = true
		all[i], _ = json.Marshal(map[string]string{"type": "text", "text": fmt.Sprintf("[content of the kind %q, %d bytes, not shown]", text.Cut(c.Type, 40), len(one))})
	}
	if !changed {
		return message
	}
	result["content"], _ = json.Marshal(all)
	m["result"], _ = json.Marshal(result)
	again, _ := json.Marshal(m) // all of it was decoded
	return again
}

// events make the data of an event stream readable, a line at a time.
type events struct {
	io.Closer
	in   *bufio.Reader
	rest []byte
	err  error
}

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	if len(e.rest) == 0 && e.err == nil {
		e.rest, e.err = e.in.ReadBytes('\n')
		if data, is := bytes.CutPrefix(e.rest, []byte("data:")); is && bytes.Contains(data, []byte(`"content"`)) {
			e.rest = append(append([]byte("data: "), readable(bytes.TrimSpace(data))...), '\n')
		}
	}
	n := copy(p, e.rest)
	if e.rest = e.rest[n:]; n > 0 {
		return n, nil
	}
	return 0, e.err
}
