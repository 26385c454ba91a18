package guard_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

func site(t *testing.T, text string, trusted ...string) *guard.Site {
	t.Helper()
	s := &guard.Site{}
	if text != "" {
		of, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.URL = of
	}
	for _, one := range trusted {
		s.Trusted = append(s.Trusted, netip.MustParsePrefix(one))
	}
	return s
}

// seen returns client and base address of a request as a site passes it on; headers are pairs.
func seen(t *testing.T, s *guard.Site, from string, headers ...string) (client, base string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://10.0.0.1:7333/", http.NoBody)
	r.RemoteAddr = from
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	s.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		client, base = r.RemoteAddr, s.Base(r)
	})).ServeHTTP(httptest.NewRecorder(), r)
	return client, base
}

func TestOnlyTrustedProxiesSayWhereARequestComesFrom(t *testing.T) {
	t.Parallel()
	const proxy, direct = "127.0.0.1:4711", "http://10.0.0.1:7333"
	s := site(t, "", "127.0.0.1/32", "10.0.0.0/8", "fd00::/8")
	for name, c := range map[string]struct {
		from, client, base string
		headers            []string
	}{
		"nothing is said":         {proxy, "127.0.0.1", direct, nil},
		"by a client itself":      {"192.0.2.1:80", "192.0.2.1", direct, []string{"X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "https", "Forwarded", "for=198.51.100.1"}},
		"by a proxy":              {proxy, "192.0.2.1", "https://a.example", []string{"X-Forwarded-For", "192.0.2.1", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "a.example"}},
		"behind a made-up client": {proxy, "192.0.2.1", direct, []string{"X-Forwarded-For", "198.51.100.1, 192.0.2.1"}},
		"through two proxies":     {proxy, "192.0.2.1", "https://a.example", []string{"X-Forwarded-For", "198.51.100.1, 192.0.2.1, 10.1.1.1", "X-Forwarded-Proto", "https,http", "X-Forwarded-Host", "a.example, b.example"}},
		"in two headers":          {proxy, "192.0.2.1", direct, []string{"X-Forwarded-For", "192.0.2.1", "X-Forwarded-For", "10.1.1.1"}},
		"with a port":             {proxy, "192.0.2.1", direct, []string{"X-Forwarded-For", "192.0.2.1:1234"}},
		"no address":              {proxy, "127.0.0.1", direct, []string{"X-Forwarded-For", "unknown"}},
		"no scheme":               {proxy, "192.0.2.1", direct, []string{"X-Forwarded-For", "192.0.2.1", "X-Forwarded-Proto", "javascript"}},
		"by RFC 7239":             {proxy, "2001:db8::1", "https://a.example", []string{"Forwarded", `For="[2001:db8::1]:4711";Proto=https;HOST="a.example"`}},
		"by RFC 7239, twice":      {proxy, "192.0.2.1", "https://a.example", []string{"Forwarded", `for=198.51.100.1, for=192.0.2.1;proto=https;host=a.example, for="[fd00::2]"`}},
		"by RFC 7239, hidden":     {proxy, "127.0.0.1", direct, []string{"Forwarded", `for=_hidden;proto=https`}},
		"both ways":               {proxy, "192.0.2.1", "https://10.0.0.1:7333", []string{"X-Forwarded-For", "192.0.2.1", "X-Forwarded-Proto", "https", "Forwarded", "for=192.0.2.1"}},
		"two ways that differ":    {proxy, "127.0.0.1", direct, []string{"X-Forwarded-For", "192.0.2.1", "X-Forwarded-Proto", "https", "Forwarded", "for=198.51.100.1"}},
		"by an IPv6 proxy":        {"[::ffff:127.0.0.1]:80", "192.0.2.1", direct, []string{"X-Forwarded-For", "192.0.2.1"}},
	} {
		if client, base := seen(t, s, c.from, c.headers...); client != c.client || base != c.base {
			t.Errorf("%s: a client %s at %s, want %s at %s", name, client, base, c.client, c.base)
		}
	}
	s.Local = true
	if client, _ := seen(t, s, "@", "X-Forwarded-For", "192.0.2.1"); client != "192.0.2.1" {
		t.Errorf("by a socket: %s", client)
	}
}

func TestAURLGivesThePathAndTheCookie(t *testing.T) {
	t.Parallel()
	key := guard.NewKey()
	for address, want := range map[string]http.Cookie{
		"https://a.example/swarm/":   {Name: "__Secure-swarmbus", Path: "/swarm/", Secure: true},
		"https://a.example/swarm":    {Name: "__Secure-swarmbus", Path: "/swarm/", Secure: true},
		"https://a.example:8443":     {Name: "__Host-swarmbus-8443", Path: "/", Secure: true},
		"http://a.example:8080/x/y/": {Name: "swarmbus-8080", Path: "/x/y/"},
	} {
		s := site(t, address)
		g := guard.New(guard.Options{Key: key, Hosts: []string{"swarm:1"}, Site: *s})
		origin := s.URL.Scheme + "://" + s.URL.Host
		c := session(t, g, key, "Origin", origin)
		if c.Name != want.Name || c.Path != want.Path || c.Secure != want.Secure || !c.HttpOnly {
			t.Errorf("%s: the cookie is %v", address, c)
		}
		for path, found := range map[string]string{
			s.Path() + "api/solves": "/api/solves", s.Path(): "/", "/api/solves": "/api/solves", s.Path() + "solves/a%2Fb": "/solves/a/b",
			"/swarmed/api": "/swarmed/api",
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://swarm:1"+path, http.NoBody)
			got := ""
			s.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL.Path })).ServeHTTP(httptest.NewRecorder(), r)
			if got != found {
				t.Errorf("%s: %s is passed on as %q, want %q", address, path, got, found)
			}
		}
		for origin, want := range map[string]int{
			origin: http.StatusOK, "http://swarm:1": http.StatusOK, "https://swarm:1": http.StatusForbidden, "https://evil.example": http.StatusForbidden, "null": http.StatusForbidden,
		} {
			if got := asked(t, g, "GET", "/api/solves", "", "Cookie", c.Name+"="+c.Value, "Origin", origin).StatusCode; got != want { //nolint:bodyclose // recorded
				t.Errorf("%s: a page of %s: %d, want %d", address, origin, got, want)
			}
		}
	}
}

