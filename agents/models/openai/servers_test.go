package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/anthropic"
	"github.com/swarmbus/swarmbus/agents/models/openai"
)

// A served is what a server sends, from a file of testdata/servers. Its first lines are
// directives: "# want JSON", "# status 429", "# header Retry-After: 3", "# type
// application/json", "# model NAME", "# schema", "# source URL", "# api responses" or "# api
// messages" for a server of another protocol, "# open" for one that leaves the stream open.
type served struct {
	status int
	header http.Header
	model  string
	schema bool
	api    string
	open   bool
	body   []byte
	want   outcome
}

// An outcome is what the adapter makes of it.
type outcome struct {
	Text    string   `json:"text"`
	Calls   []called `json:"calls"`
	Finish  string   `json:"finish"`
	Usage   string   `json:"usage"` // input/output, with /cached/reasoning if there are any
	Problem string   `json:"problem"`
	Retry   bool     `json:"retry"` // the error is temporary
	After   string   `json:"after"`
	Says    string   `json:"says"`  // what the error or the notes have to say
	Sends   string   `json:"sends"` // what the request has to have
}

type called struct {
	ID   string          `json:"id"` // "": any
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

func load(t *testing.T, file string) served {
	t.Helper()
	s := served{status: 200, header: http.Header{"Content-Type": {"text/event-stream"}}, model: "some-model"}
	switch filepath.Ext(file) {
	case ".json":
		s.header.Set("Content-Type", "application/json")
	case ".html":
		s.header.Set("Content-Type", "text/html")
	}
	var err error
	if s.body, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	for bytes.HasPrefix(s.body, []byte("# ")) {
		line, rest, _ := bytes.Cut(s.body, []byte("\n"))
		s.body = rest
		name, value, _ := strings.Cut(string(line[2:]), " ")
		switch name {
		case "want":
			strict := json.NewDecoder(strings.NewReader(value))
			strict.DisallowUnknownFields()
			err = errors.Join(err, strict.Decode(&s.want))
		case "status":
			s.status, err = strconv.Atoi(value)
		case "header":
			key, value, _ := strings.Cut(value, ": ")
			s.header.Add(key, value)
		case "type":
			s.header.Set("Content-Type", value)
		case "model":
			s.model = value
		case "schema":
			s.schema = true
		case "api":
			s.api = value
		case "open":
			s.open = true
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return s
}

var weather = []models.Tool{
	{Name: "get_weather", Description: "Weather of a city.", Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)},
	{Name: "now", Description: "The time.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
}

// asks returns the model of a server that answers so.
func (s served) asks(t *testing.T, answer roundTrip) (m models.Model) {
	t.Helper()
	client, err := &http.Client{Transport: answer}, error(nil)
	if s.api == "messages" {
		m, err = anthropic.New(anthropic.Options{Model: s.model, Key: "k", BaseURL: "http://127.0.0.1:1", Client: client})
	} else {
		m, err = openai.New(openai.Options{Model: s.model, BaseURL: "http://127.0.0.1:1/v1", Client: client, Responses: s.api == "responses"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ask asks once. A request that is made again gets the same answer.
func (s served) ask(t *testing.T, body io.Reader) outcome {
	t.Helper()
	var sent string
	var seen bytes.Buffer
	if s.open {
		body = io.MultiReader(body, iotest.ErrReader(errors.New("read on behind the end of the answer")))
	}
	m := s.asks(t, func(r *http.Request) (*http.Response, error) {
		text, err := io.ReadAll(r.Body)
		if sent = string(text); seen.Len() > 0 {
			body = bytes.NewReader(bytes.Clone(seen.Bytes()))
		}
		return &http.Response{StatusCode: s.status, Header: s.header, Body: io.NopCloser(io.TeeReader(body, &seen)), Request: r}, err
	})
	var shown strings.Builder
	r := &models.Request{System: "You help.", Messages: []models.Message{models.User("What is the weather in Bern?")}, Most: 500, Tools: weather}
	r.Show = func(p models.Piece) {
		if p.Again {
			shown.Reset()
		}
		shown.WriteString(p.Text)
	}
	if s.schema {
		r.Schema = &models.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{"say":{"type":"string"}},"required":["say"],"additionalProperties":false}`)}
	}
	a, err := m.Ask(t.Context(), r)
	got := outcome{Sends: s.want.Sends}
	if !strings.Contains(sent, s.want.Sends) {
		got.Sends = sent
	}
	if err != nil {
		var failed *models.Error
		if !errors.As(err, &failed) {
			t.Fatal(err)
		}
		got.Problem, got.Retry, got.Says = failed.Problem.Error(), failed.Temporary(), failed.Detail
		if failed.After > 0 {
			got.After = failed.After.String()
		}
		if strings.Contains(got.Says, s.want.Says) {
			got.Says = s.want.Says
		}
		return got
	}
	if shown.String() != a.Text {
		t.Errorf("shown %q, answered %q", shown.String(), a.Text)
	}
	got.Text, got.Finish, got.Says = a.Text, string(a.Finish), strings.Join(a.Notes, "; ")
	got.Usage = fmt.Sprintf("%d/%d", a.Usage.Input, a.Usage.Output)
	if a.Usage.CacheRead+a.Usage.Reasoning > 0 {
		got.Usage = fmt.Sprintf("%s/%d/%d", got.Usage, a.Usage.CacheRead, a.Usage.Reasoning)
	}
	if strings.Contains(got.Says, s.want.Says) {
		got.Says = s.want.Says
	}
	for i, c := range a.Calls {
		if i < len(s.want.Calls) && s.want.Calls[i].ID == "" {
			c.ID = ""
		}
		var args bytes.Buffer
		if err := json.Compact(&args, c.Args); err != nil {
			t.Fatal(err)
		}
		got.Calls = append(got.Calls, called{c.ID, c.Name, args.Bytes()})
	}
	return got
}

// check compares an outcome with the right one.
func (s served) check(t *testing.T, what string, got outcome) {
	t.Helper()
	want := s.want
	want.Calls = slices.Clone(want.Calls)
	for i := range want.Calls {
		var args bytes.Buffer
		if err := json.Compact(&args, want.Calls[i].Args); err != nil {
			t.Fatal(err)
		}
		want.Calls[i].Args = args.Bytes()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: %s", what, diff)
	}
}

// everyServed calls check with each file.
func everyServed(t *testing.T, check func(t *testing.T, s served)) {
	files, err := filepath.Glob("testdata/servers/*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			check(t, load(t, file))
		})
	}
}

func TestWhatServersSendIsRead(t *testing.T) {
	t.Parallel()
	everyServed(t, func(t *testing.T, s served) {
		s.check(t, "as it is", s.ask(t, bytes.NewReader(s.body)))
		s.body = append([]byte(strings.Repeat(": keep-alive\n\n", 2000)), s.body...)
		if strings.HasPrefix(s.header.Get("Content-Type"), "text/event-stream") {
			s.check(t, "behind 2,000 comments", s.ask(t, bytes.NewReader(s.body)))
		}
	})
}

// TestWhatServersSendIsReadWhereverItIsCut cuts it at each byte, and into pieces of all sizes.
func TestWhatServersSendIsReadWhereverItIsCut(t *testing.T) {
	t.Parallel()
	everyServed(t, func(t *testing.T, s served) {
		for most := 1; most < 70; most++ {
			s.check(t, fmt.Sprintf("in pieces of %d bytes", most), s.ask(t, &pieces{s.body, most}))
		}
	})
}

// pieces reads so many bytes at a time.
type pieces struct {
	rest []byte
	most int
}

func (b *pieces) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), b.most)], b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

var all = flag.Bool("all", false, "cut answers off at each byte, of which a third is taken otherwise")

// TestNoBeginningOfAnAnswerIsTakenForTheWhole cuts the answer off: what is left is an error, or
// all of it was there.
func TestNoBeginningOfAnAnswerIsTakenForTheWhole(t *testing.T) {
	t.Parallel()
	everyServed(t, func(t *testing.T, s served) {
		for at := range s.body {
			if !*all && (len(s.body)-at)%3 != 0 {
				continue
			}
			got := s.ask(t, bytes.NewReader(s.body[:at]))
			everywhere := bytes.Count(s.body, []byte(`"stop"`)) > 1 // so that it means nothing
			if got.Problem == "" && !everywhere {
				got.Usage = s.want.Usage // which may come last
				s.check(t, fmt.Sprint("cut off at ", at), got)
			}
		}
	})
}

// variants are other ways to send the same. Each is given the bodies of events.
var variants = map[string]func(body string, r *rand.Rand) string{
	"with carriage returns":       func(body string, _ *rand.Rand) string { return strings.ReplaceAll(body, "\n", "\r\n") },
	"with carriage returns alone": func(body string, _ *rand.Rand) string { return strings.ReplaceAll(body, "\n", "\r") },
	"with a byte order mark":      func(body string, _ *rand.Rand) string { return "\uFEFF" + body },
	"without blanks":              func(body string, _ *rand.Rand) string { return strings.ReplaceAll(body, "data: ", "data:") },
	"with data twice":             func(body string, _ *rand.Rand) string { return strings.ReplaceAll(body, "data: ", "data: data: ") },
	"without empty lines":         func(body string, _ *rand.Rand) string { return strings.ReplaceAll(body, "\n\n", "\n") },
	"without an end":              func(body string, _ *rand.Rand) string { return strings.Replace(body, "data: [DONE]\n\n", "", 1) },
	"with comments":               func(body string, _ *rand.Rand) string { return strings.ReplaceAll(body, "\n\n", "\n\n: ping\n\n") },
	"with empty events": func(body string, _ *rand.Rand) string {
		return strings.ReplaceAll(body, "\n\n", "\n\ndata:\n\nevent: ping\n\n")
	},
	"with ids and names": func(body string, _ *rand.Rand) string {
		return strings.ReplaceAll(body, "\ndata: {", "\nid: 7\nevent: message\nretry: 5\ndata: {")
	},
	"on several lines":            func(body string, _ *rand.Rand) string { return each(body, severalLines) },
	"in another order":            func(body string, r *rand.Rand) string { return each(body, reordered(r)) },
	"with members of other types": func(body string, r *rand.Rand) string { return each(body, retyped(r)) },
	"with other members":          func(body string, r *rand.Rand) string { return each(body, extended(r)) },
	"in lines of JSON": func(body string, _ *rand.Rand) string {
		if !strings.Contains(body, "event:") {
			body = strings.ReplaceAll(strings.ReplaceAll(body, "data: ", ""), "[DONE]", "")
		}
		return body
	},
}

func TestWhatServersSendIsReadInOtherForms(t *testing.T) {
	t.Parallel()
	everyServed(t, func(t *testing.T, s served) {
		if s.open || !bytes.Contains(s.body, []byte("data: ")) {
			return // no stream, or one that is left open and has to end as it does
		}
		for name, variant := range variants {
			var last []byte
			for seed := range uint64(10) {
				v := s
				v.body = []byte(variant(string(s.body), rand.New(rand.NewPCG(seed, 1))))
				if bytes.Equal(v.body, last) {
					continue // no chance is in it
				}
				last = v.body
				v.check(t, fmt.Sprintf("%s, seed %d:\n%s", name, seed, v.body), v.ask(t, bytes.NewReader(v.body)))
			}
		}
	})
}

// each changes the JSON of each event.
func each(body string, change func(value any) string) string {
	var to strings.Builder
	for line := range strings.Lines(body) {
		text, isData := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		var value any
		if !isData || json.Unmarshal([]byte(text), &value) != nil || strings.Contains(text, `\ud83d`) || strings.Contains(text, `\ude00`) {
			to.WriteString(line)
			continue
		}
		for i, line := range strings.Split(change(value), "\n") {
			if i > 0 {
				to.WriteString("\n")
			}
			to.WriteString("data: " + line)
		}
		to.WriteString("\n")
	}
	return to.String()
}

func severalLines(value any) string {
	text, _ := json.MarshalIndent(value, "", " ")
	return string(text)
}

// written writes a value with the members of objects as f gives them.
func written(value any, f func(o map[string]any) []string) string {
	switch v := value.(type) {
	case map[string]any:
		var all []string
		for _, name := range f(v) {
			all = append(all, strconv.Quote(name)+":"+written(v[name], f))
		}
		return "{" + strings.Join(all, ",") + "}"
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, written(one, f))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	text, _ := json.Marshal(value)
	return string(text)
}

func names(o map[string]any) (all []string) {
	for name := range o {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func reordered(r *rand.Rand) func(value any) string {
	return func(value any) string {
		return written(value, func(o map[string]any) []string {
			all := names(o)
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return all
		})
	}
}

// retyped gives members that nobody needs another type, or leaves them out.
func retyped(r *rand.Rand) func(value any) string {
	odd := []any{nil, "x", "0", 0.5, []any{}, map[string]any{}, true, -1}
	return func(value any) string {
		o := value.(map[string]any)
		for _, name := range []string{"id", "object", "created", "system_fingerprint", "service_tier"} {
			if o[name] = odd[r.IntN(len(odd))]; r.IntN(4) == 0 {
				delete(o, name)
			}
		}
		choices, _ := o["choices"].([]any)
		for _, c := range choices {
			c := c.(map[string]any)
			c["index"], c["logprobs"] = odd[r.IntN(len(odd))], odd[r.IntN(len(odd))]
			if d, ok := c["delta"].(map[string]any); ok {
				d["role"] = odd[r.IntN(len(odd))]
			}
		}
		if u, ok := o["usage"].(map[string]any); ok {
			for name, n := range u {
				if x, ok := n.(float64); ok && r.IntN(2) == 0 {
					u[name] = strconv.FormatFloat(x, 'f', 1, 64)
				}
			}
			if u["prompt_tokens_details"] == nil {
				u["prompt_tokens_details"] = odd[r.IntN(len(odd))]
			}
		}
		return written(o, names)
	}
}

// extended adds members that no server is known to send.
func extended(r *rand.Rand) func(value any) string {
	return func(value any) string {
		return written(value, func(o map[string]any) []string {
			if _, isArgs := o["city"]; !isArgs && r.IntN(2) == 0 {
				o["x_"+strconv.Itoa(r.IntN(100))] = map[string]any{"text": "no", "content": []any{"no"}, "finish": "no"}
			}
			return names(o)
		})
	}
}
