package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/anthropic"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// opened returns a model that is closed with the test.
func opened(t *testing.T, o anthropic.Options) *anthropic.Model {
	t.Helper()
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func TestContract(t *testing.T) {
	modelstest.Test(t, modelstest.Anthropic, func(base string) (models.Model, error) {
		return anthropic.New(anthropic.Options{Model: modelstest.Name, BaseURL: base, Key: modelstest.Key})
	})
}

func TestKeysAreSecrets(t *testing.T) {
	modelstest.TestSecrets(t, func(base, key string, header http.Header) (models.Model, error) {
		return anthropic.New(anthropic.Options{Model: modelstest.Name, BaseURL: base, Key: key, Header: header})
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []anthropic.Options{{}, {Model: "m"}, {Key: "k"}, {Model: "m", Key: "k", BaseURL: "ftp://x"}} {
		if _, err := anthropic.New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestUnsupportedSchemaMembersAreLeftOut(t *testing.T) {
	s := modelstest.NewServer(modelstest.Anthropic, func(int, *models.Request) modelstest.Reply { return modelstest.Reply{Text: "{}"} })
	defer s.Close()
	m := opened(t, anthropic.Options{Model: modelstest.Name, BaseURL: s.URL, Key: modelstest.Key})
	_, err := m.Ask(t.Context(), &models.Request{
		Messages: []models.Message{models.User("?")}, Most: 1,
		Schema: &models.Schema{Name: "x", JSON: []byte(`{"type":"object","properties":{"maximum":{"type":"number","maximum":1},"all":{"type":"array","maxItems":3,"items":{"type":"string","maxLength":2}}},"required":["maximum","all"],"additionalProperties":false}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := string(s.Requests()[0].Schema.JSON)
	if strings.Contains(got, "maxItems") || strings.Contains(got, "maxLength") || strings.Count(got, "maximum") != 2 {
		t.Errorf("sent %s", got)
	}
}

func TestMessagesBeforeTheLastAreMarkedForCaching(t *testing.T) {
	for _, no := range []bool{false, true} {
		var body string
		m, err := anthropic.New(anthropic.Options{Model: "m", Key: "k", NoCache: no, Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			data := make([]byte, 1<<16)
			n, _ := r.Body.Read(data)
			body = string(data[:n])
			return nil, errors.New("closed")
		})}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("one"), models.User("two")}, Most: 1})
		before, after, marked := strings.Cut(body, "cache_control")
		if !errors.Is(err, models.ErrConnection) || marked == no || marked && (!strings.Contains(before, "one") && !strings.Contains(after, "one") || !strings.Contains(after, "two")) {
			t.Errorf("%v, sent %s", err, body)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func ExampleNew() {
	model, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5", Key: "from-where-you-keep-it"})
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(model.ID().String())
	// Output: anthropic:claude-sonnet-4-5
}

func TestNoHalfMessageIsTakenForAWholeOne(t *testing.T) {
	const (
		start = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`
		begin = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
		text  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"yes"}}`
		end   = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`
		calls = `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}`
		pause = `{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":3}}`
		stop  = `{"type":"message_stop"}`
	)
	for name, c := range map[string]struct {
		events []string
		want   error
	}{
		"whole":          {[]string{start, begin, text, end, stop}, nil},
		"the end alone":  {[]string{stop}, models.ErrCutOff},
		"no stop reason": {[]string{start, begin, text, stop}, models.ErrCutOff},
		"a pause":        {[]string{start, begin, text, pause, stop}, models.ErrCutOff},
		"a start twice":  {[]string{start, begin, text, start, end, stop}, nil},
		"another start":  {[]string{start, begin, text, strings.Replace(start, `"m"`, `"n"`, 1), stop}, models.ErrCutOff},
		"calls it lacks": {[]string{start, begin, text, calls, stop}, models.ErrMalformed},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, e := range c.events {
				kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
				_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, e)
			}
		}))
		defer s.Close()
		m := opened(t, anthropic.Options{Model: "m", BaseURL: s.URL, Key: "sk-1"})
		if a, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %+v, %v, want %v", name, a, err, c.want)
		}
	}
}

// TestWhatTheServerRefusesIsSentOtherwiseOnce has a server that takes neither a temperature nor
// a schema, as gateways in front of other models do.
func TestWhatTheServerRefusesIsSentOtherwiseOnce(t *testing.T) {
	var sent []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		sent = append(sent, body)
		for _, name := range []string{"temperature", "output_config"} {
			if body[name] != nil {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":"%s: Extra inputs are not permitted"}}`, name)
				return
			}
		}
		_, _ = w.Write([]byte(`{"type":"message","model":"m","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}`))
	}))
	defer server.Close()
	m, err := anthropic.New(anthropic.Options{Model: "m", Key: "k", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	cool := 0.2
	r := &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 10, Temperature: &cool, Schema: &models.Schema{Name: "s", JSON: json.RawMessage(`{"type":"object"}`)}}
	for _, want := range []struct{ requests, notes int }{{3, 2}, {4, 0}} {
		a, err := m.Ask(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(sent) != want.requests || len(a.Notes) != want.notes {
			t.Errorf("%d requests, notes %q; want %+v", len(sent), a.Notes, want)
		}
	}
	if system := fmt.Sprint(sent[3]["system"]); !strings.Contains(system, `{"type":"object"}`) {
		t.Errorf("the prompt %q lacks the schema", system)
	}
}
