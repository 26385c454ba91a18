package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/internal/hosttest"
	"github.com/swarmbus/swarmbus/swarm/console/server"
)

// TestATokenDoesWhatItsRoleMay asks for everything that changes something, on each door, with tokens of
// all roles. What a role may do fails in another way: there is no such solve.
func TestATokenDoesWhatItsRoleMay(t *testing.T) {
	o := options(t, demo.Team(0))
	_, end := running(t, o)
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	tokens := guard.Tokens{Path: filepath.Join(o.Host.Dir, guard.TokensFile)}
	secrets := map[api.Role]string{}
	for _, role := range api.Roles() {
		secret, err := tokens.New(string(role), role, "", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		secrets[role] = secret
	}
	send := func(role api.Role, method, path, body string) (int, string) {
		if method == "MCP" {
			return http.StatusOK, called(t, o.At.Base(), secrets[role], path, body)
		}
		r, err := http.NewRequestWithContext(t.Context(), method, o.At.Base()+path, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secrets[role])
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close() //nolint:errcheck // only read
		said, err := io.ReadAll(io.LimitReader(got.Body, 64<<10))
		if err != nil {
			t.Fatal(err)
		}
		return got.StatusCode, string(said)
	}
	message := func(task string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"1","role":"user"%s,"parts":[{"kind":"text","text":"none.1 once"}]},"configuration":{"blocking":false}}}`, task)
	}
	for _, c := range []struct {
		method, path, body string
		takes              api.Role
	}{
		{"GET", "/api/solves", "", api.RoleReader},
		{"GET", "/api/inbox", "", api.RoleReader},
		{"GET", "/api/session", "", api.RoleReader},
		{"POST", "/api/solves", `{"team":"none","task":"t"}`, api.RoleAuthor},
		{"POST", "/api/solves/none.1/messages", `{"text":"t"}`, api.RoleAuthor},
		{"POST", a2a.Prefix + "platform", message(""), api.RoleAuthor},
		{"POST", "/api/inbox/none.1/answer", `{"text":"t"}`, api.RoleApprover},
		{"POST", "/api/inbox/none.1/verdict", `{"verdict":"once"}`, api.RoleApprover},
		{"POST", "/api/rooms/none/messages", `{"content":"t"}`, api.RoleApprover},
		{"POST", "/api/solves/none.1/cancel", ``, api.RoleOperator},
		{"POST", "/api/solves/none.1/resume", ``, api.RoleOperator},
		{"PUT", "/api/solves/none.1/outcome", `{"right":""}`, api.RoleOperator},
		{"POST", "/api/solves/none.1/retractions", `{"seq":1,"reason":"r"}`, api.RoleOperator},
		{"POST", "/api/memory/revocations", `{"team":"none","source":"s"}`, api.RoleOperator},
		{"MCP", "runs", `{}`, api.RoleReader},
		{"MCP", "solve", `{"team":"platform","task":""}`, api.RoleAuthor},
		{"MCP", "outcome", `{"solve":"none.1","right":"x"}`, api.RoleOperator},
	} {
		for _, role := range api.Roles() {
			status, said := send(role, c.method, c.path, c.body)
			refused := status == http.StatusForbidden || strings.Contains(said, "takes the role")
			if refused == role.May(c.takes) || status == http.StatusUnauthorized {
				t.Errorf("%s %s as %s: %d %s", c.method, c.path, role, status, said)
			}
		}
	}
	// Of the protocols that ask and answer in one request, an author may use what asks.
	var one api.Solve
	if _, said := send(api.RoleAuthor, "POST", "/api/solves", `{"team":"platform","task":"Do we fail over to the second region on Friday?"}`); json.Unmarshal([]byte(said), &one) != nil {
		t.Fatal(said)
	}
	var items []api.Item
	for len(items) == 0 && t.Context().Err() == nil { // the demo's agents do not think: it asks at once
		if _, said := send(api.RoleReader, "GET", "/api/inbox", ""); json.Unmarshal([]byte(said), &items) != nil {
			t.Fatal(said)
		}
	}
	id := items[0].ID
	for _, c := range []struct{ path, body string }{
		{a2a.Prefix + "platform", strings.Replace(message(`,"taskId":"`+one.ID+`"`), "none.1 once", id+" once", 1)},
		{"/api/agui/solves/" + one.ID, fmt.Sprintf(`{"threadId":"t","runId":"r","resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`, id)},
	} {
		_, said := send(api.RoleAuthor, "POST", c.path, c.body)
		if _, got := send(api.RoleReader, "GET", "/api/inbox/"+id, ""); !strings.Contains(got, `"open":true`) {
			t.Fatalf("an author has answered by %s: %s\n%s", c.path, said, got)
		}
		if !strings.Contains(said, "takes the role approver") {
			t.Errorf("%s says %s", c.path, said)
		}
	}
	if said := called(t, o.At.Base(), secrets[api.RoleAuthor], "solve", `{"team":"platform","task":"Do we fail over to the second region on Friday?"}`); !strings.Contains(said, "takes the role approver") {
		t.Errorf("an author has answered by MCP: %s", said)
	}
	called(t, o.At.Base(), secrets[api.RoleApprover], "solve", `{"team":"platform","task":"Do we fail over to the second region on Friday?"}`)
	if _, said := send(api.RoleReader, "GET", "/api/inbox?all=true", ""); !strings.Contains(said, `"by":"approver"`) {
		t.Errorf("the answer of an approver by MCP: %s", said)
	}
	_, said := send(api.RoleApprover, "POST", "/api/inbox/"+id+"/verdict", `{"verdict":"once","by":"somebody"}`)
	if !strings.Contains(said, `"by":"approver"`) {
		t.Errorf("an approver's answer: %s", said)
	}
}

