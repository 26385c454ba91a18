package server_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/console/server"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func options(t *testing.T, teams ...host.Team) server.Options {
	t.Helper()
	at, err := server.Listen(t.Context(), server.At{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	return server.Options{At: at, Host: host.Options{Dir: t.TempDir(), Teams: teams}}
}

// running returns a server that runs, and what ends it.
func running(t *testing.T, o server.Options) (s *server.Server, end func() error) {
	t.Helper()
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	return s, func() error {
		stop()
		http.DefaultClient.CloseIdleConnections()
		return <-ran
	}
}

// status returns that of the answer to a request, with the token or without.
func status(t *testing.T, s *server.Server, o server.Options, path string, token bool) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.At.Base()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token {
		r.Header.Set("Authorization", "Bearer "+s.Token())
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // only read
	return got.StatusCode
}

func TestAServerServesAllProtocolsToWhoHasTheToken(t *testing.T) {
	o := options(t, demo.Team(0))
	began := make(chan struct{})
	o.Opened = func(_ context.Context, b *api.Backend) error {
		close(began)
		_, err := b.Solves.Teams(t.Context())
		return err
	}
	s, end := running(t, o)
	<-began
	for path, want := range map[string]int{
		"/": http.StatusOK, "/api/health": http.StatusOK, "/api/a2a/platform/.well-known/agent-card.json": http.StatusOK, "/api/nothing": http.StatusNotFound,
		server.MCPPath: http.StatusBadRequest, // there is no session
	} {
		if got := status(t, s, o, path, true); got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
		if got := status(t, s, o, path, false); got != http.StatusUnauthorized && path != "/" {
			t.Errorf("%s without the token: status %d", path, got)
		}
	}
	c, err := client.New(s.Link(), "")
	if err != nil {
		t.Fatal(err)
	}
	if one, err := c.Start(t.Context(), api.NewSolve{Team: "platform", Task: demo.Tasks()[0]}); err != nil || one.Team != "platform" {
		t.Errorf("by the link: %+v, %v", one, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// The token of the console is none of an agent that joins.
func TestWrongTokensOfAgentsThatJoinAreCounted(t *testing.T) {
	o := options(t, demo.Team(0))
	joins, err := join.New(join.Options{Tokens: map[string]string{"critic": "that of an agent of 32 letters.."}})
	if err != nil {
		t.Fatal(err)
	}
	o.Joins = joins
	s, end := running(t, o)
	for range 10 {
		if got := status(t, s, o, "/join/turn", true); got != http.StatusUnauthorized {
			t.Errorf("a wrong token: status %d", got)
		}
	}
	if got := status(t, s, o, "/join/turn", true); got != http.StatusTooManyRequests {
		t.Errorf("one more: status %d", got)
	}
	if got := status(t, s, o, "/api/health", true); got != http.StatusOK {
		t.Errorf("the right token of the API: status %d", got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// A client that has seen a solve run is told by the feed that it does not any more, though its log
// says so before the desk lets go of it.
func TestAClientWaitsUntilASolveChanges(t *testing.T) {
	s, end := running(t, options(t, demo.Team(0)))
	c, err := client.New(s.Link(), "")
	if err != nil {
		t.Fatal(err)
	}
	one, err := c.Start(t.Context(), api.NewSolve{Team: "platform", Task: demo.Tasks()[0]})
	for err == nil && one.State == api.Running {
		if err = c.Changed(t.Context(), one); err == nil {
			var now api.SolveDetail
			now, err = c.Get(t.Context(), one.ID, one.Seq)
			one = now.Solve
		}
	}
	if err != nil || one.State == api.Interrupted {
		t.Errorf("the solve is %s: %v", one.State, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := c.Changed(gone, one); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing changes: %v", err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestAServerOfOneProtocolHasNoOther(t *testing.T) {
	o := options(t, demo.Team(0))
	o.OnlyMCP = true
	s, end := running(t, o)
	for path, want := range map[string]int{"/": http.StatusNotFound, "/api/health": http.StatusNotFound, server.MCPPath: http.StatusBadRequest} {
		if got := status(t, s, o, path, true); got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// probed returns the status of the answer to a probe, whose sender has neither token nor name of the
// server.
func probed(t *testing.T, o server.Options, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.At.Base()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "10.0.0.7:8080"
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // only read
	return got.StatusCode
}

func TestProbesNeedNoTokenAndSayWhetherTheServerWorks(t *testing.T) {
	for _, writable := range []bool{true, false} {
		o, began := options(t), make(chan struct{})
		o.Opened = func(context.Context, *api.Backend) error { close(began); return nil }
		_, end := running(t, o)
		<-began
		want := map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusOK, "/": http.StatusMisdirectedRequest}
		if !writable {
			want["/readyz"] = http.StatusServiceUnavailable
			if err := os.RemoveAll(o.Host.Dir); err != nil {
				t.Fatal(err)
			}
		}
		for path, want := range want {
			if got := probed(t, o, path); got != want {
				t.Errorf("%s of a server whose directory is there (%v): status %d, want %d", path, writable, got, want)
			}
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

func TestAServerEndsWithATeamThatCannotWork(t *testing.T) {
	o := options(t, host.Team{Team: desk.Team{Name: "broken", Open: desk.Made(swarm.Options{Threshold: 2})}})
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "team broken") {
		t.Errorf("it ended with %v", err)
	}
}

func TestAServerThatCannotBeOpenedLeavesItsAddress(t *testing.T) {
	missing := errors.New("the key is missing")
	o := options(t, host.Team{Team: desk.Team{Name: "review", Open: func(context.Context, desk.Keep) (*desk.Crew, error) { return nil, missing }}})
	if _, err := server.New(t.Context(), o); !errors.Is(err, missing) {
		t.Errorf("got %v", err)
	}
	again, err := server.Listen(t.Context(), server.At{Addr: o.At.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFileThatIsNoSocketIsNotReplacedByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Listen(t.Context(), server.At{Addr: "unix:" + path, URL: &url.URL{Scheme: "https", Host: "a.example", Path: "/"}}); err == nil {
		t.Error("it listens")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "kept" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// Who can connect to a socket is a proxy that is believed.
func TestAServerListensAtASocketThatAKilledProcessLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	left, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	at := server.At{Addr: "unix:" + path, URL: &url.URL{Scheme: "https", Host: "console.example.org", Path: "/swarm/"}}
	if _, err := server.Listen(t.Context(), at); err == nil {
		t.Error("it took the socket of a process that listens")
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	o := server.Options{Host: host.Options{Dir: t.TempDir()}}
	if o.At, err = server.Listen(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o007 != 0 {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	s, end := running(t, o)
	if !strings.HasPrefix(s.Link(), "https://console.example.org/swarm/#token=") {
		t.Errorf("the link is %s", s.Link())
	}
	to := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}
	for address, want := range map[string]int{
		"http://localhost/healthz": http.StatusOK, "http://console.example.org/swarm/api/session": http.StatusOK, "http://console.example.org/api/session": http.StatusOK,
		"http://other.example/": http.StatusMisdirectedRequest,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.Token())
		got, err := to.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = got.Body.Close(); got.StatusCode != want {
			t.Errorf("%s: status %d, want %d", address, got.StatusCode, want)
		}
	}
	to.CloseIdleConnections()
	if err := end(); err != nil {
		t.Error(err)
	}
}

// One with a private network of proxies needs no TLS: others cannot connect.
func TestWithoutTLSAPublicAddressIsForTrustedProxies(t *testing.T) {
	o := server.Options{Host: host.Options{Dir: t.TempDir()}}
	var err error
	if o.At, err = server.Listen(t.Context(), server.At{Addr: "0.0.0.0:0", Trusted: []netip.Prefix{netip.MustParsePrefix("10.255.255.0/24")}}); err != nil {
		t.Fatal(err)
	}
	_, end := running(t, o)
	_, port, err := net.SplitHostPort(o.At.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		ip := one.(*net.IPNet).IP
		if ip.To4() == nil {
			continue
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+net.JoinHostPort(ip.String(), port)+"/healthz", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, err := new(http.Transport).RoundTrip(r)
		if err == nil {
			_ = got.Body.Close()
		}
		if served := err == nil; served != ip.IsLoopback() {
			t.Errorf("from %s: %v", ip, err)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestAnAddressIsHostAndPortAndPublicOnlyWithTLS(t *testing.T) {
	for addr, public := range map[string]bool{"127.0.0.1": false, "7333": false, "0.0.0.0:0": true} {
		_, err := server.Listen(t.Context(), server.At{Addr: addr})
		wrong := (*server.AddrError)(nil)
		if !errors.As(err, &wrong) || wrong.Public != public || wrong.Addr != addr {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
