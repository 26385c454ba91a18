package modelstest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Anthropic is the protocol of Anthropic's Messages API, at /v1/messages.
var Anthropic Dialect = anthropic{}

type anthropic struct{}

type anthropicRequest struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	System    []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Cache json.RawMessage `json:"cache_control"`
	} `json:"system"`
	Messages     []anthropicMessage `json:"messages"`
	Temperature  *float64           `json:"temperature"`
	Stream       bool               `json:"stream"`
	OutputConfig *struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
	} `json:"tool_choice"`
}

type anthropicMessage struct {
	Role    string `json:"role"`
	Content []struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		ToolUseID string          `json:"tool_use_id"`
		IsError   bool            `json:"is_error"`
		Content   []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Cache json.RawMessage `json:"cache_control"`
	} `json:"content"`
}

// Read implements [Dialect].
func (anthropic) Read(r *http.Request) (*models.Request, error) {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/messages":
		return nil, refuse(404, "Not found: %s %s", r.Method, r.URL.Path)
	case r.Header.Get("X-Api-Key") != Key || r.Header.Get("Authorization") != "":
		return nil, refuse(401, "invalid x-api-key")
	case r.Header.Get("Anthropic-Version") != "2023-06-01":
		return nil, refuse(400, "anthropic-version: header is required")
	case r.Header.Get("Content-Type") != "application/json":
		return nil, refuse(400, "the content type has to be application/json")
	}
	var in anthropicRequest
	strict := json.NewDecoder(r.Body)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&in); err != nil {
		return nil, refuse(400, "Extra inputs are not permitted: %v", err)
	}
	return in.check()
}

func (in *anthropicRequest) check() (*models.Request, error) {
	switch {
	case in.Model != Name:
		return nil, refuse(404, "model: %s", in.Model)
	case in.MaxTokens < 1:
		return nil, refuse(400, "max_tokens: Field required")
	case in.Temperature != nil && (*in.Temperature < 0 || *in.Temperature > 1):
		return nil, refuse(400, "temperature: %v", *in.Temperature)
	}
	to := &models.Request{Most: in.MaxTokens, Temperature: in.Temperature}
	for _, s := range in.System {
		if s.Type != "text" || s.Text == "" {
			return nil, refuse(400, "system: text content blocks must be non-empty")
		}
		to.System += s.Text
	}
	if c := in.OutputConfig; c != nil {
		err := checkSchema("schema", c.Format.Schema, "minimum", "maximum", "multipleOf", "minLength", "maxLength", "maxItems", "uniqueItems")
		if err != nil || c.Format.Type != "json_schema" {
			return nil, refuse(400, "output_config.format: %v", err)
		}
		to.Schema = &models.Schema{JSON: c.Format.Schema}
	}
	for _, t := range in.Tools {
		var schema struct{ Type string }
		if err := json.Unmarshal(t.InputSchema, &schema); err != nil || schema.Type != "object" || !isName(t.Name) {
			return nil, refuse(400, "tools: %+v", t)
		}
		to.Tools = append(to.Tools, models.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	if c := in.ToolChoice; c != nil {
		if c.Type != "none" || len(in.Tools) == 0 {
			return nil, refuse(400, "tool_choice: %q with %d tools", c.Type, len(in.Tools))
		}
		to.NoCalls = true
	}
	return to, in.conversation(to)
}

// conversation refuses conversations that are empty, do not begin with the user,
// have calls whose results are not in the next message, or calls without tools.
func (in *anthropicRequest) conversation(to *models.Request) error {
	open, cached := map[string]bool{}, 0
	for i, m := range in.Messages {
		read := models.Message{Role: models.Role(m.Role)}
		if m.Role != "user" && m.Role != "assistant" || i == 0 && m.Role != "user" || len(m.Content) == 0 {
			return refuse(400, "messages.%d: role %q", i, m.Role)
		}
		next := map[string]bool{}
		for _, b := range m.Content {
			if b.Cache != nil {
				cached++
			}
			switch {
			case b.Type == "text" && strings.TrimSpace(b.Text) != "":
				read.Text += b.Text
			case b.Type == "tool_use" && len(in.Tools) == 0:
				return refuse(400, "Requests which include `tool_use` or `tool_result` blocks must define tools")
			case b.Type == "tool_use" && m.Role == "assistant" && isName(b.ID) && isName(b.Name) && len(b.Input) > 0 && b.Input[0] == '{':
				next[b.ID] = true
				read.Calls = append(read.Calls, models.Call{ID: b.ID, Name: b.Name, Args: b.Input})
			case b.Type == "tool_result" && m.Role == "user" && open[b.ToolUseID] && len(b.Content) == 1 && read.Text == "":
				delete(open, b.ToolUseID)
				read.Results = append(read.Results, models.Result{Call: b.ToolUseID, Text: b.Content[0].Text, IsError: b.IsError})
			default:
				return refuse(400, "messages.%d.content: %+v", i, b)
			}
		}
		if len(open) > 0 {
			return refuse(400, "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)
		}
		open = next
		to.Messages = append(to.Messages, read)
	}
	if len(to.Messages) == 0 || len(open) > 0 || cached > 4 {
		return refuse(400, "messages: at least one message is required, and at most 4 blocks with cache_control")
	}
	return nil
}

// Refuse implements [Dialect].
func (anthropic) Refuse(w http.ResponseWriter, status int, message string) {
	sort := cmp.Or(map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}[status], "api_error")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": sort, "message": message}})
}

func event(sort string, members object) string {
	members["type"] = sort
	return fmt.Sprintf("event: %s\n%s", sort, data(members))
}

// Events implements [Dialect].
func (anthropic) Events(r *Reply) (said, end []string) {
	usage := object{
		"input_tokens":            r.Usage.Input - r.Usage.CacheRead - r.Usage.CacheWrite,
		"cache_read_input_tokens": r.Usage.CacheRead, "cache_creation_input_tokens": r.Usage.CacheWrite, "output_tokens": min(1, r.Usage.Output),
	}
	if r.Fault == CountsNothing {
		usage = object{"input_tokens": 0, "output_tokens": 0}
	}
	said = append(said, event("message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": Name + "-2", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}}), event("ping", object{}))
	index := 0
	block := func(start object, deltas []object) {
		said = append(said, event("content_block_start", object{"index": index, "content_block": start}))
		for _, d := range deltas {
			said = append(said, event("content_block_delta", object{"index": index, "delta": d}))
		}
		said = append(said, event("content_block_stop", object{"index": index}))
		index++
	}
	if r.Text != "" {
		var deltas []object
		for _, part := range parts(r.Text) {
			deltas = append(deltas, object{"type": "text_delta", "text": part})
		}
		block(object{"type": "text", "text": ""}, deltas)
	}
	for _, c := range r.Calls {
		deltas := []object{{"type": "input_json_delta", "partial_json": ""}}
		for _, part := range parts(string(c.Args)) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": part})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas)
	}
	why := map[models.Finish]string{models.FinishStop: "end_turn", models.FinishLength: "max_tokens", models.FinishCalls: "tool_use", "content_filter": "refusal"}[r.Finish]
	output := r.Usage.Output
	if r.Fault == CountsNothing {
		output = 0
	}
	return said, []string{
		event("message_delta", object{"delta": object{"stop_reason": why, "stop_sequence": nil}, "usage": object{"output_tokens": output}}),
		event("message_stop", object{}),
	}
}

// Broken implements [Dialect].
func (anthropic) Broken() string {
	return "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":}\n\n"
}

// Failed implements [Dialect].
func (anthropic) Failed() string {
	return event("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})
}
