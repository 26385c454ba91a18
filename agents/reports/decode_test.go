package reports_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
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
	r.Artifacts = []reports.Artifact{{ArtifactID: "a1", Kind: "dataset", Ref: "sha256:17"}}
	return r
}

func TestReportsRoundTripAsJSON(t *testing.T) {
	for _, want := range []*reports.Report{full(), quiet("t2")} {
		got, err := reports.Decode(encode(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
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
		if _, err := reports.Decode(data); err == nil {
			t.Fatalf("read what is not JSON: %s", data)
		}
		return
	}
	if r, ok := v.(map[string]any); ok && !hasMember(r, "model") { // which may be missing
		r["model"] = ""
	}
	want := s.Validate(v)
	_, got := reports.Decode(data)
	if (want == nil) != (got == nil) {
		t.Fatalf("%s\nschema: %v\ndecoder: %v", data, want, got)
	}
}

func hasMember(of map[string]any, name string) bool {
	_, ok := of[name]
	return ok
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

func TestInvalidReportIsRefusedWithTheField(t *testing.T) {
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
		with(`"turn_id":"t1"`, `"turn_id":7`): `turn_id = "7": not a JSON string`,
		with(`"turn_id":"t1",`, ``):           "turn_id",
		with(`"turn_id"`, `"Turn_ID"`):        "turn_id",
		with(`"status":"running"`, `"status":"fine"`):  `status = "fine": not one of`,
		with(`"summary":`, `"mood":"good","summary":`): "mood",
		with(`"findings":[`, `"findings":null,"f":[`):  "findings",
		with(`read on`, strings.Repeat("x", 64<<10)):   "more than 65536",
		with(`read on`, "read \xff on"):                "UTF-8",
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
	const problem = `confidence = "\"very\"": not a JSON number`
	if _, err := reports.Decode([]byte(data)); err == nil || !strings.Contains(err.Error(), `findings[0]`) || !strings.Contains(err.Error(), problem) {
		t.Errorf("decoded: %v", err)
	}
	d := newDesk(t, nil)
	d.publish(d.gate.Judge(ann, []byte(data), signals.ID{}, start).Signals...)
	got := reports.ReceiptOf(d.log...)
	if s := got.String(); s != "ann t1 running: finding f2, escalation e1, artifact a1; held back: finding invalid, learning missing_evidence" {
		t.Errorf("got %s", s)
	}
	if !strings.Contains(got.Rejected[0].Detail, problem) {
		t.Errorf("rejected with %s", got.Rejected[0].Detail)
	}
}

// The raw report stands beside what was accepted of it, byte for byte, once in the log.
func TestRawReportIsKeptBesideItsAcceptedItems(t *testing.T) {
	d := newDesk(t, nil)
	show := func(data string, turn signals.ID) reports.Receipt {
		t.Helper()
		from := len(d.log)
		d.publish(d.gate.Judge(ann, []byte(data), turn, start).Signals...)
		if got := d.log[from].Head().ReplyTo; got != turn {
			t.Errorf("the first signal replies to %s, want %s", got, turn)
		}
		return reports.ReceiptOf(d.log[from:]...)
	}
	accepted := " " + strings.Replace(string(encode(t, full())), ",", " ,\n", 1) // as it was sent, white space and all
	if got := show(accepted, signals.ID{}); got.Report != accepted || got.Status != reports.Running {
		t.Errorf("accepted: kept %q", got.Report)
	}
	if kept, _ := d.gate.Receipt("ann", "t1"); kept.Report != accepted {
		t.Errorf("the gate keeps %q", kept.Report)
	}
	if got := show("no report", signals.ID{}); got.Report != "no report" || why(got) != "[invalid]" {
		t.Errorf("refused: kept %q", got.Report)
	}
	if got := show(strings.Repeat("x", 5000), signals.ID{}); len(got.Report) != 4096+len("…") {
		t.Errorf("kept %d bytes of what is no report", len(got.Report))
	}
	turn := d.mint.ID(100, start)
	if got := show(string(encode(t, quiet("t2"))), turn); got.Report != "" || why(got) != "[]" {
		t.Errorf("a report that a turn has is kept again: %q", got.Report)
	}
	if got := show("no report", turn); got.Report != "" {
		t.Errorf("a refused one that a turn has is kept again: %q", got.Report)
	}
}

// A report fits into a signal that a bus takes, also where its kind is not known.
func TestAReportHasABound(t *testing.T) {
	for text, most := range map[string]int{"x": 64 << 10, `"`: 16 << 10, "<": 9362} {
		fits := func(n int) bool {
			d := newDesk(t, nil)
			r := quiet("t1")
			r.Artifacts = []reports.Artifact{{ArtifactID: "a", Kind: "file", Ref: strings.Repeat(text, n)}}
			j, _ := d.file(ann, r)
			if _, err := signals.Unmarshal(encode(t, d.log[0])); err != nil {
				t.Errorf("%d of %q: %v", n, text, err)
			}
			return j.Err == nil
		}
		if !fits(most-500) || fits(most) {
			t.Errorf("%q: %d fit: %v, %d: %v", text, most-500, fits(most-500), most, fits(most))
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, full()))
	f.Add(encode(f, quiet("t1")))
	f.Add([]byte(`{"turn_id":"t","findings":[{"claim":null}]}`))
	f.Add([]byte(`{"findings":[1e999]}`))
	s := resolved(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		readsAsTheSchemaSays(t, s, data)
		d := newDesk(t, nil)
		for range 2 {
			j := d.gate.Judge(reports.Worker{ID: "ann"}, data, signals.ID{}, start)
			d.publish(j.Signals...) // fails if one is not valid
		}
		r, err := reports.Decode(data)
		if err != nil {
			return
		}
		again, err := reports.Decode(encode(t, r))
		if err != nil {
			t.Fatalf("%s: %v", encode(t, r), err)
		}
		if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestReportWithoutItsModelHasThatOfTheWorker(t *testing.T) {
	d := newDesk(t, nil)
	known := ann
	known.Model = "known"
	j := d.gate.Judge(known, []byte(strings.Replace(string(encode(t, full())), `"model":"m",`, "", 1)), signals.ID{}, d.now)
	if j.Err != nil {
		t.Fatal(j.Err)
	}
	d.publish(j.Signals...)
	if n := d.gate.Counts()[reports.Reporter{Worker: "ann", Model: "known"}].Accepted.Total(); n != 4 {
		t.Errorf("%d items count for the worker's model, want 4: %v", n, d.gate.Counts())
	}
}
