package console_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

var (
	requests = flag.Int("requests", 400, "how many `requests` are drawn from the description of the API")
	seed     = flag.Uint64("seed", 1, "`seed` of the draw")
)

// A described API is what its description says of it.
type described struct {
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]json.RawMessage }
	schemas    map[string]map[string]any
	resolved   map[string]*jsonschema.Resolved
}

type operation struct {
	Parameters []struct {
		Name, In string
		Required bool
		Schema   map[string]any
	}
	RequestBody *struct {
		Content map[string]struct{ Schema map[string]any }
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct{ Schema map[string]any }
	}
}

func describedAPI(t *testing.T) *described {
	t.Helper()
	text, err := api.Describe("test")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/"))
	d := &described{schemas: map[string]map[string]any{}, resolved: map[string]*jsonschema.Resolved{}}
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	for name, text := range d.Components.Schemas {
		var schema map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		d.schemas[name] = schema
	}
	return d
}

// check checks a value against a schema.
func (d *described) check(t *testing.T, schema map[string]any, text []byte) error {
	t.Helper()
	whole := map[string]any{"$defs": d.Components.Schemas}
	maps.Copy(whole, schema)
	key, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	if d.resolved[string(key)] == nil {
		all, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		var of jsonschema.Schema
		if err := json.Unmarshal(all, &of); err != nil {
			t.Fatal(err)
		}
		if d.resolved[string(key)], err = of.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return d.resolved[string(key)].Validate(value)
}

// What does not print is a fault of the request, and not of the server.
func TestCharactersThatDoNotPrintAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	for path, body := range map[string]string{
		"/api/memory/revocations":  `{"source":"a\u0000b","team":"platform"}`,
		"/api/solves":              `{"team":"platform\u0000","task":"x"}`,
		"/api/rooms":               `{"room":"a\u0000b"}`,
		"/api/inbox/none/answer":   `{"text":"a\u0000b"}`,
		"/api/inbox/none/verdict":  `{"allow":true,"by":"a\u0000b"}`,
		"/api/solves/none/resume":  `{}`,
		"/api/solves/none%00/none": `{}`,
	} {
		if status, _, text := s.ask("POST", path, body); status < 400 || status >= 500 {
			t.Errorf("%s %s: status %d %s", path, body, status, text)
		}
	}
}

// odd are texts that programs stumble over.
var odd = []string{
	"", " ", "a\x00b", "\u202e", "\ufeff", "../../etc/passwd", "%00", "%2e%2e", "<b>&\"'", strings.Repeat("x", 300), strings.Repeat("ä", 1000), "\U0001f600", "-1", "1e309",
	"18446744073709551616", "NaN", "null", "platform", "ops", "platform.none", "user", "system", "2026-01-01T00:00:00Z",
}

// draw draws a value of a schema, or one that is none.
func (d *described) draw(r *rand.Rand, schema map[string]any, deep int) any {
	if ref, ok := schema["$ref"].(string); ok {
		return d.draw(r, d.schemas[strings.TrimPrefix(ref, "#/$defs/")], deep)
	}
	if r.IntN(12) == 0 || deep > 4 {
		return []any{nil, true, -1, 1e300, "x", odd[r.IntN(len(odd))], []any{}, map[string]any{"x": 1}}[r.IntN(8)]
	}
	if all, ok := schema["enum"].([]any); ok {
		return all[r.IntN(len(all))]
	}
	typ, _ := schema["type"].(string)
	if several, ok := schema["type"].([]any); ok {
		typ, _ = several[r.IntN(len(several))].(string)
	}
	switch typ {
	case "boolean":
		return r.IntN(2) == 0
	case "integer":
		return r.IntN(40) - 3
	case "number":
		return r.Float64()*2 - 0.2
	case "array":
		all := []any{}
		items, _ := schema["items"].(map[string]any)
		for range r.IntN(4) {
			all = append(all, d.draw(r, items, deep+1))
		}
		return all
	case "object":
		of := map[string]any{}
		fields, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if r.IntN(5) > 0 {
				of[name] = d.draw(r, fields[name].(map[string]any), deep+1)
			}
		}
		if r.IntN(15) == 0 {
			of["more"] = 1
		}
		return of
	case "null":
		return nil
	}
	return odd[r.IntN(len(odd))]
}

