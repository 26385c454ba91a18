package a2a_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server is the team of the demo as an agent, and the same team by another name.
type server struct {
	t       *testing.T
	base    string
	team    string // that is called
	backend *api.Backend
}

func start(t *testing.T, pace time.Duration, o a2a.Options) *server {
	t.Helper()
	hub := feed.New(feed.Options{})
	other := demo.Team(pace)
	other.Name, other.Run = "other", "other"
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Teams: []host.Team{demo.Team(pace), other}, Hub: hub, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	o.Backend = h.Backend()
	s, err := a2a.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		hub.Close()
		if err := h.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return &server{t, web.URL, "platform", h.Backend()}
}

// A result is what the tests read of a result, of an event, or of an error.
type result struct {
	Kind      string
	ID        string
	ContextID string
	Final     bool
	Metadata  map[string]any
	Status    struct {
		State   string
		Message struct{ Parts []part }
	}
	History   []json.RawMessage
	Artifacts []artifact
	Artifact  artifact
}

type artifact struct {
	Name  string
	Parts []part
}

type part struct {
	Kind, Text string
	Data       map[string]any
}

type answer struct {
	Result result
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

func (s *server) post(body string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+"/api/a2a/"+s.team, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// call makes a call that is answered at once.
func (s *server) call(method, params string, headers ...string) (got answer) {
	s.t.Helper()
	response := s.post(`{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":`+params+`}`, headers...)
	defer response.Body.Close() //nolint:errcheck // only read
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		s.t.Fatal(err)
	}
	return got
}

// stream returns the events of a call.
func (s *server) stream(method, params string) (all []result) {
	s.t.Helper()
	response := s.post(`{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`)
	defer response.Body.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var got answer
			if err := json.Unmarshal([]byte(text), &got); err != nil || got.Error != nil {
				s.t.Fatalf("%v: %s", err, text)
			}
			all = append(all, got.Result)
		}
	}
	return all
}

var messages atomic.Int64

// says is the parameters of a message.
func says(task string, parts ...string) string {
	if task != "" {
		task = `"taskId":"` + task + `",`
	}
	return `{"message":{"kind":"message","messageId":"` + strconv.FormatInt(messages.Add(1), 10) + `","role":"user",` + task + `"parts":[` + strings.Join(parts, ",") + `]}}`
}

func text(of string) string { return `{"kind":"text","text":"` + of + `"}` }

const (
	orders = "How do we move the orders table to the new schema without losing a write?"
	logs   = "How long may we keep the raw access logs?"
)

func TestATaskIsDecidedWithItsDissent(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	got := s.call("message/send", says("", text(orders)))
	if got.Error != nil || got.Result.Status.State != "completed" || got.Result.Kind != "task" {
		t.Fatalf("got %+v %+v", got.Error, got.Result)
	}
	made := got.Result.Artifacts
	if len(made) != 2 || made[0].Name != "decision" || made[0].Parts[0].Text == "" || made[0].Parts[1].Data["choice"] != "outbox" || made[1].Name != "dissent" || made[1].Parts[0].Text == "" {
		t.Errorf("got %+v", made)
	}
	again := s.call("tasks/get", `{"id":"`+got.Result.ID+`"}`)
	if again.Result.Status.State != "completed" || len(again.Result.Artifacts) != 2 {
		t.Errorf("got %+v", again)
	}
}

