package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
)

// serveGateway starts Portkey's AI gateway, which speaks the protocol of OpenAI and passes calls on
// in those of others.
func serveGateway(t *testing.T) (base string) {
	t.Helper()
	dir := os.Getenv("SWARMBUS_GATEWAY")
	if dir == "" {
		t.Skip("SKIPPED: SWARMBUS_GATEWAY names no gateway to test against; .ci/gateway installs one, and .ci/run tests with it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "node_modules/@portkey-ai/gateway/build/start-server.js")
	server := exec.CommandContext(context.WithoutCancel(t.Context()), "node", script, "--headless", "--port="+port) //nolint:gosec // it is ours
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stdout, server.Stderr = in, in
	if err := errors.Join(server.Start(), in.Close()); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	var reading sync.WaitGroup
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		reading.Wait()
		_ = out.Close()
		if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
	})
	lines := bufio.NewScanner(io.TeeReader(out, &log))
	for lines.Scan() {
		if strings.Contains(lines.Text(), "Ready for connections") {
			reading.Go(func() { _, _ = io.Copy(&log, out) })
			return "http://127.0.0.1:" + port
		}
	}
	t.Fatalf("the gateway does not come up: %v", lines.Err())
	return ""
}

// upstream is a provider behind the gateway. It answers with what reply returns, which gets the
// request.
func upstream(t *testing.T, d modelstest.Dialect, reply func(sent string) modelstest.Reply) (base string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent bytes.Buffer
		body, err := io.ReadAll(r.Body)
		if err := errors.Join(err, json.Compact(&sent, body)); err != nil {
			t.Error(err)
		}
		answer := reply(sent.String())
		if answer.Status != 0 {
			w.Header().Set("Retry-After", answer.RetryAfter)
			d.Refuse(w, answer.Status, "not now")
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		all, end := d.Events(&answer)
		if answer.Fault != modelstest.CutOff {
			all = slices.Concat(all, end)
		}
		for _, event := range all {
			_, _ = io.WriteString(w, event)
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestRealGatewayPassesOnWhatIsSaid has one of OpenAI's protocol and one of Anthropic's behind the gateway,
// which translates both ways.
func TestRealGatewayPassesOnWhatIsSaid(t *testing.T) {
	base := serveGateway(t)
	for provider, d := range map[string]modelstest.Dialect{"openai": modelstest.OpenAI, "anthropic": modelstest.Anthropic} {
		var answer modelstest.Reply
		var sent string
		host := upstream(t, d, func(request string) modelstest.Reply {
			sent = request
			return answer
		})
		model := func(schema openai.Schema) *openai.Model {
			return opened(t, openai.Options{
				Model: modelstest.Name, BaseURL: base + "/v1", Key: modelstest.Key, Schema: schema,
				Header: http.Header{"X-Portkey-Provider": {provider}, "X-Portkey-Custom-Host": {host}},
			})
		}
		m, pieces := model(""), 0
		usage := models.Usage{Input: 10, Output: 5}
		r := &models.Request{
			System: "You help.", Messages: []models.Message{models.User("Well?")}, Most: 50, Show: func(models.Piece) { pieces++ },
			Tools: []models.Tool{{Name: "look_up", Description: "Looks.", Schema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)}},
		}
		const text = "Zwölf Boxkämpfer jagen 🦊 über den Sylter Deich."
		answer = modelstest.Reply{Text: text, Finish: models.FinishStop, Usage: usage}
		if a, err := m.Ask(t.Context(), r); err != nil || a.Text != text || pieces < 2 || a.Usage != usage || a.Finish != models.FinishStop {
			t.Errorf("%s: %+v, %v in %d pieces", provider, a, err, pieces)
		}
		calls := []models.Call{{ID: "c1", Name: "look_up", Args: json.RawMessage(`{"word":"jitter"}`)}, {ID: "c2", Name: "look_up", Args: json.RawMessage(`{"word":"é"}`)}}
		answer = modelstest.Reply{Text: "I look.", Calls: calls, Finish: models.FinishCalls, Usage: usage}
		a, err := m.Ask(t.Context(), r)
		if err != nil || !cmp.Equal(a.Calls, calls) || a.Text != "I look." || a.Finish != models.FinishCalls {
			t.Fatalf("%s: %+v, %v", provider, a, err)
		}
		again := *r
		again.Messages = append(again.Messages, a.Message(), models.Message{Role: models.RoleUser, Results: []models.Result{{Call: "c1", Text: "chance in time"}, {Call: "c2", Text: "a letter"}}})
		answer = modelstest.Reply{Text: "So.", Finish: models.FinishStop, Usage: usage}
		if a, err := m.Ask(t.Context(), &again); err != nil || a.Text != "So." {
			t.Errorf("%s: %+v, %v", provider, a, err)
		}
		for _, want := range []string{"You help.", "I look.", `"c1"`, "jitter", "chance in time", `"c2"`, "é", "a letter"} {
			if !strings.Contains(sent, want) {
				t.Errorf("%s lacks %s: %s", provider, want, sent)
			}
		}
		const vote = `{"stance":"agree","reasons":"so"}`
		inSchema := &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 50, Schema: voteSchema}
		answer = modelstest.Reply{Calls: []models.Call{{ID: "c1", Name: "vote", Args: json.RawMessage(vote)}}, Finish: models.FinishCalls, Usage: usage}
		if a, err := model(openai.Tools).Ask(t.Context(), inSchema); err != nil || a.Text != vote || len(a.Calls) > 0 || !strings.Contains(sent, "abstain") {
			t.Errorf("%s: in the schema of a tool: %+v, %v of %s", provider, a, err, sent)
		}
		answer = modelstest.Reply{Text: vote, Finish: models.FinishStop, Usage: usage}
		if a, err := model(openai.Prompt).Ask(t.Context(), inSchema); err != nil || a.Text != vote || !strings.Contains(sent, "abstain") {
			t.Errorf("%s: in the schema of the prompt: %+v, %v of %s", provider, a, err, sent)
		}
		answer = modelstest.Reply{Text: "It is clipp", Finish: models.FinishLength, Usage: usage}
		if a, err := m.Ask(t.Context(), r); err != nil || a.Finish != models.FinishLength {
			t.Errorf("%s: cut by its bound: %+v, %v", provider, a, err)
		}
		answer = modelstest.Reply{Text: "It is clipp", Finish: models.FinishStop, Usage: usage, Fault: modelstest.CutOff}
		if a, err := m.Ask(t.Context(), r); !errors.Is(err, models.ErrCutOff) {
			t.Errorf("%s: broken off: %+v, %v", provider, a, err)
		}
		for status, want := range map[int]*models.Problem{400: models.ErrInvalid, 401: models.ErrAuth, 404: models.ErrNotFound, 429: models.ErrRateLimited, 503: models.ErrOverloaded} {
			answer = modelstest.Reply{Status: status, RetryAfter: "7"}
			_, err := m.Ask(t.Context(), r)
			var failed *models.Error
			if !errors.Is(err, want) || !errors.As(err, &failed) || failed.Status != status || failed.After != 7*time.Second || !strings.Contains(failed.Detail, "not now") {
				t.Errorf("%s: status %d: %v", provider, status, err)
			}
		}
	}
}

// TestRealGatewayIsLeftWithTheContext ends the context in the middle of an answer, and asks behind it a host that
// is not there.
func TestRealGatewayIsLeftWithTheContext(t *testing.T) {
	base := serveGateway(t)
	host := upstream(t, modelstest.OpenAI, func(string) modelstest.Reply {
		return modelstest.Reply{Text: strings.Repeat("on and on ", 1000), Finish: models.FinishStop}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	why := errors.New("enough")
	m := opened(t, openai.Options{Model: modelstest.Name, BaseURL: base + "/v1", Header: http.Header{"X-Portkey-Provider": {"openai"}, "X-Portkey-Custom-Host": {host}}})
	_, err := m.Ask(ctx, &models.Request{Messages: []models.Message{models.User("Go on.")}, Most: 9, Show: func(models.Piece) { cancel(why) }})
	if !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	m = opened(t, openai.Options{Model: modelstest.Name, BaseURL: base + "/v1", Header: http.Header{"X-Portkey-Provider": {"openai"}, "X-Portkey-Custom-Host": {gone.URL}}})
	var failed *models.Error
	if _, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 9}); !errors.As(err, &failed) || !failed.Temporary() {
		t.Errorf("behind the gateway nobody is there: %v", fmt.Sprint(err))
	}
}
