package schemas_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

var (
	update = flag.Bool("update", false, "rewrite the descriptions that are made here, if that breaks nobody")
	breaks = flag.Bool("break", false, "with -update: rewrite them even so")
)

// head is what every signal has beside its type and payload.
type head struct {
	Seq         uint64   `json:"seq,omitempty" jsonschema:"place in the log, from 1"`
	ID          string   `json:"id,omitempty" jsonschema:"at most 64 printable ASCII characters"`
	Source      string   `json:"source" jsonschema:"the agent that sent it"`
	Thread      string   `json:"thread,omitempty" jsonschema:"the task or conversation"`
	Confidence  float64  `json:"confidence" jsonschema:"of the source, from 0 to 1"`
	Timestamp   float64  `json:"timestamp,omitempty" jsonschema:"milliseconds since 1970, with up to six decimals"`
	TTL         float64  `json:"ttl,omitempty" jsonschema:"milliseconds until it expires; negative: never"`
	ReplyTo     string   `json:"replyTo,omitempty" jsonschema:"the id of a signal"`
	Recipients  []string `json:"recipients,omitempty" jsonschema:"who reads it; absent: everyone"`
	TraceParent string   `json:"traceparent,omitempty" jsonschema:"W3C Trace Context"`
	TraceState  string   `json:"tracestate,omitempty"`
	Metadata    struct {
		Round       int32               `json:"round,omitempty" jsonschema:"of the solve"`
		Priority    int16               `json:"priority,omitempty" jsonschema:"higher is more urgent"`
		CausalLevel signals.CausalLevel `json:"causalLevel,omitempty"`
	} `json:"metadata,omitzero"`
}

// A kind is one of signals.
type kind struct {
	name    signals.Kind
	payload reflect.Type
	filled  any // a payload in which every field has a value
}

func of[P signals.Payload]() kind {
	var zero, p P
	fill(reflect.ValueOf(&p).Elem())
	return kind{zero.Kind(), reflect.TypeFor[P](), p}
}

// whole returns a signal in which every field of the header has a value.
func whole() signals.Any {
	trace, err := signals.ParseTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=b")
	if err != nil {
		panic(err) // it is constant
	}
	return signals.New(signals.Header{
		Seq: 7, ID: signals.MustID("sig"), Source: "ann", Thread: "thread", ReplyTo: signals.MustID("other"), Time: time.Unix(1, 5).UTC(), TTL: time.Minute,
		Confidence: 0.5, Recipients: signals.To("bob"), Trace: &trace, Round: 3, Priority: -2, CausalLevel: 1,
	}, signals.Vote{ProposalID: "p", Stance: signals.Agree})
}

// example returns the JSON of a signal of a kind. Its texts need not be what the kind allows.
func (k kind) example(t *testing.T) (signal map[string]any) {
	t.Helper()
	text, err := signals.Marshal(whole())
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(k.filled)
	if err != nil {
		t.Fatal(k.name, err)
	}
	var said any
	if err := errors.Join(json.Unmarshal(text, &signal), json.Unmarshal(payload, &said)); err != nil {
		t.Fatal(err)
	}
	signal["type"], signal["payload"] = string(k.name), said
	return signal
}

