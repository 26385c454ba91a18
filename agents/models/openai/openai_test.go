package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(base string) (models.Model, error) {
	return openai.New(openai.Options{Model: modelstest.Name, BaseURL: base + "/", Key: modelstest.Key})
}

// opened returns a model that is closed with the test.
func opened(t *testing.T, o openai.Options) *openai.Model {
	t.Helper()
	m, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func TestContract(t *testing.T) { modelstest.Test(t, modelstest.OpenAI, open) }

func TestKeysAreSecrets(t *testing.T) {
	modelstest.TestSecrets(t, func(base, key string, header http.Header) (models.Model, error) {
		return openai.New(openai.Options{Model: modelstest.Name, BaseURL: base, Key: key, Header: header})
	})
}

// TestTheSuiteFindsBrokenModels spoils one thing at a time.
func TestTheSuiteFindsBrokenModels(t *testing.T) {
	spoilt := func(answer func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error)) modelstest.Open {
		return func(base string) (models.Model, error) {
			m, err := open(base)
			return &mutant{m, answer}, err
		}
	}
	for part, m := range map[string]modelstest.Open{
		"": open,
		"TakesNoBrokenAnswerForAWholeOne": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			a, err := m.Ask(ctx, r)
			if errors.Is(err, models.ErrCutOff) {
				return &models.Answer{}, nil
			}
			return a, err
		}),
		"SaysWhatProblemARefusalIs": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			_, _ = m.Ask(ctx, r)
			return m.Ask(ctx, r)
		}),
		"AnswersWithTextUsageAndModel": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			a, err := m.Ask(ctx, r)
			if err == nil {
				a.Usage.Input -= a.Usage.CacheRead
			}
			return a, err
		}),
		"EndsWithItsContextAtOnce": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			a, err := m.Ask(ctx, r)
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return a, err
		}),
		"EndsWithItsContextAsTheAnswerEnds": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			a, err := m.Ask(ctx, r)
			if ctx.Err() != nil {
				a = &models.Answer{}
			}
			return a, err
		}),
		"ShowsTheAnswerInPieces": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			whole := *r
			whole.Show = nil
			a, err := m.Ask(ctx, &whole)
			if err == nil && r.Show != nil {
				r.Show(models.Piece{Text: a.Text})
			}
			return a, err
		}),
		"SendsTheWholeRequest": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			less := *r
			less.Schema = nil
			return m.Ask(ctx, &less)
		}),
		"AnswersManyAtOnce": spoilt(func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
			a, err := m.Ask(ctx, r)
			if err == nil && strings.Contains(a.Text, "caller 3") {
				a.Text = "to caller 2"
			}
			return a, err
		}),
	} {
		got := modelstest.Broken(modelstest.OpenAI, m)
		if found := strings.Contains(strings.Join(got, " "), part); !found || part == "" && len(got) > 0 {
			t.Errorf("with %q broken the suite finds %v", part, got)
		}
	}
}

// TestTheSuiteFindsThatANeighborIsLost although neighbors may be sent as one message.
func TestTheSuiteFindsThatANeighborIsLost(t *testing.T) {
	for name, spoil := range map[string]func(all []models.Message) []models.Message{
		"lost":    func(all []models.Message) []models.Message { return all[:len(all)-1] },
		"swapped": func(all []models.Message) []models.Message { slices.Reverse(all[len(all)-2:]); return all },
		"joined": func(all []models.Message) []models.Message {
			all[len(all)-2].Text += all[len(all)-1].Text
			return all[:len(all)-1]
		},
	} {
		got := modelstest.Broken(modelstest.OpenAI, func(base string) (models.Model, error) {
			m, err := open(base)
			return &mutant{m, func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error) {
				less := *r
				if len(r.Messages) > 1 {
					less.Messages = spoil(slices.Clone(r.Messages))
				}
				return m.Ask(ctx, &less)
			}}, err
		})
		if !slices.Equal(got, []string{"SendsTheWholeRequest"}) {
			t.Errorf("%s: the suite finds %v", name, got)
		}
	}
}

type mutant struct {
	models.Model
	answer func(m models.Model, ctx context.Context, r *models.Request) (*models.Answer, error)
}

func (m *mutant) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	return m.answer(m.Model, ctx, r)
}