// called calls a tool of the server by MCP, allows what is asked, and returns what is said.
func called(t *testing.T, base, token, tool, args string) string {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"verdict": "once"}}, nil
		},
	})
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + server.MCPPath, HTTPClient: &http.Client{Transport: carrier{token, ""}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close() //nolint:errcheck // it may have ended
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	said, _ := json.Marshal(got)
	return fmt.Sprintf("%s %v", said, err)
}

// What somebody says is said under the name of their token, whatever a request says.
func TestAnAnswerHasTheNameOfItsToken(t *testing.T) {
	s := hosttest.Start(t, t.TempDir(), kinds["two tools"]...)
	_, items := s.Begin(t, "t")
	b := s.Backend.Guarded()
	for _, w := range []api.Who{{}, {Name: "eve", Role: api.RoleAuthor}, {Role: "boss"}} {
		var refused *api.Error
		if _, err := b.Inbox.Decide(api.By(t.Context(), w), items[0].ID, api.Verdict{Verdict: "once", By: "ada"}); !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
			t.Errorf("%+v: %v", w, err)
		}
	}
	for i, w := range []api.Who{{Name: "ada", Role: api.RoleApprover, Kind: asking.Program}, {Role: api.RoleOperator}} {
		got, err := b.Inbox.Decide(api.By(t.Context(), w), items[i].ID, api.Verdict{Verdict: "once", By: "bob"})
		if want := cmp.Or(w.Name, "bob"); err != nil || got.Answer.By != want || got.Answer.From != string(w.Kind) {
			t.Errorf("%+v: %+v, %v", w, got.Answer, err)
		}
	}
	s.Done(t, items[0].Solve)
}

// A client of A2A or AG-UI is an agent, unless its token says what it is. On other doors whoever has no
// such token is a person, as the answer says.
func TestAnAnswerSaysWhetherAnAgentGaveIt(t *testing.T) {
	t.Parallel()
	for name, door := range surfaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := hosttest.Start(t, t.TempDir(), kinds["two tools"]...)
			solve, items := s.Begin(t, "t")
			if err := door.answers(t, s, solve, items[0].ID, api.Verdict{Verdict: "once"}); err != nil {
				t.Fatal(err)
			}
			got, err := s.Backend.Inbox.Item(t.Context(), items[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			by, from := "person", ""
			if strings.HasPrefix(name, "A") && name != "API" {
				by, from = "agent", "agent"
			}
			if got.Answer == nil || got.Answer.By != by || got.Answer.From != from {
				t.Errorf("got %+v", got.Answer)
			}
		})
	}
	for _, kind := range []asking.Answerer{"", asking.Person} {
		api.OfAgents(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if got := api.WhoOf(r.Context()).Kind; got != cmp.Or(kind, asking.Agent) {
				t.Errorf("a token of %q is that of %q", kind, got)
			}
		})).ServeHTTP(nil, httptest.NewRequestWithContext(api.By(t.Context(), api.Who{Kind: kind}), http.MethodGet, "/", nil))
	}
}

func TestWhatIsAllowedForTheSolveCanBeTakenBack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"API", "terminal"} {
		t.Run(name, func(t *testing.T) { t.Parallel(); takenBack(t, surfaces[name]) })
	}
}

func takenBack(t *testing.T, door surface) {
	t.Helper()
	s := hosttest.Start(t, t.TempDir(), kinds["two tools"]...)
	solve, items := s.Begin(t, "t")
	say := func(i int, verdict string) error {
		return door.answers(t, s, solve, items[i].ID, api.Verdict{Verdict: verdict, By: "ada"})
	}
	if err := say(0, "revoke"); err == nil || !strings.Contains(err.Error(), "nothing that was answered") {
		t.Errorf("what has no answer was taken back: %v", err)
	}
	for i, verdict := range []string{"solve", "once"} {
		if err := say(i, verdict); err != nil {
			t.Fatal(err)
		}
	}
	if door == surfaces["API"] {
		s.Done(t, solve)
	}
	if err := say(0, "revoke"); err != nil {
		t.Fatal(err)
	}
	for i := range items {
		if err := say(i, "revoke"); err == nil || !strings.Contains(err.Error(), "nothing that was answered") {
			t.Errorf("item %d was taken back again: %v", i, err)
		}
	}
	got, err := s.Backend.Inbox.Item(t.Context(), items[0].ID)
	if err != nil || got.Answer.Verdict != "once" || !strings.Contains(got.Answer.Text, " took it back") {
		t.Errorf("got %+v, %v", got.Answer, err)
	}
}