func all() []kind {
	return []kind{
		of[signals.Task](), of[signals.Discovery](), of[signals.Proposal](), of[signals.Doubt](), of[signals.Challenge](), of[signals.Vote](),
		of[signals.Conflict](), of[signals.Consensus](), of[signals.Escalation](), of[signals.Memory](), of[signals.ToolResult](),
		of[routing.UserMessage](), of[routing.Stop](), of[routing.Timer](),
		of[coordination.Attention](), of[coordination.Confidence](), of[coordination.ConflictNotice](), of[coordination.Handoff](),
		of[coordination.Escalation](), of[coordination.Transition](),
		of[coordination.Step](), of[coordination.Requested](), of[coordination.Members](), of[coordination.Closed](),
		of[runlog.Began](), of[runlog.Planned](), of[runlog.Late](), of[runlog.Failed](), of[runlog.Refused](), of[runlog.Same](), of[runlog.Member](), of[runlog.Answered](),
		of[settle.Unpaid](), of[agents.Passed](), of[agents.Fallback](), of[conflict.Resolution](), of[runlog.Opened](), of[runlog.Decided](), of[runlog.Outcome](),
		of[claims.Written](), of[signals.Retraction](), of[asking.Call](), of[asking.Answer](),
		of[reports.Received](), of[reports.Progress](), of[reports.Completion](), of[reports.Failure](), of[reports.Block](),
		of[reports.ResearchFinding](), of[reports.WorkerFinding](), of[reports.ResearchLearning](), of[reports.WorkerLearning](), of[reports.Requested](),
		of[reports.Decided](), of[reports.Created](), of[reports.Rejected](), of[reports.Advisory](), of[reports.Turn](), of[reports.Ruling](),
		of[events.Dialogue](), of[events.Tool](), of[events.Signal](), of[events.Mailbox](), of[events.Pass](), of[events.System](), of[events.User](),
		of[events.Key](), of[roomlog.Began](), of[roomlog.Ended](), of[roomlog.Read](),
	}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

func fill(v reflect.Value) {
	switch t := v.Type(); {
	case t == reflect.TypeFor[signals.ID]():
		v.Set(reflect.ValueOf(signals.MustID("sig")))
	case t == reflect.TypeFor[signals.Attachments]():
		v.Set(reflect.ValueOf(signals.Attach(signals.Attachment{Name: "a.txt", Data: []byte("a")})))
	case t == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"n":1}`))
	case t == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1, 5).UTC()))
	case v.Kind() == reflect.String && t.Implements(marshaler):
		v.SetString(`{"n":1}`)
	case v.Kind() == reflect.String:
		v.SetString("text")
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case v.CanFloat():
		v.SetFloat(0.5)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(t, 1, 1))
		fill(v.Index(0))
	case v.Kind() == reflect.Map:
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(key, value)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	}
}

// written returns the schemas of types that write themselves: those of texts with the
// words that their first numbers have.
func written(t reflect.Type, known map[reflect.Type]*jsonschema.Schema) {
	if _, ok := known[t]; ok {
		return
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		known[t] = &jsonschema.Schema{Type: "string", Format: "date-time"}
	case t == reflect.TypeFor[signals.Attachments]():
		one, err := jsonschema.For[signals.Attachment](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[[]byte](): {Type: "string", ContentEncoding: "base64"},
		}})
		if err == nil {
			known[t] = &jsonschema.Schema{Type: "array", Items: one}
		}
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.String && t.Implements(marshaler):
		known[t] = &jsonschema.Schema{}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		known[t] = words(t)
	case t.Kind() == reflect.Map:
		of, err := jsonschema.ForType(t.Elem(), &jsonschema.ForOptions{TypeSchemas: known})
		if err == nil && t.Key().Kind() != reflect.String {
			known[t] = &jsonschema.Schema{Type: "object", AdditionalProperties: of}
		}
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer || t.Kind() == reflect.Array:
		written(t.Elem(), known)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			written(t.Field(i).Type, known)
		}
	}
}

func words(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for i := range uint64(64) {
		v := reflect.New(t).Elem()
		if !v.CanUint() {
			break
		}
		v.SetUint(i)
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if from, reads := v.Addr().Interface().(encoding.TextUnmarshaler); err == nil && (i == 0 || !reads || from.UnmarshalText(text) == nil) {
			s.Enum = append(s.Enum, string(text))
		}
	}
	return s
}

// shares are fields from 0 to 1, which the types check.
var shares = []string{"confidence", "relevance", "weight", "importance"}

// schemaFor returns the schema of a type. A program that reads ignores members that it does
// not know, so that newer ones may write more.
func schemaFor(t *testing.T, of reflect.Type) *jsonschema.Schema {
	t.Helper()
	known := map[reflect.Type]*jsonschema.Schema{}
	written(of, known)
	s, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		t.Fatal(of, err)
	}
	open(s)
	return s
}

func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	s.PropertyOrder = nil
	for name, p := range s.Properties {
		if slices.Contains(shares, name) && p.Type == "number" {
			p.Minimum, p.Maximum = jsonschema.Ptr(0.), jsonschema.Ptr(1.)
		}
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}

// signalsOf returns the schema of the signals of each kind, and of its payload alone.
func signalsOf(t *testing.T) (signal, payloads map[string]*jsonschema.Schema) {
	signal, payloads = map[string]*jsonschema.Schema{}, map[string]*jsonschema.Schema{}
	for _, k := range all() {
		name := string(k.name)
		payloads[name] = schemaFor(t, k.payload)
		s := schemaFor(t, reflect.TypeFor[head]())
		s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", name
		var constant any = name
		s.Properties["type"], s.Properties["payload"] = &jsonschema.Schema{Const: &constant}, payloads[name]
		s.Required = append(s.Required, "type", "payload")
		if signal[name] != nil {
			t.Errorf("kind %s twice", name)
		}
		signal[name] = s
	}
	return signal, payloads
}

func TestSignalsConformToTheSchemasOfTheirKinds(t *testing.T) {
	t.Parallel()
	described, _ := signalsOf(t)
	codec, err := signals.NewCodec(slices.Concat(runlog.Kinds(), reports.Payloads(), roomlog.Payloads())...)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range codec.Kinds() {
		if described[string(k)] == nil {
			t.Errorf("kind %s has no schema: add its type to the list of this test", k)
		}
	}
	for _, k := range all() {
		schema, value := described[string(k.name)], k.example(t)
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(k.name, err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v\n%v", k.name, err, value)
		}
		if missing := undescribed("", schema, value); missing != nil {
			t.Errorf("%s: the schema lacks %v", k.name, missing)
		}
		value["confidence"] = 7
		if resolved.Validate(value) == nil {
			t.Errorf("%s: the schema takes a confidence of 7", k.name)
		}
		value["confidence"], value["type"] = 1, "another"
		if resolved.Validate(value) == nil {
			t.Errorf("%s: the schema takes another kind", k.name)
		}
	}
}

// undescribed returns the members of a value that a schema does not have.
func undescribed(path string, s *jsonschema.Schema, v any) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			switch p := s.Properties[name]; {
			case p != nil:
				all = append(all, undescribed(path+"."+name, p, member)...)
			case s.AdditionalProperties == nil && len(s.Properties) > 0:
				all = append(all, path+"."+name)
			}
		}
	case []any:
		for i := range v {
			if s.Items != nil {
				all = append(all, undescribed(path+"[]", s.Items, v[i])...)
			}
		}
	}
	return all
}

// document is JSON as it is checked in.
func document(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func TestSchemasOfSignalsAreThoseOfTheTypes(t *testing.T) {
	t.Parallel()
	described, _ := signalsOf(t)
	same(t, "signals.json", document(t, described))
}

func TestAsyncAPIIsThatOfTheTypes(t *testing.T) {
	t.Parallel()
	same(t, "asyncapi.json", asyncAPI(t))
}

// same compares a description with the one that is checked in.
func same(t *testing.T, file string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil && (!*update || !os.IsNotExist(err)) {
		t.Fatal(err)
	}
	if string(got) == string(want) {
		return
	}
	if len(want) > 0 {
		say := t.Errorf
		if *update && *breaks {
			say = t.Logf
		}
		for _, what := range broken(t, want, got) {
			say("%s: this breaks those who rely on it: %s", file, what)
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Errorf("%s is not that of the types: run the test with -update, and with -break if it must break somebody, and say so in CHANGELOG.md", file)
	}
}

// asyncAPI returns the document of the log on NATS, of events in files and pipelines, and
// of the rooms.
func asyncAPI(t *testing.T) []byte {
	t.Helper()
	type object = map[string]any
	_, payloads := signalsOf(t)
	messages, logged, batched := object{}, object{}, object{}
	for _, name := range slices.Sorted(maps.Keys(payloads)) {
		id := "signal-" + strings.ReplaceAll(strings.ReplaceAll(name, ":", "-"), "/", "-")
		messages[id] = object{
			"name": name, "contentType": "application/json", "payload": payloads[name], "headers": object{"$ref": "#/components/schemas/attributes"},
		}
		logged[id] = object{"$ref": "#/components/messages/" + id}
	}
	messages["batch"] = object{"name": "batch", "contentType": "application/cloudevents-batch+json", "payload": object{
		"type": "array", "minItems": 1, "items": object{"$ref": "#/components/schemas/event"},
	}}
	batched["batch"] = object{"$ref": "#/components/messages/batch"}
	messages["event"] = object{"name": "event", "contentType": "application/cloudevents+json", "payload": object{"$ref": "#/components/schemas/event"}}
	maps.Copy(logged, batched)
	parameters := object{
		"stream": object{"description": "the name of the log"},
		"thread": object{"description": "the thread, escaped; % for none, %% for several"},
		"kind":   object{"description": "the kind of signal, escaped; %% for a batch"},
		"source": object{"description": "who says it, escaped; %% for several"},
	}
	rooms, err := os.ReadFile("../../../../docs/rooms.asyncapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Channels   object `json:"channels"`
		Components struct {
			Messages object `json:"messages"`
		} `json:"components"`
	}
	if err := json.Unmarshal(rooms, &theirs); err != nil {
		t.Fatal(err)
	}
	refs := object{}
	for name, message := range theirs.Components.Messages {
		messages["room-"+name] = message
		refs["room-"+name] = object{"$ref": "#/components/messages/room-" + name}
	}
	return document(t, object{
		"asyncapi": "3.0.0",
		"info": object{
			"title": "swarmbus", "version": "1.0.0",
			"description": "What agents say on a log: over NATS JetStream, as lines of CloudEvents, and in rooms.",
		},
		"defaultContentType": "application/json",
		"channels": object{
			"log": object{
				"address": "{stream}.log.{thread}.{kind}.{source}", "parameters": parameters, "messages": logged,
				"description": "The signals of a log on NATS: one in binary mode, with its attributes in headers, or several as a batch.",
			},
			"cloudevents": object{
				"address": "swarmbus log RUN --format cloudevents", "messages": object{"event": object{"$ref": "#/components/messages/event"}},
				"description": "The signals of a run, one on each line, as the command prints and swarmbus import reads them.",
			},
			"rooms": object{"address": "/api/v1/rooms/{room}/events", "parameters": object{"room": object{"description": "the name of a room"}}, "messages": refs},
		},
		"operations": object{
			"publish":     object{"action": "send", "channel": object{"$ref": "#/channels/log"}, "summary": "Publish signals, if NATS lets this process speak for their source"},
			"readLog":     object{"action": "receive", "channel": object{"$ref": "#/channels/log"}, "summary": "Read the log in its order"},
			"readEvents":  object{"action": "receive", "channel": object{"$ref": "#/channels/cloudevents"}, "summary": "Read a run"},
			"followRooms": object{"action": "receive", "channel": object{"$ref": "#/channels/rooms"}, "summary": "Read the events of a room"},
		},
		"components": object{"messages": messages, "schemas": object{"attributes": headers(), "event": event()}},
	})
}

// attributes are those of package cloudevents, with the format of each.
var attributes = map[string]string{
	"specversion": "", "id": "", "source": "uri-reference", "type": "", "subject": "", "time": "date-time", "datacontenttype": "", "sequence": "",
	"confidence": "", "ttl": "", "replyto": "", "recipients": "", "round": "", "priority": "", "causallevel": "", "traceparent": "", "tracestate": "",
}

var needed = []string{"specversion", "id", "source", "type"}

func text(format string) map[string]any {
	s := map[string]any{"type": "string"}
	if format != "" {
		s["format"] = format
	}
	return s
}

func headers() map[string]any {
	properties, required := map[string]any{}, []string{}
	for name, format := range attributes {
		if format == "uri-reference" {
			format = "" // it is escaped once more
		}
		properties["ce-"+name] = text(format)
	}
	delete(properties, "ce-datacontenttype") // that is Content-Type
	for _, name := range needed {
		required = append(required, "ce-"+name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func event() map[string]any {
	properties := map[string]any{"data": map[string]any{}}
	for name, format := range attributes {
		properties[name] = text(format)
	}
	return map[string]any{"type": "object", "properties": properties, "required": append(slices.Clone(needed), "data")}
}
