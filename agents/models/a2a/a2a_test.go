package a2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/a2a"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An agent answers calls, and has a card in which BASE is its address, and HOST its host.
type agent struct {
	card  string
	calls chan string // methods and versions
	does  func(w http.ResponseWriter, method string, params json.RawMessage)
}

const (
	newCard = `{"name":"x","supportedInterfaces":[{"url":"BASE/grpc","protocolBinding":"GRPC","protocolVersion":"1.0"},{"url":"BASE/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"protocolVersion":"0.3.0","url":"BASE/old"}`
	oldCard = `{"name":"x","url":"BASE/rpc","protocolVersion":"0.3.0","preferredTransport":"JSONRPC"}`
)

func serve(t *testing.T, g *agent) *a2a.Model {
	t.Helper()
	g.calls = make(chan string, 1000)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer the-secret-key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/.well-known/agent-card.json") {
			_, _ = io.WriteString(w, strings.NewReplacer("BASE", "http://"+r.Host, "HOST", r.Host).Replace(g.card))
			return
		}
		var call struct {
			Method string
			Params json.RawMessage
		}
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &call); err != nil {
			t.Error(err)
		}
		g.calls <- call.Method + " " + r.Header.Get("A2A-Version") + " " + r.URL.Path
		g.does(w, call.Method, call.Params)
	}))
	m, err := a2a.New(a2a.Options{Name: "x", URL: web.URL + "/agent/", Key: "the-secret-key", Every: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.Close()
		web.CloseClientConnections()
		web.Close()
	})
	return m
}

// result answers a call.
func result(w io.Writer, value string) {
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":`+value+`}`)
}

func ask(ctx context.Context, m models.Model) (*models.Answer, error) {
	return m.Ask(ctx, &models.Request{System: "You vote.", Messages: []models.Message{models.User("Which port?")}, Schema: &models.Schema{Name: "s", JSON: json.RawMessage(`{"type":"object"}`)}, Most: 100})
}

func TestBothVersionsAreSpokenAsTheCardSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ card, send, working, done, message string }{
		"1.0": {
			newCard, "SendMessage 1.0 /rpc", `{"task":{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"}}}`,
			`{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"parts":[{"text":"it is"},{"data":{"port":8080}}]}]}`,
			`{"message":{"messageId":"m","parts":[{"text":"8080"}]}}`,
		},
		"0.3": {
			oldCard, "message/send 0.3 /rpc", `{"kind":"task","id":"t","status":{"state":"working"}}`,
			`{"kind":"task","id":"t","status":{"state":"completed"},"artifacts":[{"parts":[{"kind":"text","text":"it is"},{"kind":"data","data":{"port":8080}}]}]}`,
			`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"8080"}]}`,
		},
	} {
		looks := 0
		g := &agent{card: c.card, does: func(w http.ResponseWriter, method string, params json.RawMessage) {
			switch {
			case strings.HasPrefix(method, "SendMessage"), method == "message/send":
				if !strings.Contains(string(params), "You vote.") || !strings.Contains(string(params), "Which port?") || !strings.Contains(string(params), "schema") {
					t.Errorf("%s: sent %s", name, params)
				}
				result(w, c.working)
			case looks < 2:
				looks++
				result(w, strings.TrimSuffix(strings.TrimPrefix(c.working, `{"task":`), "}")+map[bool]string{true: "", false: "}"}[name == "1.0"])
			default:
				result(w, c.done)
			}
		}}
		m := serve(t, g)
		a, err := ask(t.Context(), m)
		if err != nil || a.Text != `{"port":8080}` || a.Finish != models.FinishStop || a.Counted() {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
		if got := <-g.calls; got != c.send {
			t.Errorf("%s: called %s", name, got)
		}
		g.does = func(w http.ResponseWriter, _ string, _ json.RawMessage) { result(w, c.message) }
		if a, err = ask(t.Context(), m); err != nil || a.Text != "8080" {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
	}
}

func TestAPeerThatCannotBeSpokenToIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	never := func(http.ResponseWriter, string, json.RawMessage) { t.Error("it was called") }
	for card, want := range map[string]string{
		`{"supportedInterfaces":[{"url":"BASE","protocolBinding":"JSONRPC","protocolVersion":"2.0"}]}`: "offers A2A 2.0 by JSONRPC; this model speaks 1.0 and 0.3",
		`{"url":"BASE","protocolVersion":"0.3.0","preferredTransport":"GRPC"}`:                         "0.3.0 by GRPC",
		`{"url":"BASE","protocolVersion":"0.2.5"}`:                                                     "0.2.5",
		`{}`: "offers A2A ;",
		`{"supportedInterfaces":[{"url":"http://evil.example.org/","protocolBinding":"JSONRPC","protocolVersion":"1"}]}`: "another server",
		`{"supportedInterfaces":[{"url":"https://HOST/rpc","protocolBinding":"JSONRPC","protocolVersion":"1"}]}`:         "another server",
	} {
		_, err := ask(t.Context(), serve(t, &agent{card: card, does: never}))
		var e *models.Error
		if !errors.As(err, &e) || e.Problem != models.ErrInvalid || e.Temporary() || !e.Unbilled || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", card, err)
		}
	}
	m := serve(t, &agent{card: newCard, does: never})
	_, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("x")}, Most: 1, Tools: []models.Tool{{Name: "rm"}}})
	if !errors.Is(err, models.ErrInvalid) {
		t.Errorf("tools: got %v", err)
	}
}

