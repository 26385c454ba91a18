package agui_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/internal/agui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves the team of the demo, whose agents think so long.
func start(t *testing.T, pace time.Duration) (base string, b *api.Backend) {
	t.Helper()
	hub := feed.New(feed.Options{PerUser: 2})
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Teams: []host.Team{demo.Team(pace)}, Hub: hub, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	s := agui.Server{Backend: h.Backend(), Hub: hub, User: func(*http.Request) string { return "test" }}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		hub.Close()
		server.CloseClientConnections()
		server.Close()
		if err := h.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return server.URL + "/api/agui/", h.Backend()
}

// post sends an input. The caller closes the body of the answer.
func post(t *testing.T, ctx context.Context, url, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// run returns the events of a run.
func run(t *testing.T, url, body string) (all []agui.Event) {
	t.Helper()
	got := post(t, t.Context(), url, body)
	defer got.Body.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e agui.Event
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		t.Fatalf("status %d without events", got.StatusCode)
	}
	return all
}

const logs = `{"threadId":"t","runId":"1","messages":[{"id":"m","role":"user","content":[{"type":"text","text":"How long may we keep the raw access logs?"}]}],"tools":[],"context":[]`

func TestAQuestionIsAnsweredByTheNextRun(t *testing.T) {
	t.Parallel()
	base, _ := start(t, 0)
	first := run(t, base+"teams/platform", logs+"}")
	end := first[len(first)-1]
	if first[0].Type != "RUN_STARTED" || first[0].Protocol != "1.0" || end.Outcome == nil || end.Outcome.Type != "interrupt" || len(end.Outcome.Interrupts) != 1 {
		t.Fatalf("got %+v", end)
	}
	left := run(t, base+"teams/platform", logs+`,"resume":[{"interruptId":"`+end.Outcome.Interrupts[0].ID+`","status":"cancelled"}]}`)
	if left[len(left)-1].Outcome.Type != "cancelled" {
		t.Errorf("got %+v", left)
	}
	second := run(t, base+"teams/platform", logs+`,"resume":[{"interruptId":"`+end.Outcome.Interrupts[0].ID+`","status":"resolved","payload":"Yes, by ticket"}]}`)
	last := second[len(second)-1]
	if last.Outcome == nil || last.Outcome.Type != "success" || last.Result.(map[string]any)["answer"] == "" {
		t.Fatalf("got %+v", last)
	}
	said := map[string]bool{}
	for _, e := range append(first, second...) {
		if e.Type == "TEXT_MESSAGE_START" {
			if said[e.MessageID] {
				t.Errorf("%s is shown twice", e.MessageID)
			}
			said[e.MessageID] = true
		}
	}
	// Shown again, it has the same messages.
	again := run(t, base+"solves/"+last.Result.(map[string]any)["solve"].(string), logs+"}")
	for _, e := range again {
		if e.Type == "TEXT_MESSAGE_START" {
			delete(said, e.MessageID)
		}
	}
	if len(said) > 0 {
		t.Errorf("not shown again: %v", said)
	}
}

func TestAnswersOfTwoSolvesAreNoRun(t *testing.T) {
	t.Parallel()
	base, b := start(t, 0)
	var entries []string
	for range 2 {
		all := run(t, base+"teams/platform", logs+"}")
		end := all[len(all)-1].Outcome
		entries = append(entries, `{"interruptId":"`+end.Interrupts[0].ID+`","status":"cancelled"}`)
	}
	entries[1] = strings.Replace(entries[1], `"cancelled"`, `"resolved","payload":"Yes"`, 1)
	got := post(t, t.Context(), base+"teams/platform", logs+`,"resume":[`+strings.Join(entries, ",")+"]}")
	text, err := io.ReadAll(got.Body)
	_ = got.Body.Close()
	if err != nil || got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), "are of two solves") {
		t.Errorf("%v: got %d %s", err, got.StatusCode, text)
	}
	if open, err := b.Inbox.Items(t.Context(), false); err != nil || len(open) != 2 {
		t.Errorf("%d questions are open, want both: %v", len(open), err)
	}
}

func TestInvalidInputsAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	base, _ := start(t, 0)
	for body, want := range map[string]string{
		`{`:                              "no RunAgentInput",
		`{"threadId":"t","messages":[]}`: "runId",
		`{"threadId":"t","runId":"1"}`:   "no user message",
		`{"threadId":"t","runId":"1","messages":[{"role":"user","content":[{"type":"image"}]}]}`:        `part of type \"image\"`,
		`{"threadId":"t","runId":"1","messages":[{"role":"user","content":""}]}`:                        "task",
		`{"threadId":"t","runId":"1","protocolVersion":"2.0"}`:                                          "speaks AG-UI 1.0",
		`{"threadId":"t","runId":"1","resume":[{"interruptId":"platform.none.1","status":"resolved"}]}`: "there is no item",
		`{"threadId":"` + strings.Repeat("x", 2<<20) + `"}`:                                             "too large",
	} {
		got := post(t, t.Context(), base+"teams/platform", body)
		text := make([]byte, 4096)
		n, _ := got.Body.Read(text)
		_ = got.Body.Close()
		if got.StatusCode < 400 || got.StatusCode >= 500 || !strings.Contains(string(text[:n]), want) {
			t.Errorf("%.80s: got %d %s, want %s", body, got.StatusCode, text[:n], want)
		}
	}
	got := post(t, t.Context(), base+"teams/none", logs+"}")
	if _ = got.Body.Close(); got.StatusCode != http.StatusNotFound {
		t.Errorf("no such team: got %d", got.StatusCode)
	}
}

func TestAClientThatLeavesCancelsTheSolveItStarted(t *testing.T) {
	t.Parallel()
	base, b := start(t, time.Hour)
	ctx, leave := context.WithCancel(t.Context())
	got := post(t, ctx, base+"teams/platform", logs+"}")
	all, err := b.Solves.List(t.Context(), api.SolvesQuery{Limit: 10})
	if err != nil || len(all) != 1 || all[0].State != api.Running {
		t.Fatalf("got %v, %v", all, err)
	}
	watcher, stop := context.WithCancel(t.Context())
	seen := post(t, watcher, base+"solves/"+all[0].ID, logs+"}")
	// A third stream is one too many.
	third := post(t, t.Context(), base+"solves/"+all[0].ID, logs+"}")
	if _ = third.Body.Close(); third.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a third stream: got %d", third.StatusCode)
	}
	stop()
	_ = seen.Body.Close()
	if one, err := b.Solves.Get(t.Context(), all[0].ID, 0); err != nil || one.State != api.Running {
		t.Errorf("a watcher that left ended it: %s, %v", one.State, err)
	}
	leave()
	_ = got.Body.Close()
	for one := all[0]; one.State == api.Running; {
		if t.Context().Err() != nil {
			t.Fatal("it still runs")
		}
		d, err := b.Solves.Get(t.Context(), one.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		one = d.Solve
	}
}