func TestWrongTokensAreCountedForTheClientOfAProxy(t *testing.T) {
	t.Parallel()
	s := site(t, "", "10.0.0.0/8")
	g := guard.New(guard.Options{Key: guard.NewKey(), Hosts: []string{"swarm"}, Site: *s})
	h := s.Wrap(g.Wrap(http.NotFoundHandler()))
	of := func(client string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://swarm/api/solves", http.NoBody)
		r.RemoteAddr = "10.0.0.2:80"
		r.Header.Set("X-Forwarded-For", client)
		r.Header.Set("Authorization", "Bearer wrong")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for range 10 {
		of("192.0.2.1")
	}
	if got := of("192.0.2.1"); got != http.StatusTooManyRequests {
		t.Errorf("the client that guesses: %d", got)
	}
	if got := of("192.0.2.2"); got != http.StatusUnauthorized {
		t.Errorf("another client of the proxy: %d", got)
	}
}

// Agents that join have tokens of their own, which the guard does not know.
func TestWrongTokensOfOthersAreCountedAndARightOneIsNeverLockedOut(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	g := guard.New(guard.Options{Key: guard.NewKey(), Hosts: []string{"swarm:1"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	h := g.Wrap(g.Counts(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			http.Error(w, "whose?", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, "your turn")
	})))
	of := func(token string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://swarm:1/join/turn", http.NoBody)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for range 20 {
		if got, _ := of(""); got != http.StatusUnauthorized {
			t.Errorf("without a token: %d", got)
		}
	}
	for range 10 {
		if got, said := of("wrong"); got != http.StatusUnauthorized || said != "whose?\n" {
			t.Errorf("a wrong token: %d %s", got, said)
		}
	}
	if got, said := of("wrong"); got != http.StatusTooManyRequests || strings.Contains(said, "whose?") {
		t.Errorf("one more: %d %s", got, said)
	}
	if got, said := of("right"); got != http.StatusOK || said != "your turn" {
		t.Errorf("a right one: %d %s", got, said)
	}
	if n := strings.Count(log.String(), "token refused"); n != 10 || strings.Contains(log.String(), "wrong\n") {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
}

// What is behind would send a client with its token to the application beside it.
func TestAPathThatIsNotCleanIsRedirectedBelowThatOfTheURL(t *testing.T) {
	t.Parallel()
	s := site(t, "https://console.example.org/swarm/")
	for path, want := range map[string]string{
		"/swarm//api/solves?a=b": "/swarm/api/solves?a=b", "/swarm/api/../../x": "/swarm/x", "/swarm//": "/swarm/", "/swarm/api/./": "/swarm/api/", "/swarm/api/solves/": "", "/swarm/": "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://console.example.org"+path, http.NoBody)
		w := httptest.NewRecorder()
		s.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != want {
			t.Errorf("%s: to %q, want %q", path, got, want)
		}
	}
}
