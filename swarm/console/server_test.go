package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/swarm/console"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server is a console with the team and the office of the demo.
type server struct {
	t     *testing.T
	base  string
	token string
	host  *host.Host
	hub   *feed.Hub
	http  *http.Server
	stop  func()
}

// files are served at paths outside of the API.
var files = fstest.MapFS{
	"index.html":         {Data: []byte("<!doctype html><title>swarmbus</title>")},
	"assets/app-1234.js": {Data: []byte("void 0")},
}

// start starts a server in a directory.
func start(t *testing.T, dir string, change ...func(*http.Server)) *server {
	t.Helper()
	return startAt(t, dir, "127.0.0.1:0", change...)
}

func startAt(t *testing.T, dir, address string, change ...func(*http.Server)) *server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	key, err := guard.Load(filepath.Join(dir, "console.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, base: "http://" + listener.Addr().String(), token: key.Token(), hub: feed.New(feed.Options{Boot: "b"})}
	s.host, err = host.Open(t.Context(), host.Options{
		Dir: dir, Teams: []host.Team{demo.Team(0)}, Office: demo.Office(), Hub: s.hub, Version: "test", Boot: "b", Demo: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.host.Wait(t.Context()); err != nil { // clients that join before that get a resync
		t.Fatal(err)
	}
	g := guard.New(guard.Options{Key: key, Hosts: []string{listener.Addr().String()}})
	s.http = console.Server(console.New(console.Options{Backend: s.host.Backend(), Hub: s.hub, Guard: g, Files: files}))
	for _, c := range change {
		c(s.http)
	}
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(listener) }()
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		s.hub.Close()
		_ = s.http.Close()
		<-served
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.host.Close(ctx); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	t.Cleanup(s.stop)
	return s
}

// ask sends a request with the token; headers are pairs, and "" as a value removes one.
func (s *server) ask(method, path, body string, headers ...string) (status int, header http.Header, text []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // only read
	text, err = io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return got.StatusCode, got.Header, text
}

// call is ask for a request that is answered with JSON.
func call[T any](s *server, method, path, body string) (got T) {
	s.t.Helper()
	status, _, text := s.ask(method, path, body)
	if status >= 300 {
		s.t.Fatalf("%s %s: status %d: %s", method, path, status, text)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		s.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return got
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	payments = "How often do we retry a payment that timed out?"
	logs     = "How long may we keep the raw access logs?"
	failover = "Do we fail over to the second region on Friday?"
	orders   = "How do we move the orders table to the new schema without losing a write?"
)

// solve starts a solve and waits until it has stopped.
func (s *server) solve(task string) api.SolveDetail {
	s.t.Helper()
	one := call[api.Solve](s, "POST", "/api/solves", asJSON(s.t, api.NewSolve{Team: "platform", Task: task}))
	return s.until(one.ID, func(d api.SolveDetail) bool { return d.State != api.Running })
}

// until returns a solve as soon as a condition holds, which it looks at after each frame.
func (s *server) until(id string, holds func(api.SolveDetail) bool) api.SolveDetail {
	s.t.Helper()
	f := s.follow("/api/feed?solve=" + id)
	defer f.end()
	for {
		if d := call[api.SolveDetail](s, "GET", "/api/solves/"+id, ""); holds(d) {
			return d
		}
		if _, ok := f.next(); !ok {
			s.t.Fatal("the feed ended")
		}
	}
}

// A follower reads the feed.
type follower struct {
	t    *testing.T
	body io.ReadCloser
	rest []byte
	last string
}

func (s *server) follow(path string, headers ...string) *follower {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := http.DefaultClient.Do(r) //nolint:bodyclose // end closes it
	if err != nil {
		s.t.Fatal(err)
	}
	if got.StatusCode != http.StatusOK {
		s.t.Fatalf("the feed has status %d", got.StatusCode)
	}
	f := &follower{t: s.t, body: got.Body}
	s.t.Cleanup(f.end)
	return f
}

func (f *follower) end() { _ = f.body.Close() }

// next returns the next frame; ok is false at the end of the feed.
func (f *follower) next() (frame api.Frame, ok bool) {
	f.t.Helper()
	for {
		event, rest, found := bytes.Cut(f.rest, []byte("\n\n"))
		if !found {
			more := make([]byte, 64<<10)
			n, err := f.body.Read(more)
			if f.rest = append(f.rest, more[:n]...); err != nil && n == 0 {
				return frame, false
			}
			continue
		}
		f.rest = rest
		for line := range strings.Lines(string(event)) {
			line = strings.TrimSuffix(line, "\n")
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				f.last = id
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if err := json.Unmarshal([]byte(data), &frame); err != nil {
					f.t.Fatal(err)
				}
			}
		}
		return frame, true
	}
}