// request draws a request.
func (d *described) request(t *testing.T, r *rand.Rand, path string, op *operation, known []string) (to, body, media string) {
	t.Helper()
	query := url.Values{}
	for _, p := range op.Parameters {
		text := fmt.Sprint(d.draw(r, p.Schema, 0))
		if len(known) > 0 && r.IntN(3) > 0 && p.Schema["type"] == "string" && p.Schema["enum"] == nil {
			text = known[r.IntN(len(known))]
		}
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(text))
		case p.In == "query" && (p.Required || r.IntN(3) == 0):
			query.Add(p.Name, text)
		}
	}
	if r.IntN(25) == 0 {
		query.Set("unknown", "1")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if op.RequestBody == nil {
		return path, "", ""
	}
	text, err := json.Marshal(d.draw(r, op.RequestBody.Content["application/json"].Schema, 0))
	if err != nil {
		t.Fatal(err)
	}
	body, media = string(text), "application/json"
	switch r.IntN(30) {
	case 0:
		body = body[:len(body)/2]
	case 1:
		body = ""
	case 2:
		media = "text/plain"
	}
	return path, body, media
}

// Requests that are drawn from the description of the API get answers that it describes: no error of
// the server, each error as a problem of bounded size, and each value by its schema.
func TestTheAPIAnswersAsItIsDescribed(t *testing.T) {
	t.Parallel()
	d, r := describedAPI(t), rand.New(rand.NewPCG(*seed, 0))
	s := start(t, t.TempDir())
	one := s.solve(payments)
	known := []string{one.ID, one.Run, one.Thread, "platform", "ops", "planner", "workers"}
	for _, item := range call[[]api.Item](s, "GET", "/api/inbox?all=true", "") {
		known = append(known, item.ID)
	}
	type route struct{ method, path string }
	var routes []route
	for path, methods := range d.Paths {
		for method := range methods {
			if strings.HasPrefix(path, "/api/v1/feed") {
				continue // which does not end
			}
			routes = append(routes, route{strings.ToUpper(method), path})
		}
	}
	slices.SortFunc(routes, func(a, b route) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	seen := map[int]int{}
	for i := range *requests {
		of := routes[i%len(routes)]
		op := d.Paths[of.path][strings.ToLower(of.method)]
		to, body, media := d.request(t, r, of.path, op, known)
		status, header, text := s.ask(of.method, to, body, "Content-Type", media)
		seen[status]++
		said := fmt.Sprintf("%s %s %.300s: status %d %.300s", of.method, to, body, status, text)
		answer, ok := op.Responses[strconv.Itoa(status)]
		escaped := status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect
		if !ok && !escaped { // a path with "..", or an empty part, is another one
			t.Errorf("not described: %s", said)
		}
		if status >= 500 && status != http.StatusServiceUnavailable {
			t.Errorf("an error of the server: %s", said)
		}
		typ, _, _ := strings.Cut(header.Get("Content-Type"), ";")
		if status >= 400 && (typ != "application/problem+json" || len(text) > 64<<10) {
			t.Errorf("not a problem, or one of %d bytes (%s): %s", len(text), typ, said)
		}
		if schema := answer.Content[typ].Schema; schema != nil && strings.HasSuffix(typ, "json") {
			if err := d.check(t, schema, text); err != nil {
				t.Errorf("not by its schema: %s: %v", said, err)
			}
		}
	}
	t.Logf("%d requests of %d routes, by status: %v", *requests, len(routes), seen)
	if seen[http.StatusOK] < *requests/10 {
		t.Errorf("too few requests were answered: %v", seen)
	}
}