func TestAHostilePeerIsBoundedAndNamed(t *testing.T) {
	t.Parallel()
	flood := func(w http.ResponseWriter, begin, piece string) {
		_, _ = io.WriteString(w, begin)
		for {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	}
	task := func(state, said string) string {
		return `{"task":{"id":"t","status":{"state":"TASK_STATE_` + state + `","message":{"parts":[{"text":"` + said + `"}]}}}}`
	}
	for name, c := range map[string]struct {
		does func(w http.ResponseWriter)
		want *models.Problem
		says string
	}{
		"floods": {func(w http.ResponseWriter) {
			flood(w, `{"result":{"task":{"artifacts":[`, strings.Repeat(`{"parts":[{"text":"x"}]},`, 4096))
		}, models.ErrMalformed, "16 MiB"},
		"huge text":      {func(w http.ResponseWriter) { result(w, task("COMPLETED", strings.Repeat("x", 2<<20))) }, models.ErrMalformed, "at most 1048576"},
		"says nothing":   {func(w http.ResponseWriter) { result(w, task("COMPLETED", "")) }, models.ErrMalformed, "without text"},
		"no JSON":        {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>") }, models.ErrMalformed, ""},
		"null":           {func(w http.ResponseWriter) { result(w, "null") }, models.ErrMalformed, ""},
		"asks back":      {func(w http.ResponseWriter) { result(w, task("INPUT_REQUIRED", "Which one?")) }, models.ErrInvalid, "Which one?"},
		"wants a key":    {func(w http.ResponseWriter) { result(w, task("AUTH_REQUIRED", "")) }, models.ErrAuth, ""},
		"rejects":        {func(w http.ResponseWriter) { result(w, task("REJECTED", "no")) }, models.ErrFiltered, "no"},
		"fails":          {func(w http.ResponseWriter) { result(w, task("FAILED", "oops")) }, models.ErrOverloaded, "oops"},
		"a made-up word": {func(w http.ResponseWriter) { result(w, task("DANCING", "la")) }, models.ErrMalformed, "dancing"},
		"an error": {func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"error":{"code":-32603,"message":"the-secret-key"}}`)
		}, models.ErrOverloaded, "-32603"},
		"a status": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, models.ErrRateLimited, ""},
		"redirects": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://evil.example.org/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, models.ErrInvalid, "redirect"},
	} {
		m := serve(t, &agent{card: newCard, does: func(w http.ResponseWriter, _ string, _ json.RawMessage) { c.does(w) }})
		_, err := ask(t.Context(), m)
		var e *models.Error
		if !errors.As(err, &e) || e.Problem != c.want || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "a2a:x") || strings.Contains(err.Error(), "the-secret-key") {
			t.Errorf("%s: got %.300v", name, err)
		}
	}
}

func TestAPeerThatNeverEndsIsLeftAndItsTaskCancelled(t *testing.T) {
	t.Parallel()
	cancelled := make(chan string, 1)
	g := &agent{card: newCard, does: func(w http.ResponseWriter, method string, params json.RawMessage) {
		if method == "CancelTask" {
			cancelled <- string(params)
		}
		if method == "SendMessage" {
			result(w, `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`)
			return
		}
		result(w, `{"id":"t","status":{"state":"TASK_STATE_WORKING"}}`)
	}}
	m := serve(t, g)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for range 5 {
			<-g.calls
		}
		cancel(enough)
	}()
	if _, err := ask(ctx, m); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	m.Close()
	if got := <-cancelled; got != `{"id":"t"}` {
		t.Errorf("cancelled %s", got)
	}
}

func TestAStreamThatDripsForEverEndsWithTheContext(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	gone := make(chan struct{})
	m := serve(t, &agent{card: oldCard, does: func(w http.ResponseWriter, _ string, _ json.RawMessage) {
		defer close(gone)
		close(begun)
		for {
			if _, err := io.WriteString(w, " "); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := ask(ctx, m); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-gone
}
