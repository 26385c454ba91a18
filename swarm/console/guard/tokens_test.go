package guard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

func TestATokenIsKeptAsAHashForItsOwnerAlone(t *testing.T) {
	tokens := guard.Tokens{Path: filepath.Join(t.TempDir(), guard.TokensFile)}
	secret, err := tokens.New("ada", api.RoleApprover, "", time.Unix(1_800_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(tokens.Path)
	file, err2 := os.ReadFile(tokens.Path)
	if err := errors.Join(err, err2); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(file), secret) {
		t.Errorf("mode %v, %v:\n%s", info.Mode(), err, file)
	}
	if err := os.Chmod(tokens.Path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.All(); err == nil {
		t.Error("a file that others may read is read")
	}
}

func TestNamesThatLookLikeOthersHaveNoToken(t *testing.T) {
	tokens := guard.Tokens{Path: filepath.Join(t.TempDir(), guard.TokensFile)}
	if _, err := tokens.New("bill", api.RoleReader, "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	for name, role := range map[string]api.Role{
		"bill": "reader", "bi11": "reader", "Ada": "reader", "аda": "reader", "": "reader", "a b": "reader", "system": "reader", "bill.": "reader", "expiry": "reader", "ada": "boss", "eve": "",
	} {
		_, err := tokens.New(name, role, "", time.Time{})
		if wrong := (*signals.FieldError)(nil); !errors.As(err, &wrong) {
			t.Errorf("%q as %q: %v", name, role, err)
		}
	}
	if err := tokens.Revoke("nobody"); err == nil {
		t.Error("a token that is not there is revoked")
	}
	if all, err := tokens.All(); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

// What is revoked is so at once, and so are its sessions, also if there is a new one with the name.
func TestARevokedTokenOpensNothing(t *testing.T) {
	tokens := guard.Tokens{Path: filepath.Join(t.TempDir(), guard.TokensFile)}
	g := guard.New(guard.Options{Key: guard.NewKey(), Tokens: tokens, Hosts: []string{"swarm:1"}})
	secret, err := tokens.New("ada", api.RoleReader, "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got := asked(t, g, http.MethodPost, "/api/v1/session", `{"token":"`+secret+`"}`) //nolint:bodyclose // recorded
	if got.StatusCode != http.StatusNoContent || len(got.Cookies()) != 1 {
		t.Fatalf("status %d", got.StatusCode)
	}
	cookie := got.Cookies()[0]
	status := func() (both [2]int) {
		both[0] = asked(t, g, http.MethodGet, "/api/solves", "", "Authorization", "Bearer "+secret).StatusCode      //nolint:bodyclose // recorded
		both[1] = asked(t, g, http.MethodGet, "/api/solves", "", "Cookie", cookie.Name+"="+cookie.Value).StatusCode //nolint:bodyclose // recorded
		return both
	}
	if got := status(); got != [2]int{http.StatusOK, http.StatusOK} {
		t.Errorf("before: %v", got)
	}
	if err := tokens.Revoke("ada"); err != nil {
		t.Fatal(err)
	}
	var said struct{ Detail string }
	refused := asked(t, g, http.MethodGet, "/api/solves", "", "Cookie", cookie.Name+"="+cookie.Value) //nolint:bodyclose // recorded
	if err := json.NewDecoder(refused.Body).Decode(&said); err != nil || !strings.Contains(said.Detail, "the token of this session was revoked") {
		t.Errorf("a session is refused: %q, %v", said.Detail, err)
	}
	for _, when := range []string{"revoked", "with a new one"} {
		if got := status(); got != [2]int{http.StatusUnauthorized, http.StatusUnauthorized} {
			t.Errorf("%s: %v", when, got)
		}
		if _, err := tokens.New("ada", api.RoleReader, "", time.Time{}); err != nil && when == "revoked" {
			t.Fatal(err)
		}
	}
}

// Those who change the tokens at once do it one after the other, or are told.
func TestNoChangeOfTheTokensIsLost(t *testing.T) {
	tokens := guard.Tokens{Path: filepath.Join(t.TempDir(), "new", guard.TokensFile)}
	names := make(chan string, 20)
	var all sync.WaitGroup
	for i := range cap(names) {
		all.Go(func() {
			name := fmt.Sprintf("n%02dx", i)
			if _, err := tokens.New(name, api.RoleReader, "", time.Time{}); err == nil {
				names <- name
			}
		})
	}
	all.Wait()
	close(names)
	made := map[string]bool{}
	for name := range names {
		made[name] = true
	}
	got, err := tokens.All()
	if err != nil || len(got) != len(made) || len(made) == 0 {
		t.Errorf("%d were made, and there are %d, %v", len(made), len(got), err)
	}
}

func TestAStreamEndsSoonAfterItsTokenIsRevoked(t *testing.T) {
	path := filepath.Join(t.TempDir(), guard.TokensFile)
	synctest.Test(t, func(t *testing.T) {
		tokens := guard.Tokens{Path: path}
		g := guard.New(guard.Options{Key: guard.NewKey(), Tokens: tokens, Hosts: []string{"swarm:1"}})
		secret, err := tokens.New("ada", api.RoleReader, "", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://swarm:1/api/feed", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+secret)
		ended := make(chan struct{})
		go func() {
			g.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })).ServeHTTP(httptest.NewRecorder(), r)
			close(ended)
		}()
		time.Sleep(time.Minute)
		select {
		case <-ended:
			t.Error("it ended before")
		default:
		}
		if err := tokens.Revoke("ada"); err != nil {
			t.Fatal(err)
		}
		<-ended
	})
}
