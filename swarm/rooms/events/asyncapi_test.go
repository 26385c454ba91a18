package events_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

var update = flag.Bool("update", false, "write the AsyncAPI document anew")

const documentFile = "../../../docs/rooms.asyncapi.json"

// head are the fields of every event beside those of its body.
type head struct {
	Seq     uint64    `json:"seq,omitzero" jsonschema:"Position in the log, from which a reader can continue. Neither id nor sig covers it."`
	ID      string    `json:"id" jsonschema:"SHA-256 of the canonical event (RFC 8785) without id, sig and seq, in hexadecimal."`
	Room    string    `json:"room" jsonschema:"The room's name; empty for keys."`
	From    string    `json:"from" jsonschema:"An agent, user or router."`
	TS      time.Time `json:"ts" jsonschema:"ISO 8601."`
	ReplyTo string    `json:"reply_to,omitzero" jsonschema:"The id of the event that this one answers."`
}

// words returns the schema of an enumeration, with all of its words.
func words[E interface {
	~uint8
	MarshalText() ([]byte, error)
}]() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for e := E(1); ; e++ {
		word, err := e.MarshalText()
		if err != nil {
			return s
		}
		s.Enum = append(s.Enum, string(word))
	}
}

var types = &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[schedule.Priority](): words[schedule.Priority](),
	reflect.TypeFor[events.Status]():     words[events.Status](),
	reflect.TypeFor[events.What]():       words[events.What](),
	reflect.TypeFor[map[int]string]():    {Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}},
	reflect.TypeFor[time.Time]():         {Type: "string", Format: "date-time"},
}}

// schemaOf returns the schema of the events with a type of body.
func schemaOf[B events.Body](t *testing.T) (string, *jsonschema.Schema) {
	t.Helper()
	whole, err := jsonschema.For[head](types)
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.For[B](types)
	if err != nil {
		t.Fatal(err)
	}
	var zero B
	var kind any = zero.Type()
	whole.Properties["type"] = &jsonschema.Schema{Const: &kind}
	maps.Copy(whole.Properties, body.Properties)
	whole.Required = append(append(whole.Required, "type"), body.Required...)
	whole.PropertyOrder = nil
	whole.Title = zero.Type()
	return zero.Type(), whole
}

func schemas(t *testing.T) map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{}
	for _, of := range []func(*testing.T) (string, *jsonschema.Schema){
		schemaOf[events.Dialogue], schemaOf[events.Tool], schemaOf[events.Signal], schemaOf[events.Mailbox], schemaOf[events.Pass],
		schemaOf[events.System], schemaOf[events.User], schemaOf[events.Key],
	} {
		name, schema := of(t)
		all[name] = schema
	}
	return all
}

// document returns the AsyncAPI document of the feed.
func document(t *testing.T) []byte {
	t.Helper()
	type object = map[string]any
	messages, refs := object{}, object{}
	for name, schema := range schemas(t) {
		messages[name] = object{"name": name, "contentType": "application/json", "payload": schema}
		refs[name] = object{"$ref": "#/components/messages/" + name}
	}
	data, err := json.MarshalIndent(object{
		"asyncapi": "3.0.0",
		"info": object{
			"title": "Rooms", "version": "1.0.0",
			"description": "What happens in rooms of standing agents. Each message is one event.",
		},
		"defaultContentType": "application/json",
		"channels":           object{"events": object{"address": "events", "description": "The events of all rooms, or of one.", "messages": refs}},
		"operations":         object{"follow": object{"action": "receive", "channel": object{"$ref": "#/channels/events"}, "summary": "Read events from a position on."}},
		"components":         object{"messages": messages},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func TestAsyncAPIDocumentIsThatOfTheTypes(t *testing.T) {
	t.Parallel()
	got := document(t)
	if *update {
		if err := os.WriteFile(documentFile, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the types: run the test with -update", documentFile)
	}
}

func TestEventsConformToTheirSchemas(t *testing.T) {
	t.Parallel()
	resolved := map[string]*jsonschema.Resolved{}
	for name, schema := range schemas(t) {
		r, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		resolved[name] = r
	}
	seen := map[string]bool{}
	check := func(data []byte) error {
		var value map[string]any
		if err := json.Unmarshal(data, &value); err != nil {
			t.Fatal(err)
		}
		kind, _ := value["type"].(string)
		seen[kind] = true
		return resolved[kind].Validate(value)
	}
	l := aDay(t)
	l.add("reed", "Reed", events.Signal{Common: common, Ix: 1, What: "vote", By: "Veda", JSON: `{"type":"vote"}`})
	l.add("reed", "Veda", events.Pass{Common: common})
	l.add("reed", "Veda", events.Dialogue{Common: common, Stream: "s", Part: 1, Chunk: "Backup"})
	for _, e := range l.all {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(data); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
	if len(seen) != len(resolved) {
		t.Errorf("only %v were checked", seen)
	}
	tool, err := json.Marshal(l.all[5])
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{`"ix":1`, `"ix":"1"`}, {`"status":"pending"`, `"status":"open"`}, {`"stub":null,`, ``}, {`"turn":0`, `"turn":0,"more":1`}} {
		changed := strings.Replace(string(tool), change[0], change[1], 1)
		if changed == string(tool) {
			t.Fatalf("%s has no %s", tool, change[0])
		}
		if check([]byte(changed)) == nil {
			t.Errorf("%s conforms", changed)
		}
	}
}
