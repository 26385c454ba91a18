package mcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/hooks"
)

// overHTTP returns a transport to a URL, with the values of headers, and with logins unless a
// header has what a login gets.
func overHTTP(s Spec, env map[string]string, login *door) *sdk.StreamableClientTransport {
	header := http.Header{}
	for name, variable := range s.Headers {
		header.Set(name, env[variable])
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	t := &sdk.StreamableClientTransport{
		Endpoint: s.URL, MaxEventSize: mostMessage,
		HTTPClient: &http.Client{Transport: &bounded{base, header}, CheckRedirect: sameHost},
	}
	if header.Get("Authorization") == "" {
		t.OAuthHandler = login
	}
	return t
}

// sameHost refuses redirects to another host, which would get the headers and the calls.
func sameHost(to *http.Request, via []*http.Request) error {
	if from := via[0].URL; to.URL.Host != from.Host || to.URL.Scheme != from.Scheme {
		return fmt.Errorf("redirect to another server (%s://%s) is refused", to.URL.Scheme, to.URL.Host)
	}
	if len(via) > 5 {
		return fmt.Errorf("more than %d redirects", 5)
	}
	return nil
}

// bounded adds headers to requests and bounds the messages in responses.
type bounded struct {
	*http.Transport
	header http.Header
}

// RoundTrip implements [http.RoundTripper].
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range b.header {
		r.Header[name] = values
	}
	hooks.Carry(r.Context(), r.Header.Set)
	resp, err := b.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	resp.Body = &body{resp.Body, stream, 0}
	if stream {
		resp.Body = &events{Closer: resp.Body, in: bufio.NewReader(resp.Body)}
		return resp, nil
	}
	whole, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	whole = readable(whole)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(whole)), int64(len(whole))
	return resp, nil
}

// A body ends with an error after too many bytes, of all or in a line of an event stream.
type body struct {
	io.ReadCloser
	lines bool
	read  int
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.read += n
	if b.lines {
		for i := n - 1; i >= 0; i-- {
			if p[i] == '\n' {
				b.read = n - 1 - i
				break
			}
		}
	}
	if b.read > mostMessage {
		return 0, fmt.Errorf("a message of more than %d bytes", mostMessage)
	}
	return n, err
}
