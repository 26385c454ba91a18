package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond returns the response that a server gives.
func respond(ctx context.Context, status int, h http.Header, body io.Reader) (*wire.Response, error) {
	return clientOf(status, h, body).Do(ctx, http.MethodPost, "http://x", nil, nil)
}

// clientOf returns a client of a server that always responds so.
func clientOf(status int, h http.Header, body io.Reader) *wire.Client {
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r}, nil
	})}
	return wire.NewClient(models.ID{Provider: "p", Name: "m"}, client, nil, []string{"sk-secret"})
}

// events returns what a body is read as, one line an event, and the words beside them.
func events(t *testing.T, body io.Reader) (all []string, words string, err error) {
	t.Helper()
	r, err := respond(t.Context(), 200, nil, body)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for e, err := range r.Events() {
		if err != nil {
			return all, r.Words(), err
		}
		all = append(all, strings.TrimPrefix(e.Name+" "+strings.Join(strings.Fields(string(e.Data)), " "), " "))
	}
	return all, r.Words(), nil
}

func TestBodiesAreReadByTheirContent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		want  []string
		words string
		err   error
	}{
		"nothing":                    {"", nil, "", nil},
		"a stream":                   {"data: {\"a\":1}\n\ndata: {\"b\":2}\n\ndata: [DONE]\n\ndata: {\"c\":3}\n\n", []string{`{"a":1}`, `{"b":2}`}, "", nil},
		"its last event has no end":  {"data: {\"a\":1}\n\ndata: {\"b\":2}", []string{`{"a":1}`, `{"b":2}`}, "", nil},
		"[DONE] breaks off":          {"data: {\"a\":1}\n\ndata: [DO", []string{`{"a":1}`}, "", nil},
		"done in other words":        {"data: {\"a\":1}\n\ndata: \"[done]\"\n\ndata: {}\n\n", []string{`{"a":1}`}, "", nil},
		"comments and names":         {": hello\n\nevent: ping\nid: 3\nretry: 5\n\nevent: a\ndata: {}\n\n:\ndata\n\n", []string{"a {}"}, "", nil},
		"data on several lines":      {"data: {\"a\":\ndata: 1}\n\n", []string{`{"a": 1}`}, "", nil},
		"no line between events":     {"data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n", []string{`{"a":1}`, `{"b":2}`}, "", nil},
		"several values of one line": {"data: {\"a\":1}{\"b\":2}\n\n", []string{`{"a":1}`, `{"b":2}`}, "", nil},
		"carriage returns":           {"\uFEFFdata: {\"a\":1}\r\revent: x\rdata: {\"b\":2}\r\r", []string{`{"a":1}`, `x {"b":2}`}, "", nil},
		"an object":                  {"\n{\n  \"data\": 1,\n\n  \"error\": 2\n}\n", []string{`{ "data": 1, "error": 2 }`}, "", nil},
		"lines of objects":           {"{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}, "", nil},
		"a list":                     {"[{\"a\":1},\n{\"b\":2}]", []string{`{"a":1}`, `{"b":2}`}, "", nil},
		"an object within a stream":  {"data: {\"a\":1}\n\n{\"error\":\"x\"}\n\n", []string{`{"a":1}`, `{"error":"x"}`}, "", nil},
		"an error line":              {"error: it broke\n\n", []string{`error "it broke"`}, "", nil},
		"words":                      {"data: {\"a\":1}\n\ndata: out of memory\n\n", []string{`{"a":1}`}, "out of memory", nil},
		"a page":                     {"<html><head><style>p { color: red }</style></head>\n<p>Log&nbsp;in &amp; pay</p></html>", nil, "Log in & pay", nil},
		"numbers that are none":      {"data: {\"a\":NaN,\"b\":[-Infinity],\"c\":\"NaN\tx\"}\n\n", []string{`{"a":null,"b":[null],"c":"NaN\u0009x"}`}, "", nil},
		"broken":                     {"data: {\"a\":]}\n\n", nil, "", errors.New("invalid character")},
		"broken off":                 {"data: {\"a\":", nil, "", io.ErrUnexpectedEOF},
		"an object broken off":       {"{\"a\":[1,", nil, "", io.ErrUnexpectedEOF},
		"a list broken off":          {"[{\"a\":1},{\"b\":", nil, "", io.ErrUnexpectedEOF},
	} {
		got, words, err := events(t, strings.NewReader(c.body))
		if diff := cmp.Diff(c.want, got); diff != "" || words != c.words || (err == nil) != (c.err == nil) || c.err != nil && !strings.Contains(err.Error(), c.err.Error()) {
			t.Errorf("%s: %q, %v: %s", name, words, err, diff)
		}
	}
}

