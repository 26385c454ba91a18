package export_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A question is one of docs/tracing.md with its search, as it stands there.
type question struct{ text, operation, tags, least, look string }

var (
	asked  = regexp.MustCompile(`(?m)^### (.*\?)$`)
	search = regexp.MustCompile("(?m)^Search: (.*)$")
	field  = regexp.MustCompile("(operation|tags|min duration) `([^`]*)`")
	looks  = regexp.MustCompile("(?m)^Look at: .*?`([^`]*)`")
)

// questions reads them.
func questions(t *testing.T) (all []question) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "tracing.md"))
	if err != nil {
		t.Fatal(err)
	}
	at := append(asked.FindAllStringIndex(string(text), -1), []int{len(text)})
	for i, from := range at[:len(at)-1] {
		section := string(text[from[0]:at[i+1][0]])
		q := question{text: asked.FindStringSubmatch(section)[1]}
		if found := search.FindStringSubmatch(section); found != nil {
			for _, f := range field.FindAllStringSubmatch(found[1], -1) {
				switch f[1] {
				case "operation":
					q.operation = f[2]
				case "tags":
					q.tags = f[2]
				case "min duration":
					q.least = f[2]
				}
			}
		}
		if found := looks.FindStringSubmatch(section); found != nil {
			q.look = found[1]
		}
		all = append(all, q)
	}
	return all
}

// path is the request that Jaeger's page makes of a search.
func (q *question) path(t *testing.T) string {
	t.Helper()
	query := url.Values{"service": {"example"}, "limit": {"20"}, "lookback": {"1h"}}
	if q.operation != "" {
		query.Set("operation", q.operation)
	}
	if q.least != "" {
		query.Set("minDuration", q.least)
	}
	if q.tags != "" {
		tags := map[string]string{}
		for _, tag := range strings.Fields(q.tags) {
			key, value, ok := strings.Cut(tag, "=")
			if !ok {
				t.Fatalf("%s: %q is no tag", q.text, tag)
			}
			tags[key] = value
		}
		text, err := json.Marshal(tags)
		if err != nil {
			t.Fatal(err)
		}
		query.Set("tags", string(text))
	}
	return "/api/traces?" + query.Encode()
}

// matches reports whether a span is one that the search looks for.
func (q *question) matches(s *shownSpan) bool {
	if q.operation != "" && s.OperationName != q.operation {
		return false
	}
	for _, tag := range strings.Fields(q.tags) {
		if key, value, _ := strings.Cut(tag, "="); s.tag(key) != value {
			return false
		}
	}
	return true
}

// An answer is where the answer to a question is in the traces of
// examples/jaeger: in which of the three, and what is read there.
type answer struct {
	traces []string // those found, by the end of the swarm's name
	reads  []string // values of the tag to look at, in the spans that match
}

const (
	decided  = "retry-policy"
	troubled = "retry-policy-trouble"
	strict   = "retry-policy-strict"
)

// answers are by question, word for word.
var answers = map[string]answer{
	"Which solves did not decide?":               {[]string{strict}, []string{"escalated"}},
	"Why did it stop?":                           {[]string{decided}, []string{"3 of 4 agree with \"backoff\", 75 % of the weight; 70 % is needed"}},
	"Who voted against?":                         {[]string{decided, strict, troubled}, []string{"sceptic", "operator", "tester", "capacity", "sleeper"}},
	"Whose vote did not count, and why?":         {[]string{troubled}, []string{"unknown-proposal"}},
	"Who escalated?":                             {[]string{strict}, []string{"system"}},
	"How close was it, and what decided it?":     {[]string{decided}, []string{"0.75"}},
	"What was refused?":                          {[]string{troubled}, []string{"the kind is reserved"}},
	"What did an agent see?":                     {[]string{decided, strict, troubled}, []string{`["#3 proposal backoff by planner","#4 proposal at-once by hurrier"]`}},
	"What was slow?":                             {[]string{troubled}, []string{"sleeper"}},
	"Where did proposals clash?":                 {[]string{decided, strict}, []string{`["#3 proposal by planner","#4 proposal by hurrier"]`}},
	"Who failed, and where?":                     {[]string{troubled}, []string{"examples/jaeger/team.go"}},
	"What was missing, and who could change it?": {[]string{decided, strict, troubled}, []string{"sceptic", "stray"}},
	"Who doubted what?":                          {[]string{decided, strict}, []string{"#4 proposal by hurrier"}},
	"What became of a signal?":                   {[]string{decided, strict, troubled}, []string{"3", "4"}},
}

// TestJaegerAnswersEveryQuestionOfTheDocs makes each search of
// docs/tracing.md as Jaeger's page would, on the traces of examples/jaeger.
func TestJaegerAnswersEveryQuestionOfTheDocs(t *testing.T) {
	j := startJaeger(t)
	out := decisions(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+j.http)
	names := map[string]string{}
	for i, id := range traceURL.FindAllStringSubmatch(out, -1) {
		names[id[1]] = []string{decided, troubled, strict}[i]
	}
	all := questions(t)
	if len(all) < 10 || len(all) != len(answers) {
		t.Fatalf("%d questions, want the %d that have answers here, at least 10", len(all), len(answers))
	}
	for _, q := range all {
		want, known := answers[q.text]
		if !known || q.look == "" {
			t.Errorf("%s: no answer is known, or nothing to look at", q.text)
			continue
		}
		t.Run(q.text, func(t *testing.T) { q.answered(t, j, names, want) })
	}
}

// TestJaegerFindsNothingBySearchingForErrors holds the docs' word on why they name another
// search: when Jaeger has mended this, they may say so.
func TestJaegerFindsNothingBySearchingForErrors(t *testing.T) {
	j := startJaeger(t)
	decisions(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+j.http)
	errors, failed := question{tags: "error=true"}, question{tags: "swarmbus.failed=true"}
	if n := len(j.page(t, errors.path(t))); n != 0 {
		t.Errorf("error=true finds %d traces: docs/tracing.md says that it finds none", n)
	}
	if n := len(j.page(t, failed.path(t))); n != 2 {
		t.Errorf("swarmbus.failed=true finds %d traces, want 2", n)
	}
}

func (q *question) answered(t *testing.T, j *jaeger, names map[string]string, want answer) {
	found := map[string]bool{}
	var values []string
	for _, trace := range j.page(t, q.path(t)) {
		found[names[trace.TraceID]] = true
		for _, s := range trace.Spans {
			if q.matches(&s) {
				values = append(values, s.tag(q.look))
			}
		}
	}
	for _, name := range want.traces {
		if !found[name] {
			t.Errorf("the search finds %v, not %s", found, name)
		}
	}
	if len(found) != len(want.traces) {
		t.Errorf("the search finds %v, want %v", found, want.traces)
	}
	for _, read := range want.reads {
		if !strings.Contains(strings.Join(values, "\n"), read) {
			t.Errorf("%s of the spans found are %q, want %s among them", q.look, values, read)
		}
	}
}
