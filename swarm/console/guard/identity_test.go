package guard_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

func TestATrustedProxySaysWhoAsks(t *testing.T) {
	t.Parallel()
	const proxy, other, page = "127.0.0.1:4711", "192.0.2.7:4711", "http://swarm:1"
	s := site(t, "", "127.0.0.1/32")
	s.Identity = &guard.Identity{User: "X-Forwarded-User", Groups: "X-Forwarded-Groups", Roles: map[api.Role][]string{
		api.RoleReader: {"staff"}, api.RoleAuthor: {"user:bob"}, api.RoleOperator: {"sre", "admins"},
	}}
	key := guard.NewKey()
	g := guard.New(guard.Options{Key: key, Hosts: []string{"swarm:1"}, Site: *s})
	for name, c := range map[string]struct {
		method, from string
		headers      []string
		status       int
		user         string
		role         api.Role
	}{
		"nobody":                  {"GET", proxy, nil, http.StatusUnauthorized, "", ""},
		"a reader":                {"GET", proxy, []string{"X-Forwarded-User", "ada@example.org", "X-Forwarded-Groups", "other, staff"}, http.StatusOK, "person ada@example.org", api.RoleReader},
		"an operator":             {"POST", proxy, []string{"X-Forwarded-User", "ada", "X-Forwarded-Groups", "staff,sre", "Origin", page}, http.StatusOK, "person ada", api.RoleOperator},
		"a person with a role":    {"POST", proxy, []string{"X-Forwarded-User", "bob", "Origin", page}, http.StatusOK, "person bob", api.RoleAuthor},
		"a group named as one":    {"POST", proxy, []string{"X-Forwarded-User", "eve", "X-Forwarded-Groups", "user:bob", "Origin", page}, http.StatusForbidden, "", ""},
		"without a role":          {"GET", proxy, []string{"X-Forwarded-User", "eve"}, http.StatusForbidden, "", ""},
		"from a page of another":  {"POST", proxy, []string{"X-Forwarded-User", "bob", "Origin", "https://evil.example"}, http.StatusForbidden, "", ""},
		"from no page":            {"POST", proxy, []string{"X-Forwarded-User", "bob"}, http.StatusForbidden, "", ""},
		"not by the proxy":        {"GET", other, []string{"X-Forwarded-User", "ada", "X-Forwarded-Groups", "sre"}, http.StatusUnauthorized, "", ""},
		"twice":                   {"GET", proxy, []string{"X-Forwarded-User", "ada", "X-Forwarded-User", "bob", "X-Forwarded-Groups", "sre"}, http.StatusUnauthorized, "", ""},
		"groups twice":            {"GET", proxy, []string{"X-Forwarded-User", "ada", "X-Forwarded-Groups", "sre", "X-Forwarded-Groups", "other"}, http.StatusForbidden, "", ""},
		"a name that is nobody's": {"GET", proxy, []string{"X-Forwarded-User", "System", "X-Forwarded-Groups", "sre"}, http.StatusUnauthorized, "", ""},
		"no name":                 {"GET", proxy, []string{"X-Forwarded-User", "a\tb", "X-Forwarded-Groups", "sre"}, http.StatusUnauthorized, "", ""},
		"with a token, too":       {"POST", proxy, []string{"X-Forwarded-User", "eve", "Authorization", "Bearer " + key.Token()}, http.StatusOK, "token 127.0.0.1", api.RoleOperator},
	} {
		var user string
		var role api.Role
		h := s.Wrap(g.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			user, role = guard.User(r), api.WhoOf(r.Context()).Role
		})))
		r := httptest.NewRequestWithContext(t.Context(), c.method, page+"/api/v1/solves", strings.NewReader("{}"))
		r.RemoteAddr = c.from
		for i := 0; i+1 < len(c.headers); i += 2 {
			r.Header.Add(c.headers[i], c.headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || user != c.user || role != c.role {
			t.Errorf("%s: status %d for %q, %s, want %d for %q, %s: %s", name, w.Code, user, role, c.status, c.user, c.role, w.Body)
		}
	}
}

func TestAnIdentityThatCannotBeSaysWhy(t *testing.T) {
	t.Parallel()
	everybody := map[api.Role][]string{api.RoleReader: {"*"}}
	for field, i := range map[string]guard.Identity{
		"": {User: "X-User", Roles: everybody}, "identity.user": {Roles: everybody}, "identity.groups": {User: "X-User", Groups: "a b", Roles: everybody},
		"identity.roles": {User: "X-User", Roles: map[api.Role][]string{"admin": {"*"}}},
	} {
		var problem *signals.FieldError
		if err := i.Validate(); (err == nil) != (field == "") || err != nil && (!errors.As(err, &problem) || problem.Field != field) {
			t.Errorf("got %v, want one about %q", err, field)
		}
	}
	if err := (&guard.Identity{User: "X-User"}).Validate(); err == nil {
		t.Error("nobody has a role, which is no error")
	}
}
