package anthropic

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

type object = map[string]any

// forms are the choices of how a request is written where servers differ.
type forms struct {
	prompt  bool   // the prompt has the schema
	blind   bool   // a line tells of each file that it cannot be read
	most    int    // of tokens of an answer; 0: as many as one asks for
	without string // members that are not sent, each between blanks
}

// next returns the forms of the next request after one that was refused, and what was learned
// of the server; "": the refusal names nothing that could be sent otherwise.
func (f forms) next(refused *wire.Said, sent object, files bool) (forms, string) {
	words := fmt.Sprintf(" (%.200s)", refused.Words)
	if sent["output_config"] != nil && !f.prompt && refused.Has("output_config", "json_schema", "schema", "structured") {
		f.prompt = true
		return f, "the server refused the schema: it is sent in the prompt" + words
	}
	if files && !f.blind && refused.NamesFiles() {
		f.blind = true
		return f, "the server refused files: a line tells the model of each" + words
	}
	asked, _ := sent["max_tokens"].(int)
	if most, _ := refused.Bound(asked); f.most == 0 && most > 0 && refused.Has("max_tokens") {
		f.most = most
		return f, fmt.Sprintf("the server takes at most %d tokens for an answer: no more are asked for%s", most, words)
	}
	named := refused.Names(sent, "model", "messages", "max_tokens", "tools", "system", "stream", "output_config")
	if named == "" {
		return f, ""
	}
	f.without += " " + named + " "
	return f, "the server refused " + named + ": it is not sent" + words
}

// request converts a request to the protocol.
func (m *Model) request(r *models.Request, f forms) (object, error) {
	if f.blind {
		r = r.WithoutFiles()
	}
	to := object{"model": m.id.Name, "max_tokens": r.Most, "messages": m.messages(r.Messages), "stream": true}
	if f.most > 0 {
		to["max_tokens"] = min(r.Most, f.most)
	}
	system := r.System
	if f.prompt && r.Schema != nil {
		system += wire.InPrompt(r.Schema)
	}
	if system != "" {
		to["system"] = []object{{"type": "text", "text": system}}
	}
	if r.Temperature != nil {
		to["temperature"] = *r.Temperature
	}
	if r.Schema != nil && !f.prompt {
		var schema object
		if err := json.Unmarshal(r.Schema.JSON, &schema); err != nil {
			return nil, fmt.Errorf("schema %s: %w", r.Schema.Name, err)
		}
		to["output_config"] = object{"format": object{"type": "json_schema", "schema": accepted(schema)}}
	}
	var tools []object
	for _, t := range r.Tools {
		var schema object
		if err := json.Unmarshal(t.Schema, &schema); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		schema["type"] = "object"
		tools = append(tools, object{"name": t.Name, "description": t.Description, "input_schema": schema})
	}
	if len(tools) > 0 {
		to["tools"] = tools
		if r.NoCalls {
			to["tool_choice"] = object{"type": "none"}
		}
	}
	maps.Copy(to, m.params)
	maps.DeleteFunc(to, func(name string, value any) bool { return value == nil || strings.Contains(f.without, " "+name+" ") })
	return to, nil
}

// messages converts the conversation, and marks everything before the last message for caching.
func (m *Model) messages(from []models.Message) (all []object) {
	for _, message := range from {
		var content []object
		for _, result := range message.Results { // before the text, as the provider requires
			content = append(content, object{
				"type": "tool_result", "tool_use_id": result.Call, "is_error": result.IsError,
				"content": []object{{"type": "text", "text": result.Text}},
			})
		}
		for _, f := range message.Files {
			kind := "document"
			if f.IsPicture() {
				kind = "image"
			}
			content = append(content, object{"type": kind, "source": object{"type": "base64", "media_type": f.Type, "data": f.Data}})
		}
		if k := message.Kept; k != nil && k.Model == m.id {
			_ = json.Unmarshal(k.Data, &content)
		}
		if message.Text != "" {
			content = append(content, object{"type": "text", "text": message.Text})
		}
		for _, c := range message.Calls {
			content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Args})
		}
		if len(content) > 0 {
			all = append(all, object{"role": message.Role, "content": content})
		}
	}
	if m.cache && len(all) > 1 {
		content := all[len(all)-2]["content"].([]object)
		content[len(content)-1]["cache_control"] = object{"type": "ephemeral"}
	}
	return all
}

// accepted returns a schema without the keywords that the provider refuses:
// bounds of numbers, strings and arrays.
func accepted(schema object) object {
	for _, keyword := range []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
	} {
		delete(schema, keyword)
	}
	for key, value := range schema {
		switch v := value.(type) {
		case object:
			if key == "properties" || key == "$defs" {
				for name, property := range v { // whose names may equal keywords
					if p, ok := property.(object); ok {
						v[name] = accepted(p)
					}
				}
				continue
			}
			schema[key] = accepted(v)
		case []any:
			for i, x := range v {
				if p, ok := x.(object); ok && key != "enum" {
					v[i] = accepted(p)
				}
			}
		}
	}
	return schema
}