func (m *mutant) Close() { m.Model.(*openai.Model).Close() }

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []openai.Options{{}, {Model: "m", BaseURL: "ftp://x"}, {Model: "m", BaseURL: "no url"}, {Model: "m", BaseURL: "http://"}} {
		if _, err := openai.New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestThatABaseURLHasNoPathIsSaidWhereTheServerFindsNothing(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	for path, want := range map[string]bool{"": true, "/": true, "/v1": false} {
		m := opened(t, openai.Options{Model: "m", BaseURL: s.URL + path})
		_, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1})
		if !errors.Is(err, models.ErrNotFound) || strings.Contains(err.Error(), "no path, such as /v1") != want {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// odd serves a stream as it is.
func odd(t *testing.T, contentType, stream string) models.Model {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("X-Title"); got != "swarm" {
			t.Errorf("header %q", got)
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(stream))
	}))
	t.Cleanup(s.Close)
	m := opened(t, openai.Options{Model: "m", Provider: "odd", BaseURL: s.URL, Header: http.Header{"x-title": {"swarm"}}})
	return m
}

func TestOddStreamsOfCompatibleServersAreRead(t *testing.T) {
	const sse = "text/event-stream"
	for name, c := range map[string]struct {
		contentType, stream string
		want                models.Answer
		err                 *models.Problem
	}{
		"a null finish reason and [DONE]": {sse, half + "data: [DONE]\n\n", models.Answer{}, models.ErrCutOff},
		"400 comments":                    {sse, strings.Repeat(": PROCESSING\n\n", 400) + half + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n", models.Answer{Text: "yes", Finish: models.FinishStop}, nil},
		"what its filters found first":    {sse, `data: {"choices":[],"prompt_filter_results":[]}` + "\n\n" + half + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n", models.Answer{Text: "yes", Finish: models.FinishStop}, nil},
		"a context that ended":            {sse, half + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"model_length"}]}` + "\n\n", models.Answer{Text: "yes", Finish: models.FinishLength}, nil},
		"a finish reason without [DONE]":  {sse, `data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}` + "\n\n", models.Answer{Text: "yes", Finish: models.FinishStop}, nil},
		"carriage returns, no space":      {sse, `data:{"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}` + "\r\n\r\ndata:[DONE]\r\n\r\n", models.Answer{Text: "yes", Finish: models.FinishStop}, nil},
		"[DONE] inside a text":            {sse, `data: {"choices":[{"index":0,"delta":{"content":"data: [DONE]"}}]}` + "\n\n", models.Answer{}, models.ErrCutOff},
		"a byte order mark":               {sse, "\uFEFF" + `data: {"choices":[{"index":0,"delta":{"content":"\ufeffyes"},"finish_reason":"stop"}]}` + "\n\n", models.Answer{Text: "\uFEFFyes", Finish: models.FinishStop}, nil},
		"a mark before a comment":         {sse, "\uFEFF: PROCESSING\n\n" + half + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n", models.Answer{Text: "yes", Finish: models.FinishStop}, nil},
		"calls without an index": {
			sse, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1}"}}]},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "a", Name: "f", Args: []byte("{}")}, {ID: "b", Name: "g", Args: []byte(`{"x":1}`)}}},
			nil,
		},
		"two calls of one index": {
			sse, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}` + "\n\n" + `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n",
			models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "a", Name: "f", Args: []byte(`{"x":1}`)}, {ID: "b", Name: "f", Args: []byte(`{"x":2}`)}}},
			nil,
		},
		"a name in each part": {
			sse, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}` + "\n\n" + `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n",
			models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "a", Name: "f", Args: []byte("{}")}}},
			nil,
		},
		"calls that are missing":   {sse, half + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n", models.Answer{}, models.ErrMalformed},
		"arguments without a head": {sse, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n", models.Answer{}, models.ErrMalformed},
		"half a call where tokens ran out": {
			sse, `data: {"choices":[{"index":0,"delta":{"content":"so","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x"}}]},"finish_reason":"length"}]}` + "\n\ndata: [DONE]\n\n",
			models.Answer{Text: "so", Finish: models.FinishLength},
			nil,
		},
		"a comment before an error":      {sse, ": OPENROUTER PROCESSING\n\n" + `data: {"error":{"message":"upstream","code":502}}` + "\n\n", models.Answer{}, models.ErrOverloaded},
		"an error with its status":       {sse, `data: {"error":{"message":"slow down","code":429}}` + "\n\n", models.Answer{}, models.ErrRateLimited},
		"no credit left":                 {sse, `data: {"error":{"message":"pay","type":"insufficient_quota","code":"insufficient_quota"}}` + "\n\n", models.Answer{}, models.ErrQuota},
		"an error as JSON and status OK": {"application/json", `{"error":{"message":"no such thing","type":"invalid_request_error"}}`, models.Answer{}, models.ErrInvalid},
		"a page of a proxy":              {"text/html", "<html>hello</html>", models.Answer{}, models.ErrMalformed},
		"its type in capitals":           {"Text/Event-Stream; charset=utf-8", ": hello\n\n" + half + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n", models.Answer{Text: "yes", Finish: models.FinishStop}, nil},
		"nothing":                        {sse, "", models.Answer{}, models.ErrCutOff},
		"far too much":                   {sse, strings.Repeat(`data: {"choices":[{"index":0,"delta":{"content":"`+strings.Repeat("x", 60000)+`"}}]}`+"\n\n", 300), models.Answer{}, models.ErrMalformed},
	} {
		got, err := odd(t, c.contentType, c.stream).Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1})
		switch {
		case c.err != nil && !errors.Is(err, c.err), c.err == nil && err != nil:
			t.Errorf("%s: got %v, want %v", name, err, c.err)
		case c.err == nil && !reflect.DeepEqual(*got, c.want):
			t.Errorf("%s: got %+v, want %+v", name, *got, c.want)
		}
	}
}

