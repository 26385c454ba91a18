package console_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

// hurried gives a server short time limits.
func hurried(h *http.Server) {
	h.ReadHeaderTimeout, h.ReadTimeout = 50*time.Millisecond, 50*time.Millisecond
}

func TestAClientThatSendsSlowlyIsCutOff(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), func(h *http.Server) {
		if h.ReadHeaderTimeout == 0 || h.ReadTimeout == 0 || h.IdleTimeout == 0 || h.MaxHeaderBytes == 0 {
			t.Errorf("the server has no limits: %+v", h)
		}
	}, hurried)
	address := strings.TrimPrefix(s.base, "http://")
	host := " HTTP/1.1\r\nHost: " + address + "\r\n"
	token := "Authorization: Bearer " + s.token + "\r\n"
	const body = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	var wg sync.WaitGroup
	for name, text := range map[string]string{
		"half a header":                   "GET / HTTP/1.1\r\nHost: x",
		"a letter":                        "P",
		"a body":                          "POST /api/solves" + host + token + body,
		"a body without a token":          "POST /api/solves" + host + body,
		"a body for a session":            "POST /api/session" + host + body,
		"a body for the page":             "GET /" + host + body,
		"a body for another name":         "POST / HTTP/1.1\r\nHost: evil\r\n" + body,
		"a body for AG-UI":                "POST /api/agui/platform" + host + token + body,
		"a body with a GET":               "GET /api/solves" + host + token + body,
		"chunks that do not end":          "POST /api/solves" + host + token + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"a body for the end of a session": "DELETE /api/session" + host + body,
	} {
		wg.Go(func() {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close() //nolint:errcheck // closed by the server
			if _, err := io.WriteString(conn, text); err != nil {
				t.Error(err)
				return
			}
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s holds a connection for a minute", name)
			}
		})
	}
	wg.Wait()
}

// The limit applies to the time that a request takes to arrive. The network is in memory, so
// that time is that of the test's bubble, in which requests arrive at once.
func TestAnAnswerMayTakeLongerThanItsRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		server := console.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case <-r.Context().Done():
				ended <- r.Context().Err()
			case <-time.After(time.Hour):
				ended <- nil
			}
			w.WriteHeader(http.StatusOK)
		}))
		conns, served := make(pipes), make(chan error, 1)
		go func() { served <- server.Serve(conns) }()
		of := &http.Transport{DialContext: conns.dial}
		defer of.CloseIdleConnections()
		for _, body := range []string{"", "x", "x"} { // the last on a connection that was used
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://in.memory", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			got, err := of.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Body.Close()
			if err := <-ended; err != nil {
				t.Errorf("the request %q ended: %v", body, err)
			}
		}
		_ = server.Close()
		<-served
	})
}

// pipes is a listener for connections in memory.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	mine, theirs := net.Pipe()
	p <- theirs
	return mine, nil
}

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "in.memory"} }

// A deadline notes whether an answer has one to be written.
type deadline struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadline) SetWriteDeadline(at time.Time) error { d.at = at; return nil }

func TestAClientThatReadsSlowlyIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := guard.NewKey()
		h := console.New(console.Options{
			Backend: &api.Backend{}, Hub: feed.New(feed.Options{}), Guard: guard.New(guard.Options{Key: key, Hosts: []string{"swarm:1"}}), Files: files,
		})
		for _, path := range []string{"/", "/assets/app-1234.js", "/api/openapi.json", "/api/nothing"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://swarm:1"+path, nil)
			r.Header.Set("Authorization", "Bearer "+key.Token())
			w := &deadline{ResponseRecorder: httptest.NewRecorder()}
			if h.ServeHTTP(w, r); !w.at.After(time.Now()) {
				t.Errorf("%s: the deadline is %v", path, w.at)
			}
		}
	})
}
