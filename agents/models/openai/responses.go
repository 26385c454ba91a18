package openai

import (
	"encoding/json"
	"io"
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
			input = append(input, object{"role": message["role"], "content": inputs(message["content"])})
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

// inputs returns a content as Open Responses has it.
func inputs(content any) any {
	parts, several := content.([]object)
	if !several {
		return content
	}
	all := []object{}
	for _, p := range parts {
		flat := object{"type": "input_text", "text": p["text"]}
		if at, ok := p["image_url"].(object); ok {
			flat = object{"type": "input_image", "image_url": at["url"], "detail": "auto"}
		} else if file, ok := p["file"].(object); ok {
			flat = object{"type": "input_file", "filename": file["filename"], "file_data": file["file_data"]}
		}
		all = append(all, flat)
	}
	return all
}

// responseItems are the items of a response as far as they have come.
type responseItems struct {
	whole  []json.RawMessage
	calls  map[string]wire.Object // that are not, by their place
	places []string
	deltas bool // the text comes in deltas
}

// response reads the next event of Open Responses.
func (a *answer) response(e wire.Event) error {
	o, items := e.Object(), &a.items
	place := o.Label("output_index", "item_id")
	switch kind := o.Text("type"); {
	case kind == "response.output_text.delta":
		items.deltas = true
		a.Say(o.Text("delta"))
	case kind == "response.output_text.done" && !items.deltas:
		a.Say(o.Text("text"))
	case kind == "response.refusal.delta":
		a.Refused.Add(o.Text("delta"))
	case kind == "response.output_item.added" && o.Object("item").Text("type") == "function_call":
		if items.calls == nil {
			items.calls = map[string]wire.Object{}
		}
		items.calls[place] = o.Object("item")
		items.places = append(items.places, place)
	case kind == "response.function_call_arguments.delta" && items.calls[place] != nil:
		args, _ := json.Marshal(items.calls[place].Text("arguments") + o.Text("delta"))
		items.calls[place]["arguments"] = args
	case kind == "response.function_call_arguments.done" && o.Has("arguments") && items.calls[place] != nil:
		items.calls[place]["arguments"] = o["arguments"]
	case kind == "response.output_item.done":
		items.whole = append(items.whole, o["item"])
	case kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed":
		a.ended(o.Object("response"))
		return io.EOF
	case o.Text("object") == "response" || o.Has("output"):
		a.ended(o)
	}
	return nil
}

// ended reads a response that has ended, with all of its items, or those that came before.
func (a *answer) ended(o wire.Object) {
	a.Begun, a.Model = true, wire.Clean(o.Text("model"))
	a.usage.add(o)
	items, said, declined := o.List("output"), "", ""
	if len(items) == 0 {
		items = a.items.whole
	}
	var reasoning []json.RawMessage
	for i, value := range items {
		switch item := wire.ObjectOf(value); item.Text("type") {
		case "message":
			text, refused := content(item["content"])
			said, declined = said+text, declined+refused
		case "function_call":
			a.called(item, strconv.Itoa(i))
		case "reasoning":
			if item.Has("encrypted_content") {
				reasoning = append(reasoning, value)
			}
		}
	}
	for _, place := range a.items.places {
		if len(items) == 0 {
			a.called(a.items.calls[place], place)
		}
	}
	if a.Text() == "" {
		a.Say(said)
	}
	if a.Refused.Raw() == "" {
		a.Refused.Add(declined)
	}
	if kept, err := json.Marshal(reasoning); err == nil && reasoning != nil {
		a.Keep(wire.Object{"reasoning": kept})
	}
	for _, word := range []json.RawMessage{o["status"], o.Object("incomplete_details")["reason"]} {
		if wire.TextOf(word) != "incomplete" {
			a.End(wire.Object{"finish_reason": word})
		}
	}
}

func (a *answer) called(item wire.Object, place string) {
	index, _ := json.Marshal(place)
	a.Call(wire.Object{"id": item["call_id"], "index": index, "name": item["name"], "arguments": item["arguments"]}, "")
}
