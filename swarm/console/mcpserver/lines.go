package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines is the input of a client of which only messages are read. Another line is answered with an
// error without an id, and the client goes on.
type lines struct {
	in   io.ReadCloser
	all  *bufio.Scanner
	out  io.Writer
	rest []byte // of the line that is being read
}

func readLines(in io.ReadCloser, out io.Writer, most int) *lines {
	l := &lines{in: in, all: bufio.NewScanner(in), out: out}
	l.all.Buffer(nil, most)
	return l
}

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if !l.all.Scan() {
			if err := l.all.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		line := bytes.TrimSpace(l.all.Bytes())
		if len(line) == 0 {
			continue
		}
		if code, problem := wrong(line); problem != nil {
			what, _ := json.Marshal(problem.Error()) // texts always marshal
			if _, err := fmt.Fprintf(l.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n", code, what); err != nil {
				return 0, err
			}
			continue
		}
		l.rest = append(bytes.Clone(line), '\n')
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// wrong says why a line is no message, with the code of JSON-RPC for that.
func wrong(line []byte) (code int, err error) {
	if !json.Valid(line) {
		return jsonrpc.CodeParseError, fmt.Errorf("not JSON: %q", line[:min(len(line), 80)])
	}
	if line[0] != '[' { // the SDK reads batches
		_, err = jsonrpc.DecodeMessage(line)
	}
	return jsonrpc.CodeInvalidRequest, err
}

// Close implements [io.Closer].
func (l *lines) Close() error { return l.in.Close() }

// A shared writer is safe for concurrent use.
type shared struct {
	io.WriteCloser
	mu sync.Mutex
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.WriteCloser.Write(p)
}