func TestOpenAIGetsMaxCompletionTokens(t *testing.T) {
	var body string
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		data := make([]byte, 4096)
		n, _ := r.Body.Read(data)
		body = string(data[:n])
		return nil, errors.New("closed")
	})}
	for base, want := range map[string]string{"": "max_completion_tokens", "https://x.openai.azure.com/openai/v1": "max_completion_tokens", "http://127.0.0.1:1/v1": `"max_tokens"`} {
		m := opened(t, openai.Options{Model: "m", BaseURL: base, Client: client})
		if _, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 9}); !errors.Is(err, models.ErrConnection) || !strings.Contains(body, want) {
			t.Errorf("%q: %v, sent %s", base, err, body)
		}
	}
}

func TestOfASchemaAndToolsTheToolsGoWhereAServerTakesEither(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply { return modelstest.Reply{Text: "{}"} })
	defer server.Close()
	schema := &models.Schema{Name: "answer", JSON: []byte(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)}
	tools := []models.Tool{{Name: "look_up", Schema: schema.JSON}}
	for i, c := range []struct {
		either        bool
		tools         []models.Tool
		noCalls       bool
		schema, calls bool
	}{{false, tools, false, true, true}, {true, tools, false, false, true}, {true, nil, false, true, false}, {false, tools, true, true, true}, {true, tools, true, true, false}, {false, nil, true, true, false}} {
		m := opened(t, openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key, SchemaOrTools: c.either})
		r := &models.Request{Messages: []models.Message{models.User("?")}, Most: 9, Schema: schema, Tools: c.tools, NoCalls: c.noCalls}
		if _, err := m.Ask(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := server.Requests()[i]; (got.Schema != nil) != c.schema || (len(got.Tools) > 0) != c.calls || got.NoCalls != (c.noCalls && c.calls) || r.Schema == nil {
			t.Errorf("%+v: sent %+v", c, got)
		}
	}
}

// TestNeighborsOfOneRoleAreSentAsOneMessage is for servers whose templates refuse
// anything but user, assistant, user, and so on.
func TestNeighborsOfOneRoleAreSentAsOneMessage(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply { return modelstest.Reply{Text: "{}"} })
	defer server.Close()
	m := opened(t, openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key})
	call := models.Message{Role: models.RoleAssistant, Calls: []models.Call{{ID: "c", Name: "look_up", Args: []byte(`{}`)}}}
	result := models.Message{Role: models.RoleUser, Text: "four", Results: []models.Result{{Call: "c", Text: "r"}}}
	_, err := m.Ask(t.Context(), &models.Request{Most: 9, Messages: []models.Message{
		models.User("one"), models.User("two"), models.Assistant("so"), models.Assistant("and so"), models.User("three"), models.Assistant("let me see"), call, result, models.User("five"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	call.Text = "let me see"
	want := []models.Message{
		models.User("one\n\ntwo"), models.Assistant("so\n\nand so"), models.User("three"), call,
		{Role: models.RoleUser, Results: result.Results},
		models.User("four\n\nfive"),
	}
	if diff := cmp.Diff(want, server.Requests()[0].Messages); diff != "" {
		t.Error(diff)
	}
}

const half = `data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":null}]}` + "\n\n"

func TestNoHalfAnswerIsTakenForAWholeOneHoweverAServerSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		rest string
		want *models.Problem
	}{
		"an error behind other fields":   {`data: {"id":"x","error":{"code":502,"message":"gone"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`, models.ErrOverloaded},
		"an error and no choices":        {`data: {"id":"x","error":{"code":429,"message":"gone"},"choices":[]}`, models.ErrRateLimited},
		"an error behind a blank":        {`data: { "error": {"code":502,"message":"gone"}}`, models.ErrOverloaded},
		"an error that is the object":    {`data: {"object":"error","message":"gone","type":"BadRequestError","code":400}`, models.ErrInvalid},
		"an error instead of data":       {`error: {"code":500,"message":"gone"}`, models.ErrOverloaded},
		"an event of its own":            {"event: error\n" + `data: {"message":"gone"}`, models.ErrOverloaded},
		"a finish reason that is no end": {`data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`, models.ErrCutOff},
		"the end alone":                  {"data: [DONE]", models.ErrCutOff},
	} {
		a, err := odd(t, "text/event-stream", half+c.rest+"\n\ndata: [DONE]\n\n").Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %+v and %v, want %v", name, a, err, c.want)
		}
	}
}

