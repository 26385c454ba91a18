package guard_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

// Sessions of a token count for one user, as its requests do: what a person may open is not
// multiplied by logging in.
func TestSessionsOfATokenAreOneUser(t *testing.T) {
	dir := t.TempDir()
	key, err := guard.Load(filepath.Join(dir, "console.key"))
	if err != nil {
		t.Fatal(err)
	}
	tokens := guard.Tokens{Path: filepath.Join(dir, guard.TokensFile)}
	secret, err := tokens.New("ada", api.RoleReader, "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var users []string
	h := guard.New(guard.Options{Key: key, Tokens: tokens, Hosts: []string{"localhost"}}).Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		users = append(users, guard.User(r))
	}))
	ask := func(method, path, body string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for range 2 {
		cookie := ask("POST", "/api/v1/session", `{"token":"`+secret+`"}`, "Origin", "http://localhost").Header().Get("Set-Cookie")
		ask("GET", "/api/solves", "", "Cookie", strings.SplitN(cookie, ";", 2)[0])
	}
	ask("GET", "/api/solves", "", "Authorization", "Bearer "+secret)
	if len(users) != 3 || users[0] != users[1] || users[1] != users[2] {
		t.Errorf("users %q", users)
	}
	// A refusal says whether there was a token.
	for want, header := range map[string][]string{
		"no token": nil, "wrong, or was revoked": {"Authorization", "Bearer x"},
	} {
		if w := ask("GET", "/api/solves", "", header...); w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d %s, want %q", w.Code, w.Body, want)
		}
	}
	if err := os.Chmod(tokens.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	if w := ask("GET", "/api/solves", "", "Authorization", "Bearer "+secret); w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), "cannot read their file") {
		t.Errorf("with a file that others may read: %d %s", w.Code, w.Body)
	}
}
