package guard_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

// asked returns the response to a request to a handler of a guard; headers are pairs.
func asked(t *testing.T, g *guard.Guard, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	r := httptest.NewRequestWithContext(t.Context(), method, "http://swarm:1"+path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	g.Wrap(ok).ServeHTTP(w, r)
	return w.Result()
}

func TestPagesOfASiteBesideTheConsoleReadNothing(t *testing.T) {
	t.Parallel()
	key := guard.NewKey()
	g := guard.New(guard.Options{Key: key, Hosts: []string{"swarm:1"}})
	for _, site := range []string{"same-site", "cross-site"} {
		headers := []string{"Authorization", "Bearer " + key.Token(), "Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate"}
		if got := asked(t, g, "GET", "/api/solves", "", headers...).StatusCode; got != http.StatusForbidden { //nolint:bodyclose // recorded
			t.Errorf("%s: %d", site, got)
		}
		if got := asked(t, g, "GET", "/", "", headers...).StatusCode; got != http.StatusOK { //nolint:bodyclose // recorded
			t.Errorf("a link of a %s page to the console: %d", site, got)
		}
		headers[len(headers)-1] = "no-cors"
		if got := asked(t, g, "GET", "/", "", headers...).StatusCode; got != http.StatusForbidden { //nolint:bodyclose // recorded
			t.Errorf("%s, by a script: %d", site, got)
		}
	}
}

// session exchanges the token for a cookie.
func session(t *testing.T, g *guard.Guard, key guard.Key, headers ...string) *http.Cookie {
	t.Helper()
	got := asked(t, g, "POST", "/api/v1/session", `{"token":"`+key.Token()+`"}`, headers...) //nolint:bodyclose // recorded
	if got.StatusCode != http.StatusNoContent || len(got.Cookies()) != 1 {
		t.Fatalf("status %d, cookies %v", got.StatusCode, got.Cookies())
	}
	return got.Cookies()[0]
}

func TestWithTLSTheConsolesOwnPageIsOneOfHTTPS(t *testing.T) {
	t.Parallel()
	key := guard.NewKey()
	for tls, own := range map[bool]string{true: "https://swarm:1", false: "http://swarm:1"} {
		g := guard.New(guard.Options{Key: key, Hosts: []string{"swarm:1"}, Site: guard.Site{TLS: tls}})
		if c := session(t, g, key, "Origin", own); c.Secure != tls {
			t.Errorf("with TLS %v: the cookie is %v", tls, c)
		}
		for _, origin := range []string{"https://swarm:1", "http://swarm:1"} {
			want := http.StatusForbidden
			if origin == own {
				want = http.StatusOK
			}
			got := asked(t, g, "GET", "/api/solves", "", "Authorization", "Bearer "+key.Token(), "Origin", origin) //nolint:bodyclose // recorded
			if got.StatusCode != want {
				t.Errorf("with TLS %v, a page of %s: %d", tls, origin, got.StatusCode)
			}
		}
	}
}

// A browser sends the cookies of a host to all its ports.
func TestConsolesOnOneHostHaveSessionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	key := guard.NewKey()
	g := guard.New(guard.Options{Key: key, Hosts: []string{"swarm:1", "swarm:2"}})
	of := func(port string) *http.Cookie {
		r := httptest.NewRequest(http.MethodPost, "http://swarm:"+port+"/api/v1/session", strings.NewReader(`{"token":"`+key.Token()+`"}`))
		w := httptest.NewRecorder()
		g.Wrap(http.NotFoundHandler()).ServeHTTP(w, r)
		return w.Result().Cookies()[0] //nolint:bodyclose // recorded
	}
	one, two := of("1"), of("2")
	if one.Name == two.Name {
		t.Errorf("both are named %s: the second ends the first one's session", one.Name)
	}
	for value, want := range map[string]int{one.Value: http.StatusOK, two.Value: http.StatusUnauthorized} {
		if got := asked(t, g, "GET", "/api/solves", "", "Cookie", one.Name+"="+value).StatusCode; got != want { //nolint:bodyclose // recorded
			t.Errorf("%s=%s: %d, want %d", one.Name, value, got, want)
		}
	}
}

func TestANameWithoutAPortIsThatOfAnyPort(t *testing.T) {
	t.Parallel()
	key := guard.NewKey()
	g := guard.New(guard.Options{Key: key, Hosts: []string{"127.0.0.1:7333", "console.example.org"}})
	for host, want := range map[string]int{
		"console.example.org": http.StatusOK, "Console.example.org:443": http.StatusOK, "127.0.0.1:7333": http.StatusOK,
		"127.0.0.1": http.StatusMisdirectedRequest, "127.0.0.1:7334": http.StatusMisdirectedRequest, "example.org": http.StatusMisdirectedRequest,
		"console.example.org.evil.example": http.StatusMisdirectedRequest, "": http.StatusMisdirectedRequest,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://swarm/api/solves", http.NoBody)
		r.Host = host
		r.Header.Set("Authorization", "Bearer "+key.Token())
		w := httptest.NewRecorder()
		g.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: status %d, want %d", host, w.Code, want)
		}
	}
}

func TestASessionEndsAfterThirtyDays(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	key := guard.NewKey()
	g := guard.New(guard.Options{Key: key, Hosts: []string{"swarm:1"}, Clock: func() time.Time { return now }})
	c := session(t, g, key)
	const days = 30 * 24 * time.Hour
	for after, want := range map[time.Duration]int{0: http.StatusOK, days - time.Second: http.StatusOK, days: http.StatusUnauthorized, 2 * days: http.StatusUnauthorized} {
		now = time.Unix(1_800_000_000, 0).Add(after)
		if got := asked(t, g, "GET", "/api/solves", "", "Cookie", c.Name+"="+c.Value).StatusCode; got != want { //nolint:bodyclose // recorded
			t.Errorf("after %v: %d", after, got)
		}
	}
}

func TestAKeyThatOthersMayReadIsRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no such mode")
	}
	path := filepath.Join(t.TempDir(), "console.key")
	made, err := guard.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o640: false, 0o604: false, 0o620: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if again, err := guard.Load(path); (err == nil) != good || good && again != made {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}