func TestAResponseThatIsNoAnswerIsNotAskedForAgain(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body string }{
		"a page":       {"text/html", "<html>log in</html>"},
		"another JSON": {"application/json", `{"models":["x"]}`},
		"nothing":      {"application/octet-stream", ""},
	} {
		_, err := odd(t, c.contentType, c.body).Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1})
		var failed *models.Error
		if !errors.As(err, &failed) || failed.Problem != models.ErrMalformed || failed.Temporary() || failed.Unbilled || !strings.Contains(err.Error(), c.contentType) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTheWeightiestFinishReasonHolds(t *testing.T) {
	finish := func(why string) string {
		return `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"` + why + `"}]}` + "\n\n"
	}
	for name, c := range map[string]struct {
		rest string
		want models.Finish
		err  *models.Problem
	}{
		"stop twice":               {finish("stop") + finish("stop"), models.FinishStop, nil},
		"length, then stop":        {finish("length") + finish("stop"), models.FinishLength, nil},
		"withheld, then stop":      {finish("content_filter") + finish("stop"), "", models.ErrFiltered},
		"stop, then length":        {finish("stop") + finish("length"), models.FinishLength, nil},
		"stop, then an error":      {finish("stop") + finish("error"), "", models.ErrCutOff},
		"a text after it":          {finish("stop") + half, models.FinishStop, nil},
		"an id for each part":      {`data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n" + `data: {"id":"y","choices":[{"index":0,"delta":{"content":"b"}}]}` + "\n\n" + finish("stop"), models.FinishStop, nil},
		"an id in some parts only": {`data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n" + half + finish("stop"), models.FinishStop, nil},
	} {
		a, err := odd(t, "text/event-stream", half+c.rest+"data: [DONE]\n\n").Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1})
		if c.err == nil && (err != nil || a.Finish != c.want) || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: got %+v and %v, want %q or %v", name, a, err, c.want, c.err)
		}
	}
}

func TestUsageThatMakesNoSenseIsNone(t *testing.T) {
	for _, usage := range []string{`{"prompt_tokens":-1,"completion_tokens":-1}`, `{"prompt_tokens":5,"completion_tokens":0}`, `{"completion_tokens":5}`} {
		stream := half + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" + `data: {"choices":[],"usage":` + usage + "}\n\ndata: [DONE]\n\n"
		a, err := odd(t, "text/event-stream", stream).Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1})
		if err != nil || a.Usage != (models.Usage{}) {
			t.Errorf("%s: got %+v, %v", usage, a, err)
		}
	}
}

func TestNothingSecretOfTheBaseURLIsInAnError(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"wrong %s / %s:%s / %s","type":"x"}}`, r.Header.Get("Authorization"), user, password, r.URL.RawQuery)
	}))
	defer s.Close()
	for _, base := range []string{
		strings.Replace(s.URL, "http://", "http://user:SECRET%2F1@", 1),
		"http://user:SECRET%2F1@127.0.0.1:1",
		"http://127.0.0.1:1/v1?key=SECRET%2F1",
		s.URL + "/v1?key=SECRET%2F1",
		"ftp://user:SECRET%2F1@host",
		"http://user:SECRET%2F1@ho st",
	} {
		m, err := openai.New(openai.Options{Model: "m", BaseURL: base})
		if err == nil {
			_, err = m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("?")}, Most: 1})
			m.Close()
		}
		if err == nil || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "dXNlcjpTRUNSRVQvMQ==") {
			t.Errorf("%s: got %v", base, err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func ExampleNew() {
	model, err := openai.New(openai.Options{Provider: "ollama", Model: "qwen3", BaseURL: "http://127.0.0.1:11434/v1", Key: os.Getenv("OLLAMA_API_KEY")})
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(model.ID().String())
	// Output: ollama:qwen3
}
