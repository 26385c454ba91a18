package modelstest

import (
	"encoding/json"
	"net/http"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Responses is the protocol of Open Responses (https://www.openresponses.org), below /responses, of a
// server that keeps nothing and thinks before each answer: its reasoning comes encrypted.
var Responses Dialect = responses{}

type responses struct{ openAI }

type responsesRequest struct {
	Model        string   `json:"model"`
	Instructions string   `json:"instructions"`
	Input        []object `json:"input"`
	Most         int      `json:"max_output_tokens"`
	Temperature  *float64 `json:"temperature"`
	Stream       bool     `json:"stream"`
	Store        *bool    `json:"store"`
	Include      []string `json:"include"`
	Text         struct {
		Format *struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"format"`
	} `json:"text"`
	Tools []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	} `json:"tools"`
	ToolChoice string `json:"tool_choice"`
}

// Read implements [Dialect].
func (responses) Read(r *http.Request) (*models.Request, error) {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/responses":
		return nil, refuse(404, "Invalid URL (%s %s)", r.Method, r.URL.Path)
	case r.Header.Get("Authorization") != "Bearer "+Key:
		return nil, refuse(401, "Incorrect API key provided: %s", r.Header.Get("Authorization"))
	case r.Header.Get("Content-Type") != "application/json":
		return nil, refuse(400, "the content type has to be application/json")
	}
	var in responsesRequest
	strict := json.NewDecoder(r.Body)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&in); err != nil {
		return nil, refuse(400, "Unknown parameter: %v", err)
	}
	switch {
	case in.Store == nil || *in.Store:
		return nil, refuse(400, "store has to be false: the server keeps nothing")
	case len(in.Include) != 1 || in.Include[0] != "reasoning.encrypted_content":
		return nil, refuse(400, "include %v", in.Include)
	}
	chat, err := in.chat()
	if err != nil {
		return nil, err
	}
	return chat.check()
}

// chat returns the request as one to Chat Completions.
func (in *responsesRequest) chat() (*openAIRequest, error) {
	to := &openAIRequest{Model: in.Model, MaxCompletionTokens: in.Most, Temperature: in.Temperature, Stream: in.Stream, ToolChoice: in.ToolChoice}
	var about object
	if f := in.Text.Format; f != nil {
		about = object{"type": f.Type, "json_schema": object{"name": f.Name, "schema": f.Schema, "strict": f.Strict}}
	}
	var tools []object
	for _, t := range in.Tools {
		tools = append(tools, object{"type": t.Type, "function": object{"name": t.Name, "description": t.Description, "parameters": t.Parameters}})
	}
	text, err := json.Marshal(object{"response_format": about, "tools": tools})
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return nil, refuse(400, "%v", err)
	}
	if in.Instructions != "" {
		to.Messages = append(to.Messages, openAIMessage{Role: "system", Content: &in.Instructions})
	}
	alone := false // reasoning that nothing follows
	for i, item := range in.Input {
		word := func(name string) string { s, _ := item[name].(string); return s }
		text, last := word("content"), len(to.Messages)-1
		switch kind := word("type"); {
		case kind == "reasoning" && word("encrypted_content") == "a secret":
			alone = true
			continue
		case alone && kind != "function_call" && word("role") != "assistant":
			return nil, refuse(400, "Item 'reasoning' was provided without its required following item, before input[%d]", i)
		case kind == "function_call":
			call := openAICall{ID: word("call_id"), Type: "function"}
			call.Function.Name, call.Function.Arguments = word("name"), word("arguments")
			if last < 0 || to.Messages[last].Role != "assistant" {
				to.Messages = append(to.Messages, openAIMessage{Role: "assistant"})
				last++
			}
			to.Messages[last].ToolCalls = append(to.Messages[last].ToolCalls, call)
		case kind == "function_call_output":
			text := word("output")
			to.Messages = append(to.Messages, openAIMessage{Role: "tool", Content: &text, ToolCallID: word("call_id")})
		case kind == "" || kind == "message":
			to.Messages = append(to.Messages, openAIMessage{Role: word("role"), Content: &text})
		default:
			return nil, refuse(400, "Invalid value: input[%d].type %q", i, kind)
		}
		alone = false
	}
	return to, nil
}

// Events implements [Dialect].
func (responses) Events(r *Reply) (said, end []string) {
	event := func(kind string, more object) string {
		more["type"] = kind
		return "event: " + kind + "\n" + data(more)
	}
	about := object{"id": "resp_1", "object": "response", "model": Name + "-2", "status": "in_progress", "output": []object{}, "error": nil}
	reasoning := object{"type": "reasoning", "id": "rs_1", "summary": []object{}, "encrypted_content": "a secret"}
	output := []object{reasoning}
	said = append(said, event("response.created", object{"response": about}), event("response.output_item.done", object{"output_index": 0, "item": reasoning}))
	for _, part := range parts(r.Text) {
		said = append(said, event("response.output_text.delta", object{"item_id": "msg_1", "output_index": 1, "delta": part}))
	}
	if r.Text != "" {
		output = append(output, object{"type": "message", "id": "msg_1", "role": "assistant", "content": []object{{"type": "output_text", "text": r.Text, "annotations": []object{}}}})
	}
	for i, c := range r.Calls {
		item := object{"type": "function_call", "id": "fc_1", "call_id": c.ID, "name": c.Name, "arguments": string(c.Args)}
		for _, part := range parts(string(c.Args)) {
			said = append(said, event("response.function_call_arguments.delta", object{"item_id": "fc_1", "output_index": len(output) + i, "delta": part}))
		}
		output = append(output, item)
	}
	status, final := "completed", object{"id": "resp_1", "object": "response", "model": Name + "-2", "output": output, "error": nil}
	switch r.Finish {
	case models.FinishLength:
		status, final["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	case models.FinishStop, models.FinishCalls, "":
	default:
		status, final["incomplete_details"] = "incomplete", object{"reason": r.Finish}
	}
	if final["status"] = status; r.Fault != CountsNothing {
		final["usage"] = object{
			"input_tokens": r.Usage.Input, "output_tokens": r.Usage.Output, "total_tokens": r.Usage.Tokens(),
			"input_tokens_details": object{"cached_tokens": r.Usage.CacheRead}, "output_tokens_details": object{"reasoning_tokens": 0},
		}
	}
	return said, []string{event("response."+status, object{"response": final})}
}

// Broken implements [Dialect].
func (responses) Broken() string { return "data: {\"type\": [}\n\n" }

// Failed implements [Dialect].
func (responses) Failed() string {
	return data(object{"type": "response.failed", "response": object{"object": "response", "status": "failed", "error": object{"code": "server_error", "message": "The server had an error"}}})
}
