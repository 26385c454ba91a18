package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
)

func TestContractOfResponses(t *testing.T) {
	modelstest.Test(t, modelstest.Responses, func(base string) (models.Model, error) {
		return openai.New(openai.Options{Model: modelstest.Name, BaseURL: base + "/", Key: modelstest.Key, Responses: true})
	})
}

func TestReasoningGoesBackToAServerThatKeepsNothing(t *testing.T) {
	t.Parallel()
	server := modelstest.NewServer(modelstest.Responses, func(_ int, r *models.Request) modelstest.Reply {
		reply := modelstest.Reply{Text: `{"say":"sunny"}`, Usage: models.Usage{Input: 20, Output: 5}}
		if last := r.Messages[len(r.Messages)-1]; len(last.Results) == 0 {
			reply.Text, reply.Calls = "", []models.Call{{ID: "a1b2c3d4e", Name: "get_weather", Args: json.RawMessage(`{"city":"Bern"}`)}}
		}
		return reply
	})
	defer server.Close()
	var sent []string
	m := opened(t, openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key, Responses: true, Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		sent = append(sent, string(body))
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		return http.DefaultTransport.RoundTrip(r)
	})}})
	if notes := converse(t, m); notes != 0 || len(server.Refused()) != 0 {
		t.Errorf("%d notes, refused: %v", notes, server.Refused())
	}
	last := sent[len(sent)-1]
	if secret, call := strings.Index(last, `"encrypted_content":"a secret"`), strings.Index(last, `"type":"function_call"`); secret < 0 || call < secret || strings.Contains(sent[0], "a secret") {
		t.Errorf("with the results it sends %s", last)
	}
}

// TestAResponseIsReadInWholeAndByItsItems has servers that end with less than they said before.
func TestAResponseIsReadInWholeAndByItsItems(t *testing.T) {
	t.Parallel()
	const (
		usage   = `"usage":{"input_tokens":20,"output_tokens":5,"total_tokens":25}`
		message = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Sunny."}]}`
		call    = `{"type":"function_call","call_id":"c1","name":"get_weather","arguments":"{\"city\":\"Bern\"}"}`
	)
	for name, c := range map[string]struct{ body, want string }{
		"a whole body":       {`{"object":"response","status":"completed","output":[` + message + `],` + usage + `}`, "Sunny. stop"},
		"items before":       {`data: {"type":"response.output_item.done","item":` + call + "}\n\n" + `data: {"type":"response.completed","response":{"status":"completed","output":[],` + usage + "}}\n\n", " get_weather calls"},
		"deltas alone":       {`data: {"type":"response.output_text.delta","delta":"Sunny."}` + "\n\n" + `data: {"type":"response.completed","response":{"status":"completed",` + usage + "}}\n\n", "Sunny. stop"},
		"a bound":            {`{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[` + message + `],` + usage + `}`, "Sunny. length"},
		"a filter":           {`{"object":"response","status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[],` + usage + `}`, models.ErrFiltered.Error()},
		"a refusal":          {`{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"I won't."}]}],` + usage + `}`, "I won't."},
		"an error":           {`{"object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"},"output":[]}`, "slow down"},
		"an error in stream": {`data: {"type":"error","code":"server_error","message":"busy"}` + "\n\n", "busy"},
		"no end":             {`data: {"type":"response.output_text.delta","delta":"Sun"}` + "\n\n", models.ErrCutOff.Error()},
	} {
		if got := ofResponses(t, c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// ofResponses is what the adapter makes of a body: the text, the names of calls and the finish, or the error.
func ofResponses(t *testing.T, body string) string {
	t.Helper()
	m := opened(t, openai.Options{Model: "m", BaseURL: "http://127.0.0.1:1/v1", Responses: true, Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})}})
	a, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 500, Tools: weather})
	if err != nil {
		return err.Error()
	}
	got := a.Text
	for _, c := range a.Calls {
		got += " " + c.Name
	}
	return got + " " + string(a.Finish)
}
