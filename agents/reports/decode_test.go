package reports_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

func full() *reports.Report {
	r := found("t1", finding("f1", "the pool is exhausted"))
	r.Learnings = learned("t1", 0.8, "look at the pool first", "f1").Learnings
	r.Escalations = []reports.Escalation{escalation("e1", reports.Approval, "restart the pool in production")}
	r.Artifacts = []reports.Artifact{{ArtifactID: "a1", Kind: reports.DatasetArtifact, Ref: "sha256:17"}}
	return r
}

func TestReportsRoundTripAsJSON(t *testing.T) {
	for _, want := range []*reports.Report{full(), quiet("t2")} {
		got, err := reports.Decode(encode(t, want))
		if err != nil || got.Malformed() != nil {
			t.Fatal(err, got.Malformed())
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(reports.Report{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		var again reports.Report
		if err := json.Unmarshal(encode(t, want), &again); err != nil || again.TurnID != want.TurnID {
			t.Errorf("json.Unmarshal: %v, turn %q", err, again.TurnID)
		}
	}
}

func resolved(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(reports.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readsAsTheSchemaSays compares the decoder with a validator of the published
// schema.
func readsAsTheSchemaSays(t interface{ Fatalf(string, ...any) }, s *jsonschema.Resolved, data []byte) {
	var v any
	if json.Unmarshal(data, &v) != nil {
		if _, err := reports.Decode(data); err == nil && len(data) > 0 {
			if r, _ := reports.Decode(data); r.Malformed() == nil {
				t.Fatalf("read what is not JSON: %s", data)
			}
		}
		return
	}
	want := s.Validate(v)
	r, got := reports.Decode(data)
	if got == nil {
		got = r.Malformed()
	}
	if (want == nil) != (got == nil) {
		t.Fatalf("%s\nschema: %v\ndecoder: %v", data, want, got)
	}
}

// TestDecoderIsTheSchema changes one thing somewhere in a report after the
// other, and asks both.
func TestDecoderIsTheSchema(t *testing.T) {
	s := resolved(t)
	valid := encode(t, full())
	readsAsTheSchemaSays(t, s, valid)
	for _, old := range []string{`"running"`, `"approval"`, `"high"`, `"dataset"`} { // all words, in each place
		for _, word := range strings.Fields("running completed failed blocked blocker help approval conflict low medium high report note dataset file") {
			readsAsTheSchemaSays(t, s, []byte(strings.Replace(string(valid), old, `"`+word+`"`, 1)))
		}
	}
	values := []any{nil, true, "x", "running", 1.5, -3, []any{}, []any{"x"}, []any{nil}, []any{1}, map[string]any{}, []any{map[string]any{}}}
	rapid.Check(t, func(t *rapid.T) {
		var v any
		_ = json.Unmarshal(valid, &v)
		for range rapid.IntRange(1, 2).Draw(t, "changes") {
			at := v.(map[string]any)
			for {
				name := rapid.SampledFrom(slices.Sorted(maps.Keys(at))).Draw(t, "member")
				items, _ := at[name].([]any)
				if len(items) > 0 && rapid.Bool().Draw(t, "deeper") {
					if inner, ok := items[0].(map[string]any); ok && len(inner) > 0 {
						at = inner
						continue
					}
				}
				switch rapid.IntRange(0, 3).Draw(t, "how") {
				case 0:
					delete(at, name)
				case 1:
					at[strings.ToUpper(name)] = at[name]
				case 2:
					at[name] = rapid.SampledFrom(values).Draw(t, "value")
				default:
					if len(items) > 0 {
						at[name] = append(items, rapid.SampledFrom(values).Draw(t, "item"))
					}
				}
				break
			}
			if len(v.(map[string]any)) == 0 {
				break
			}
		}
		data, _ := json.Marshal(v)
		readsAsTheSchemaSays(t, s, data)
	})
}

// TestSchemaIsWhatProvidersTake: structured output wants all members required
// and no others, and knows few keywords.
func TestSchemaIsWhatProvidersTake(t *testing.T) {
	var root any
	if err := json.Unmarshal(reports.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	known := []string{"type", "description", "additionalProperties", "required", "properties", "items", "enum"}
	objects := 0
	var walk func(map[string]any)
	walk = func(s map[string]any) {
		for keyword := range s {
			if !slices.Contains(known, keyword) {
				t.Errorf("the schema has %q", keyword)
			}
		}
		if items, ok := s["items"].(map[string]any); ok {
			walk(items)
		}
		properties, ok := s["properties"].(map[string]any)
		if !ok {
			return
		}
		objects++
		var required []string
		for _, name := range s["required"].([]any) {
			required = append(required, name.(string))
		}
		slices.Sort(required)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(properties)), required); diff != "" || s["additionalProperties"] != false {
			t.Errorf("an object is open: %s", diff)
		}
		for _, p := range properties {
			walk(p.(map[string]any))
		}
	}
	walk(root.(map[string]any))
	if objects != 5 {
		t.Errorf("%d objects, want 5", objects)
	}
	reports.Schema()[0] = 'x'
	if reports.Schema()[0] != '{' {
		t.Error("a caller can change the schema")
	}
}

func TestWhatIsNoReportIsRefusedWithTheField(t *testing.T) {
	with := func(old, now string) string {
		data := string(encode(t, full()))
		if !strings.Contains(data, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(data, old, now, 1)
	}
	for data, field := range map[string]string{
		"":                                    "signals: ",
		"null":                                "not a JSON object",
		"[]":                                  "not a JSON object",
		with(`"turn_id":"t1"`, `"turn_id":7`): `turn_id = "7": not a string`,
		with(`"turn_id":"t1",`, ``):           "turn_id",
		with(`"turn_id"`, `"Turn_ID"`):        "turn_id",
		with(`"status":"running"`, `"status":"fine"`):          `status = "fine": not one of`,
		with(`"summary":`, `"mood":"good","summary":`):         "mood",
		with(`"findings":[`, `"findings":null,"f":[`):          "findings",
		with(`read on`, "read \xff on"):                        "UTF-8",
		with(`read on`, strings.Repeat("x", reports.MaxBytes)): "more than 262144",
	} {
		_, err := reports.Decode([]byte(data))
		if !errors.Is(err, signals.ErrInvalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%.60s: got %v, want %s in it", data, err, field)
		}
	}
}

// One item that cannot be read does not take the others with it.
func TestMalformedItemsAreRejectedAndNothingElse(t *testing.T) {
	r := full()
	r.Findings = append(r.Findings, finding("f2", "retries multiply the load"))
	data := strings.Replace(string(encode(t, r)), `"confidence":0.9`, `"confidence":"very"`, 1)
	read, err := reports.Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Malformed(); err == nil || !strings.Contains(err.Error(), `findings[0]`) || !strings.Contains(err.Error(), `confidence = "\"very\"": not a number`) {
		t.Errorf("malformed: %v", err)
	}
	d := newDesk(t, nil)
	_, got := d.file(ann, read)
	if s := got.String(); s != "ann t1 running: finding f2, escalation e1, artifact a1; held back: finding invalid, learning missing_evidence" {
		t.Errorf("got %s", s)
	}
}

func TestMalformedItemsAreListedInOrder(t *testing.T) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(encode(t, quiet("t1")), &members); err != nil {
		t.Fatal(err)
	}
	members["learnings"], members["findings"] = json.RawMessage(`[1]`), json.RawMessage(`[0,1,2,3,4,5,6,7,8,9]`)
	read, err := reports.Decode(encode(t, members))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for line := range strings.Lines(read.Malformed().Error()) {
		where, _, _ := strings.Cut(line, "]")
		got = append(got, where[strings.LastIndexAny(where, " :")+1:])
	}
	for i := range 10 {
		want = append(want, "findings["+strconv.Itoa(i))
	}
	if want = append(want, "learnings[0"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, full()))
	f.Add(encode(f, quiet("t1")))
	f.Add([]byte(`{"turn_id":"t","findings":[{"claim":null}]}`))
	f.Add([]byte(`{"findings":[1e999]}`))
	s := resolved(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := reports.Decode(data)
		readsAsTheSchemaSays(t, s, data)
		if err != nil {
			return
		}
		d := newDesk(t, nil)
		w := reports.Worker{ID: "ann"}
		for range 2 {
			j := d.gate.Judge(w, r, start)
			d.publish(j.Signals...) // fails if one is not valid
		}
		if r.Malformed() != nil {
			return
		}
		again, err := reports.Decode(encode(t, r))
		if err != nil {
			t.Fatalf("%s: %v", encode(t, r), err)
		}
		if diff := cmp.Diff(r, again, cmpopts.IgnoreUnexported(reports.Report{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
