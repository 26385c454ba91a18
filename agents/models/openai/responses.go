package openai

import (
	"encoding/json"
	"maps"
	"strconv"

	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// responses converts a request to Chat Completions to one of Open Responses (https://www.openresponses.org),
// whose server keeps nothing: reasoning comes encrypted, and goes back with the calls that it led to.
func (m *Model) responses(chat object, f *forms) object {
	to := maps.Clone(chat)
	for _, name := range []string{"messages", "response_format", "stream_options", "seed"} {
		delete(to, name)
	}
	to["store"], to["include"] = false, []string{"reasoning.encrypted_content"}
	if format, ok := chat["response_format"].(object); ok {
		flat := object{"type": format["type"]}
		if of, ok := format["json_schema"].(object); ok {
			maps.Copy(flat, of)
		}
		to["text"] = object{"format": flat}
	}
	var tools []object
	all, _ := chat["tools"].([]object)
	for _, t := range all {
		flat := maps.Clone(t["function"].(object))
		flat["type"], flat["strict"] = "function", false
		tools = append(tools, flat)
	}
	if tools != nil {
		to["tools"] = tools
	}
	if choice, ok := chat["tool_choice"].(object); ok {
		to["tool_choice"] = object{"type": "function", "name": choice["function"].(object)["name"]}
	}
	input := []any{}
	for _, message := range chat["messages"].([]object) {
		switch message["role"] {
		case "system":
			to["instructions"] = message["content"]
			continue
		case "tool":
			input = append(input, object{"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]})
			continue
		}
		if kept, ok := message["reasoning"].(json.RawMessage); ok {
			for _, item := range (wire.Object{"": kept}).List("") {
				input = append(input, item)
			}
		}
		if message["content"] != "" {
			input = append(input, object{"role": message["role"], "content": message["content"]})
		}
		calls, _ := message["tool_calls"].([]object)
		for _, c := range calls {
			of := c["function"].(object)
			input = append(input, object{"type": "function_call", "call_id": c["id"], "name": of["name"], "arguments": of["arguments"]})
		}
	}
	to["input"] = input
	maps.Copy(to, m.params)
	maps.DeleteFunc(to, func(name string, value any) bool { return value == nil || f.without[name] })
	return to
}

// response reads the next event of Open Responses.
func (a *answer) response(e wire.Event) {
	o := e.Object()
	final := o.Object("response")
	switch kind := o.Text("type"); {
	case kind == "response.output_text.delta":
		a.say(o.Text("delta"))
	case kind == "response.refusal.delta":
		a.refused.Add(o.Text("delta"))
	case kind == "response.output_item.done":
		a.items = append(a.items, o["item"])
	case kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed":
		a.ended(final)
	case o.Text("object") == "response" || o.Has("output"):
		a.ended(o)
	}
}

// ended reads a response that has ended, with all of its items, or those that came before.
func (a *answer) ended(o wire.Object) {
	a.chat, a.model = true, wire.Clean(o.Text("model"))
	a.usage.add(o)
	items, said, declined := o.List("output"), "", ""
	if len(items) == 0 {
		items = a.items
	}
	var reasoning []json.RawMessage
	for i, value := range items {
		switch item := wire.ObjectOf(value); item.Text("type") {
		case "message":
			text, refused := content(item["content"])
			said, declined = said+text, declined+refused
		case "function_call":
			a.calls.add(wire.Object{"id": item["call_id"], "index": json.RawMessage(strconv.Itoa(i)), "name": item["name"], "arguments": item["arguments"]}, "", a.asked.Tools)
		case "reasoning":
			if item.Has("encrypted_content") {
				reasoning = append(reasoning, value)
			}
		}
	}
	if a.text.Raw() == "" {
		a.say(said)
	}
	if a.refused.Raw() == "" {
		a.refused.Add(declined)
	}
	if kept, err := json.Marshal(reasoning); err == nil && reasoning != nil {
		a.kept = members{"reasoning": {kept}}
	}
	for _, word := range []json.RawMessage{o["status"], o.Object("incomplete_details")["reason"]} {
		if wire.TextOf(word) != "incomplete" {
			a.finish.add(wire.Object{"finish_reason": word})
		}
	}
}