func TestAQuestionIsAnsweredByAMessageToTheTask(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	all := s.stream("message/stream", says("", text(logs)))
	first, last := all[0], all[len(all)-1]
	if first.Kind != "task" || last.Kind != "status-update" || !last.Final || last.Status.State != "input-required" || !strings.Contains(last.Status.Message.Parts[0].Text, "May raw access logs") {
		t.Fatalf("got %+v … %+v", first, last)
	}
	question := last.Status.Message.Parts[1].Data["id"].(string)
	if other := s.call("message/send", says(first.ID, `{"kind":"file","file":{"uri":"file:///etc/passwd"}}`)); other.Error == nil || other.Error.Code != -32005 {
		t.Errorf("a file: got %+v", other)
	}
	all = s.stream("message/stream", says(first.ID, text("it is policy"), `{"kind":"data","data":{"id":"`+question+`","vote":"seven-days"}}`))
	last = all[len(all)-1]
	if last.Status.State != "completed" || !last.Final {
		t.Fatalf("got %+v", last)
	}
	var decision artifact
	for _, e := range all {
		if e.Artifact.Name == "decision" {
			decision = e.Artifact
		}
	}
	if len(decision.Parts) != 2 || decision.Parts[1].Data["choice"] != "seven-days" {
		t.Errorf("got %+v", decision)
	}
	if late := s.call("message/send", says(first.ID, text("me too"))); late.Error == nil || late.Error.Code != -32004 {
		t.Errorf("an answer to what asks nothing: got %+v", late)
	}
	late := s.call("message/send", says(first.ID, text(question+" me too")))
	if one, ok := late.Result.Metadata["answered"].(map[string]any); !ok || one["vote"] != "seven-days" || late.Result.Status.State != "completed" {
		t.Errorf("a second answer: got %+v %+v", late.Error, late.Result.Metadata)
	}
	whole := s.stream("tasks/resubscribe", `{"id":"`+first.ID+`"}`)
	if len(whole) <= len(all) || whole[len(whole)-1].Status.State != "completed" {
		t.Errorf("%d events again, %d after the answer", len(whole), len(all))
	}
}

func TestATaskGoesOnWithoutItsClientUntilItIsCancelled(t *testing.T) {
	t.Parallel()
	s := start(t, time.Hour, a2a.Options{Tasks: 1})
	params := `{"configuration":{"blocking":false},` + says("", text(orders))[1:]
	got := s.call("message/send", params)
	if got.Result.Status.State != "working" {
		t.Fatalf("got %+v", got)
	}
	if more := s.call("message/send", params); more.Error == nil || !strings.Contains(more.Error.Data["error"].(string), "1 tasks are running") {
		t.Errorf("a second task: got %+v", more)
	}
	if ended := s.call("tasks/cancel", `{"id":"`+got.Result.ID+`"}`); ended.Result.Status.State != "canceled" {
		t.Errorf("got %+v", ended)
	}
	if again := s.call("tasks/cancel", `{"id":"`+got.Result.ID+`"}`); again.Error == nil || again.Error.Code != -32002 {
		t.Errorf("got %+v", again)
	}
}

func TestTasksThatStartTogetherKeepTheLimitAndAreNamedBeyondIt(t *testing.T) {
	t.Parallel()
	told := make(chan string, 100)
	s := start(t, time.Hour, a2a.Options{Tasks: 2, Refused: func(client, limit string) { told <- client + ": " + limit }})
	var wg sync.WaitGroup
	var begun atomic.Int64
	for range 20 {
		wg.Go(func() {
			if got := s.call("message/send", `{"configuration":{"blocking":false},`+says("", text(orders))[1:]); got.Error == nil {
				begun.Add(1)
			}
		})
	}
	wg.Wait()
	if n := begun.Load(); n != 2 {
		t.Errorf("%d tasks run, want 2", n)
	}
	if n := len(told); n != 1 {
		t.Fatalf("told of %d refusals in a minute, want 1", n)
	}
	if got := <-told; !strings.HasPrefix(got, "127.0.0.1:") || !strings.HasSuffix(got, ": 2 tasks are running") {
		t.Errorf("told %q", got)
	}
}

func TestUnsupportedRequestsAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{Message: 4096})
	for name, c := range map[string]struct {
		got  answer
		code int
		want string
	}{
		"another version":   {s.call("message/send", says("", text("x")), "A2A-Version", "1.0"), -32009, "speaks A2A 0.3.0"},
		"its methods":       {s.call("SendMessage", says("", text("x"))), -32009, "SendMessage"},
		"no such method":    {s.call("message/shout", "{}"), -32601, ""},
		"no such task":      {s.call("tasks/get", `{"id":"platform.none"}`), -32001, ""},
		"another's task":    {s.call("tasks/get", `{"id":"../x.none"}`), -32001, ""},
		"no text":           {s.call("message/send", says("")), -32602, ""},
		"no message":        {s.call("message/send", `{}`), -32602, ""},
		"push":              {s.call("tasks/pushNotificationConfig/list", `{"id":"platform.none"}`), -32003, ""},
		"too large":         {s.call("message/send", says("", text(strings.Repeat("x", 5000)))), -32600, "4096 bytes"},
		"data of something": {s.call("message/send", says("", `{"kind":"data","data":{"vote":1}}`)), -32602, ""},
	} {
		if c.got.Error == nil || c.got.Error.Code != c.code || !strings.Contains(c.got.Error.Message, c.want) {
			t.Errorf("%s: got %+v", name, c.got.Error)
		}
	}
}

