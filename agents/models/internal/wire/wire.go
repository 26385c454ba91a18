// Package wire is the HTTP layer beneath the providers' libraries: it records
// facts about a call that the libraries do not report, and removes from streams
// what they cannot handle.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// MaxBody is the maximum size of a response in bytes.
const MaxBody = 16 << 20

// ErrRedirect is the error of a response that sends the call elsewhere. It is not
// followed: the key and the prompt are for the host of the base URL alone.
var ErrRedirect = errors.New("the server redirects the call, which is not followed")

// ErrTooLong is returned when reading a response's body beyond [MaxBody].
var ErrTooLong = errors.New("the response has more than 16 MiB")

// A NoStreamError is returned for a response that is not the stream of events that was
// asked for, such as a page or a whole answer: the server would send it again.
type NoStreamError struct {
	ContentType, Begin string // Begin: of its body
}

func (e *NoStreamError) Error() string {
	return fmt.Sprintf("the response of content type %q is not a stream of events: %s", e.ContentType, e.Begin)
}

// Seen is what was observed of a call.
type Seen struct {
	Stream bool // set by the caller: the response has to be a stream of events
	Sent   bool // a request was sent
	Status int  // 0: no response
	Header http.Header
}

type seenKey struct{}

// Watch returns a context for one call, and the record of that call.
func Watch(ctx context.Context) (context.Context, *Seen) {
	s := &Seen{}
	return context.WithValue(ctx, seenKey{}, s), s
}

// Client returns a client that records calls and adds the header to each. It is
// based on base, or, if that is nil, on a client of its own without a proxy.
func Client(base *http.Client, header http.Header) *http.Client {
	c := http.Client{}
	if base != nil {
		c = *base
	}
	next := c.Transport
	switch {
	case next == nil && base != nil:
		next = http.DefaultTransport
	case next == nil:
		next = &http.Transport{ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second}
	}
	c.Transport = &transport{next, header}
	return &c
}

type transport struct {
	next   http.RoundTripper
	header http.Header
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	seen, _ := r.Context().Value(seenKey{}).(*Seen)
	if seen == nil {
		seen = &Seen{}
	}
	if len(t.header) > 0 {
		r = r.Clone(r.Context())
		for key, values := range t.header {
			r.Header[http.CanonicalHeaderKey(key)] = values
		}
	}
	seen.Sent = true
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	seen.Status, seen.Header = resp.StatusCode, resp.Header
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		_ = resp.Body.Close()
		return nil, ErrRedirect
	}
	b := &body{ReadCloser: resp.Body}
	contentType := resp.Header.Get("Content-Type")
	media, _, _ := mime.ParseMediaType(contentType) // in lower case
	switch {
	case media == "text/event-stream":
		resp.Body = &events{body: b, lines: bufio.NewReader(b)}
	case seen.Stream && resp.StatusCode < http.StatusBadRequest && media != "text/plain":
		begin, _ := io.ReadAll(io.LimitReader(b, 4<<10))
		if isFailure(begin) {
			resp.Body = &ended{b, io.MultiReader(bytes.NewReader(begin), b, strings.NewReader("\n\n"))}
			break
		}
		_ = b.Close()
		return nil, &NoStreamError{contentType, string(begin)}
	case resp.StatusCode < http.StatusBadRequest: // an error of a gateway, which the libraries read line by line
		resp.Body = &ended{b, io.MultiReader(b, strings.NewReader("\n\n"))}
	default:
		resp.Body = b
	}
	return resp, nil
}

// isFailure reports whether a body is an error object or, in spite of its content type, a
// stream.
func isFailure(begin []byte) bool {
	begin = bytes.TrimSpace(begin)
	if bytes.HasPrefix(begin, []byte("data:")) || bytes.HasPrefix(begin, []byte("event:")) {
		return true
	}
	var object struct{ Error json.RawMessage }
	return json.Unmarshal(begin, &object) == nil && len(object.Error) > 0
}

// CloseIdleConnections closes idle connections.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// body is a response's body limited to MaxBody.
type body struct {
	io.ReadCloser
	read int
}

func (b *body) Read(p []byte) (int, error) {
	if b.read >= MaxBody {
		return 0, ErrTooLong
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	return n, err
}

// ended is a body followed by a line break.
type ended struct {
	io.Closer
	io.Reader
}

// events is a stream of events that delivers whole lines and omits what some clients
// misinterpret: a byte order mark at the beginning, comments and empty events.
type events struct {
	*body
	lines *bufio.Reader
	read  bool   // the first line
	begun bool   // an event has begun
	rest  []byte // rest of the current line
	err   error
}

func (e *events) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.rest, e.err = e.lines.ReadBytes('\n')
		if !e.read {
			e.rest, e.read = bytes.TrimPrefix(e.rest, []byte("\uFEFF")), true
		}
		text := bytes.TrimSpace(e.rest)
		if bytes.HasPrefix(text, []byte(":")) || len(text) == 0 && !e.begun {
			e.rest = nil
			continue
		}
		e.begun = len(text) > 0
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}