func TestTextsAreJoinedWhereverTheyAreSplit(t *testing.T) {
	t.Parallel()
	const want = "aß😀\uFEFF€\"\\\n<\U0010FFFF>"
	escaped := `"aß\ud83d\ude00\ufeff\u20ac\"\\\n\u003c\udbff\udfff\u003e"`
	if got := wire.Clean(wire.TextOf([]byte(escaped))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	units := []string{"a", "ß", `\ud83d`, `\ude00`, `\ufeff`, `\u20ac`, `\"`, `\\`, `\n`, `\u003c`, `\udbff`, `\udfff`, `\u003e`}
	for at := range len(units) + 1 {
		var text wire.Text
		shown := text.Add(wire.TextOf([]byte(`"`+strings.Join(units[:at], "")+`"`))) + text.Add(wire.TextOf([]byte(`"`+strings.Join(units[at:], "")+`"`))) + text.Rest()
		if text.String() != want || shown != want {
			t.Errorf("split at unit %d: %q, shown %q", at, text.String(), shown)
		}
	}
	for at := range len(want) + 1 { // of bytes
		var text wire.Text
		one, two := text.Add(want[:at]), text.Add(want[at:])
		if text.String() != want || one+two+text.Rest() != want || !utf8.ValidString(one) {
			t.Errorf("split at byte %d: %q, shown %q and %q", at, text.String(), one, two)
		}
	}
	for broken, want := range map[string]string{`"\ud83d"`: "\uFFFD", `"\ude00\ud83d"`: "\uFFFD\uFFFD", "\"\xf0\x9f\"": "\uFFFD", `"\u12"`: "\x12", `"`: "", `5`: ""} {
		if got := wire.Clean(wire.TextOf([]byte(broken))); got != want {
			t.Errorf("%s: got %q, want %q", broken, got, want)
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: {\"a\":1}\n\n", "{\"a\":\"\\ud83d\"}", "[1,2]", "event: error\ndata: x", "<p>", "data: {\"a\":NaN}\r\n\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, words, err := events(t, bytes.NewReader(body))
		split, others, failed := events(t, io.MultiReader(bytes.NewReader(body[:len(body)/2]), bytes.NewReader(body[len(body)/2:])))
		if diff := cmp.Diff(whole, split); diff != "" || words != others || (err == nil) != (failed == nil) {
			t.Errorf("%v, %v: %s", err, failed, diff)
		}
		for _, e := range whole {
			wire.SaidIn(wire.Event{Data: []byte(e)})
			if o := wire.ObjectOf([]byte(e)); o != nil {
				for name := range o {
					if !utf8.ValidString(wire.Clean(o.Text(name))) {
						t.Errorf("%q is no UTF-8", wire.Clean(o.Text(name)))
					}
					o.Number(name)
					o.List(name)
				}
			}
		}
	})
}

func TestErrorsSayWhatTheServerSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		header  http.Header
		body    string
		problem *models.Problem
		says    string
		after   time.Duration
		retry   bool
	}{
		"an object":         {400, nil, `{"error":{"message":"too long","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}`, models.ErrInvalid, "too long", 0, false},
		"a text":            {503, nil, `{"error":"model is loading"}`, models.ErrOverloaded, "model is loading", 0, true},
		"a list":            {400, nil, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, models.ErrAuth, "API key not valid", 0, false},
		"a detail":          {422, nil, `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`, models.ErrInvalid, "seed: Extra inputs are not permitted", 0, false},
		"a message":         {404, nil, `{"object":"error","message":"The model 'x' does not exist","code":404}`, models.ErrNotFound, "The model 'x' does not exist", 0, false},
		"a page":            {502, nil, "<html><title>502 Bad Gateway</title><body>nginx</body></html>", models.ErrOverloaded, "502 Bad Gateway nginx", 0, true},
		"plain words":       {429, nil, "slow down", models.ErrRateLimited, "slow down", 0, true},
		"nothing":           {500, nil, "", models.ErrOverloaded, "", 0, true},
		"of another":        {400, nil, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":\"bad tool\"}","provider_name":"Z"}}}`, models.ErrInvalid, `Provider returned error: {"error":"bad tool"}`, 0, false},
		"a wait":            {429, nil, `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`, models.ErrRateLimited, "quota", 34500 * time.Millisecond, true},
		"a wait in words":   {429, nil, `{"error":{"message":"Rate limit reached. Please try again in 6m1.5s. Visit us"}}`, models.ErrRateLimited, "Rate limit reached. Please try again in 6m1.5s. Visit us", 361500 * time.Millisecond, true},
		"a header":          {429, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"x","retry_after":30}}`, models.ErrRateLimited, "x", 7 * time.Second, true},
		"a limit's reset":   {429, http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"1m2s"}, "X-Ratelimit-Remaining-Requests": {"9"}, "X-Ratelimit-Reset-Requests": {"24h"}}, "", models.ErrRateLimited, "", 62 * time.Second, true},
		"not to be tried":   {503, http.Header{"X-Should-Retry": {"false"}}, "", models.ErrOverloaded, "", 0, false},
		"nor that either":   {400, http.Header{"X-Should-Retry": {"true"}}, "", models.ErrInvalid, "", 0, false},
		"no credit":         {429, nil, `{"error":{"message":"pay","type":"insufficient_quota","code":"insufficient_quota"}}`, models.ErrQuota, "pay", 0, false},
		"filtered":          {400, nil, `{"error":{"message":"policy","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, models.ErrFiltered, "policy", 0, false},
		"in a stream":       {200, nil, `{"error":{"message":"busy","code":"429"}}`, models.ErrRateLimited, "busy", 0, true},
		"by its type":       {200, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, models.ErrOverloaded, "Overloaded", 0, true},
		"deep in itself":    {400, nil, strings.Repeat(`{"error":`, 50) + `"x"` + strings.Repeat("}", 50), models.ErrInvalid, "", 0, false},
		"with the key":      {401, nil, `{"error":"wrong key sk-secret"}`, models.ErrAuth, "wrong key [secret]", 0, false},
		"with a wrong wait": {429, nil, `{"error":{"message":"x","details":[{"retryDelay":true},{"retryDelay":{"seconds":"5"}}]}}`, models.ErrRateLimited, "x", 5 * time.Second, true},
	} {
		_, said, err := clientOf(c.status, c.header, strings.NewReader(c.body)).Ask(t.Context(), "http://x", nil, nil, nil)
		var e *models.Error
		if !errors.As(err, &e) || (said != nil) != (e.Problem == models.ErrInvalid) {
			t.Fatalf("%s: %v, and said is %v", name, err, said)
		}
		if e.Problem != c.problem || e.Status != c.status || e.After != c.after || e.Temporary() != c.retry || !strings.Contains(e.Detail, c.says) || c.says == "" && len(e.Detail) > 0 && c.status != 400 {
			t.Errorf("%s: got %v, after %v, %v", name, e, e.After, e.Temporary())
		}
	}
}

func TestFailureKindFollowsHowFarTheCallGot(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	broken := func(err error) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(io.MultiReader(strings.NewReader("data: {}\n\nda"), failing{err})), Request: r}, nil
		}
	}
	fails := func(err error) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("with sk-secret: %w", err) }
	}
	long := func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(strings.Repeat(": "+strings.Repeat("x", 1<<16)+"\n", 300))), Request: r}, nil
	}
	for name, c := range map[string]struct {
		server         transport
		url            string
		want           *models.Problem
		unbilled, soon bool
	}{
		"never sent": {fails(io.EOF), "http://x y", models.ErrInvalid, true, false}, //nolint:bodyclose // there is none
		"sent elsewhere": {func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusTemporaryRedirect, Body: http.NoBody, Request: r}, nil
		}, "", models.ErrInvalid, true, false},
		"broken off":             {broken(io.ErrUnexpectedEOF), "", models.ErrCutOff, false, true}, //nolint:bodyclose // the client closes it
		"far too much":           {long, "", models.ErrMalformed, false, true},
		"connection refused":     {fails(refused), "", models.ErrConnection, true, true}, //nolint:bodyclose // there is none
		"broken before it began": {fails(io.EOF), "", models.ErrConnection, false, true}, //nolint:bodyclose // there is none
		"nothing in time":        {func(*http.Request) (*http.Response, error) { return nil, os.ErrDeadlineExceeded }, "", models.ErrTimeout, false, true},
	} {
		err := read(t.Context(), c.server, c.url)
		var e *models.Error
		if !errors.As(err, &e) || e.Problem != c.want || e.Unbilled != c.unbilled || e.Temporary() != c.soon || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: got %+v", name, err)
		}
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	server := broken(io.ErrUnexpectedEOF)                                                                                            //nolint:bodyclose // the client closes it
	for _, at := range []transport{fails(io.EOF), func(r *http.Request) (*http.Response, error) { cancel(why); return server(r) }} { //nolint:bodyclose // the client closes it
		if err := read(ctx, at, ""); ctx.Err() != nil && !errors.Is(err, why) {
			t.Errorf("with a context that has ended: %v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// read makes a call and reads its events, and returns the error.
func read(ctx context.Context, server transport, url string) error {
	if url == "" {
		url = "http://x"
	}
	r, err := wire.NewClient(models.ID{Provider: "p", Name: "m"}, &http.Client{Transport: server}, nil, []string{"sk-secret"}).Do(ctx, http.MethodPost, url, nil, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, err := range r.Events() {
		if err != nil {
			return r.Failed(err)
		}
	}
	return nil
}