func TestATaskIsOfItsTeamAlone(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	asked := s.stream("message/stream", says("", text(logs)))[0].ID
	other := &server{s.t, s.base, "other", s.backend}
	for method, params := range map[string]string{
		"tasks/get":         `{"id":"` + asked + `"}`,
		"tasks/cancel":      `{"id":"` + asked + `"}`,
		"message/send":      says(asked, text("it is policy"), `{"kind":"data","data":{"vote":"seven-days"}}`),
		"tasks/resubscribe": `{"id":"` + asked + `"}`,
	} {
		response := other.post(`{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`)
		all, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(all), "-32001") || strings.Contains(string(all), "artifact") {
			t.Errorf("%s by another team: %v: got %s", method, err, all)
		}
	}
	if got := s.call("tasks/get", `{"id":"`+asked+`"}`); got.Error != nil || got.Result.Status.State != "input-required" {
		t.Errorf("by its own team: got %+v", got)
	}
}

func TestTheCardNamesTheAddressByWhichItWasAskedFor(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{Version: "1.2"})
	got, err := http.Get(s.base + "/api/a2a/platform/.well-known/agent-card.json") //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // only read
	var card struct {
		Name, URL, ProtocolVersion, Version string
		Skills                              []struct{ Description string }
		Security                            []map[string][]string
	}
	if err := json.NewDecoder(got.Body).Decode(&card); err != nil {
		t.Fatal(err)
	}
	if card.Name != "platform" || card.URL != s.base+"/api/a2a/platform" || card.ProtocolVersion != "0.3.0" || !strings.Contains(card.Skills[0].Description, "planner") || len(card.Security) != 1 {
		t.Errorf("got %+v", card)
	}
}

// described is a team with a description.
type described struct{ api.Solves }

func (described) Teams(context.Context) ([]api.Team, error) {
	return []api.Team{{Name: "platform", Description: "Decides on the platform.", Agents: []string{"ann"}}}, nil
}

func TestTheCardIsAtTheOlderPathTooAndItsSentencesEndOnce(t *testing.T) {
	t.Parallel()
	agent, err := a2a.New(t.Context(), a2a.Options{Backend: &api.Backend{Solves: described{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"agent-card.json", "agent.json"} {
		w := httptest.NewRecorder()
		agent.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, a2a.Prefix+"platform/.well-known/"+path, nil))
		if card := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(card, "Decides on the platform. Its agents (ann)") {
			t.Errorf("%s: got %d %s", path, w.Code, card)
		}
	}
}

func TestAFloodIsRefused(t *testing.T) {
	t.Parallel()
	told := make(chan string, 10)
	s := start(t, time.Hour, a2a.Options{Streams: 1, Refused: func(_, limit string) { told <- limit }})
	stream := s.post(`{"jsonrpc":"2.0","id":7,"method":"message/stream","params":` + says("", text(orders)) + `}`)
	defer stream.Body.Close() //nolint:errcheck // only read
	if _, err := stream.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if got := s.call("tasks/get", `{"id":"platform.none"}`); got.Error == nil || !strings.Contains(got.Error.Message, "more than 1 requests") {
		t.Errorf("got %+v", got.Error)
	}
	s.call("tasks/get", `{"id":"platform.none"}`)
	if n := len(told); n != 1 || !strings.Contains(<-told, "more than 1 requests") {
		t.Errorf("told of %d refusals in a minute, want 1", n)
	}
}
