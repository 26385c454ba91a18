package mcp_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/tools/mcp"
)

// A guarded server wants tokens, which its own authorization server gives.
type guarded struct {
	*httptest.Server
	mu      sync.Mutex // protects the fields below
	grants  []string   // the kind of each token that was given
	seconds int        // how long the next tokens are valid
	valid   string     // the token that is accepted
}

func guardedServer(t *testing.T) *guarded {
	g := &guarded{seconds: 3600}
	mux := http.NewServeMux()
	says := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		says(w, map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		says(w, map[string]any{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		says(w, map[string]any{"client_id": "registered", "token_endpoint_auth_method": "none"})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=c&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.grants = append(g.grants, r.FormValue("grant_type"))
		g.valid = fmt.Sprintf("token-%d", len(g.grants))
		says(w, map[string]any{"access_token": g.valid, "token_type": "Bearer", "refresh_token": "again", "expires_in": g.seconds})
	})
	words := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return dictionary() }, nil)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		good := g.valid != "" && r.Header.Get("Authorization") == "Bearer "+g.valid
		g.mu.Unlock()
		if !good {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		words.ServeHTTP(w, r)
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// browser returns a person who logs in, after somebody else's request has come to the same address.
func browser(t *testing.T, asked *int) func(string) {
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	return func(address string) {
		*asked++
		all.Go(func() {
			for _, a := range []string{strings.Replace(address, "state=", "state=x", 1), address} {
				resp, err := http.Get(a)
				if err != nil {
					t.Error(err)
					return
				}
				_ = resp.Body.Close()
			}
		})
	}
}

func (g *guarded) opened(t *testing.T, o *mcp.Options) {
	t.Helper()
	s, err := mcp.Open(t.Context(), mcp.Spec{Name: "words", URL: g.URL + "/mcp"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestALoginIsAskedForOnceAndRefreshedByTheNextProcess(t *testing.T) {
	t.Parallel()
	g, dir, asked := guardedServer(t), filepath.Join(t.TempDir(), "logins"), 0
	o := &mcp.Options{Login: browser(t, &asked), Logins: dir}
	g.seconds = 1 // oauth2 takes a token for expired ten seconds early
	g.opened(t, o)
	g.seconds = 3600
	g.opened(t, &mcp.Options{Logins: dir}) // refreshes, and asks nobody
	given := len(g.grants)
	g.opened(t, &mcp.Options{Logins: dir}) // has all it needs
	if last := g.grants[len(g.grants)-1]; asked != 1 || g.grants[0] != "authorization_code" || last != "refresh_token" || len(g.grants) != given {
		t.Errorf("asked %d times, tokens by %v, %d of them before the last server", asked, g.grants, given)
	}
	files := 0
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		info, err := e.Info()
		if err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", e.Name(), info.Mode())
		}
		return err
	})
	if err != nil || files != 1 {
		t.Errorf("%d files: %v", files, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	g.opened(t, o)
	if asked != 2 {
		t.Errorf("asked %d times after the file was removed, want 2", asked)
	}
}

func TestALoginThatNobodyCanMakeIsAnError(t *testing.T) {
	t.Parallel()
	_, err := mcp.Open(t.Context(), mcp.Spec{Name: "words", URL: guardedServer(t).URL + "/mcp"}, nil)
	if err == nil || !strings.Contains(err.Error(), "mcp: server words cannot be reached: ") || !strings.Contains(err.Error(), "a person has to log in, and nobody can be asked here") {
		t.Errorf("got %v", err)
	}
}
