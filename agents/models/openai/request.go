package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

type object = map[string]any

// post sends a request to a path below the base URL. That a server has no such path is more often the
// base URL's fault than the model's.
func (m *Model) post(ctx context.Context, path string, body object, read func(wire.Event) error) (*wire.Response, *wire.Said, error) {
	at, failed := m.base, (*models.Error)(nil)
	at.Path += path
	resp, refused, err := m.client.Ask(ctx, at.String(), m.header, body, read)
	if errors.As(err, &failed) && failed.Status == http.StatusNotFound && m.bare {
		failed.Detail = "the base URL has no path, such as /v1: " + failed.Detail
	}
	return resp, refused, err
}

// body converts a request to the protocol.
func (m *Model) body(r *models.Request, f *forms) object {
	if f.blind {
		r = r.WithoutFiles()
	}
	to := object{"model": m.id.Name, "stream": true, "stream_options": object{"include_usage": true}, f.tokens: r.Most}
	if f.most > 0 {
		to[f.tokens] = min(r.Most, f.most)
	}
	if f.whole {
		delete(to, "stream_options")
		to["stream"] = false
	}
	if r.Temperature != nil {
		to["temperature"] = *r.Temperature
	}
	if r.Seed != nil {
		to["seed"] = *r.Seed
	}
	tools := []object{}
	if !r.NoCalls || !f.either && !f.noChoice {
		for _, t := range r.Tools {
			tools = append(tools, tool(t.Name, t.Description, t.Schema))
		}
	}
	if len(tools) > 0 && r.NoCalls {
		to["tool_choice"] = "none"
	}
	system := r.System
	if s := r.Schema; s != nil && (!f.either || len(tools) == 0 || f.schema == Prompt) {
		switch f.schema {
		case JSONSchema:
			to["response_format"] = object{"type": JSONSchema, "json_schema": object{"name": s.Name, "schema": s.JSON, "strict": true}}
		case JSONObject:
			to["response_format"] = object{"type": JSONObject}
			fallthrough
		case Prompt:
			system += wire.InPrompt(s)
		case Tools:
			to["tool_choice"] = object{"type": "function", "function": object{"name": s.Name}}
			if len(tools) > 0 && !r.NoCalls {
				to["tool_choice"] = "required"
			}
			tools = append(tools, tool(s.Name, "Gives the answer.", s.JSON))
		}
	}
	if len(tools) > 0 {
		to["tools"] = tools
	}
	to["messages"] = m.messages(system, r.Messages, f)
	if m.isResponses {
		return m.responses(to, f)
	}
	maps.Copy(to, m.params)
	for name, value := range to {
		if value == nil || f.without[name] {
			delete(to, name)
		}
	}
	return to
}

func tool(name, description string, schema json.RawMessage) object {
	return object{"type": "function", "function": object{"name": name, "description": description, "parameters": schema}}
}

// messages converts the conversation. Neighbors of one role become one message, since
// the templates of many models insist on alternating roles.
func (m *Model) messages(system string, from []models.Message, f *forms) (all []object) {
	add := func(role, text string) object {
		if last := len(all) - 1; last >= 0 && all[last]["role"] == role && all[last]["tool_calls"] == nil && !isParts(all[last]["content"]) {
			if before, _ := all[last]["content"].(string); before != "" && text != "" {
				text = before + "\n\n" + text
			} else {
				text = before + text
			}
			all = all[:last]
		}
		all = append(all, object{"role": role, "content": text})
		return all[len(all)-1]
	}
	if system != "" {
		role := "system"
		if f.folded {
			role = "user"
		}
		add(role, system)
	}
	for _, message := range from {
		for _, result := range message.Results {
			all = append(all, object{"role": "tool", "tool_call_id": result.Call, "content": result.Text})
		}
		if message.Text == "" && len(message.Calls) == 0 {
			continue
		}
		to := add(string(message.Role), message.Text)
		if len(message.Files) > 0 {
			to["content"] = parts(message.Files, to["content"].(string))
		}
		var backs []wire.Object
		if !f.forgets {
			var back wire.Object
			back, backs = wire.Back(message.Kept, m.id)
			for name, value := range back {
				to[name] = value
			}
		}
		var calls []object
		for i, c := range message.Calls {
			call := object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": string(c.Args)}}
			if i < len(backs) {
				for name, value := range backs[i] {
					call[name] = value
				}
			}
			calls = append(calls, call)
		}
		if calls != nil {
			to["tool_calls"] = calls
		}
	}
	return all
}

func isParts(content any) bool {
	_, several := content.([]object)
	return several
}

// parts returns the content of a message with files and a text.
func parts(files []models.File, text string) (all []object) {
	for _, f := range files {
		at := "data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
		if f.IsPicture() {
			all = append(all, object{"type": "image_url", "image_url": object{"url": at}})
		} else {
			all = append(all, object{"type": "file", "file": object{"filename": f.Name, "file_data": at}})
		}
	}
	return append(all, object{"type": "text", "text": text})
}
