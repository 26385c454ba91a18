package modelstest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/swarmbus/swarmbus/agents/models"
)

// OpenAI is the protocol of OpenAI's chat completions, below /chat/completions.
var OpenAI Dialect = openAI{}

type openAI struct{}

type openAIRequest struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	Seed                *int            `json:"seed"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ToolChoice string `json:"tool_choice"`
}

type openAIMessage struct {
	Role       string       `json:"role"`
	Content    *string      `json:"content"`
	ToolCalls  []openAICall `json:"tool_calls"`
	ToolCallID string       `json:"tool_call_id"`
}

type openAICall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Read implements [Dialect].
func (openAI) Read(r *http.Request) (*models.Request, error) {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/chat/completions":
		return nil, refuse(404, "Invalid URL (%s %s)", r.Method, r.URL.Path)
	case r.Header.Get("Authorization") != "Bearer "+Key:
		return nil, refuse(401, "Incorrect API key provided: %s", r.Header.Get("Authorization"))
	case r.Header.Get("Content-Type") != "application/json":
		return nil, refuse(400, "the content type has to be application/json")
	}
	var in openAIRequest
	strict := json.NewDecoder(r.Body)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&in); err != nil {
		return nil, refuse(400, "Unrecognized request argument supplied: %v", err)
	}
	return in.check()
}

func (in *openAIRequest) check() (*models.Request, error) {
	switch {
	case in.Model != Name:
		return nil, refuse(404, "The model %q does not exist", in.Model)
	case in.MaxTokens != 0 && in.MaxCompletionTokens != 0 || in.MaxTokens+in.MaxCompletionTokens <= 0:
		return nil, refuse(400, "max_tokens %d, max_completion_tokens %d", in.MaxTokens, in.MaxCompletionTokens)
	case in.Temperature != nil && (*in.Temperature < 0 || *in.Temperature > 2):
		return nil, refuse(400, "temperature %v", *in.Temperature)
	case in.StreamOptions != nil && !in.Stream:
		return nil, refuse(400, "stream_options is only allowed when stream is enabled")
	}
	to := &models.Request{Most: in.MaxTokens + in.MaxCompletionTokens, Temperature: in.Temperature, Seed: in.Seed}
	if f := in.ResponseFormat; f != nil {
		if f.Type != "json_schema" || !isName(f.JSONSchema.Name) || !f.JSONSchema.Strict {
			return nil, refuse(400, "Invalid response_format %+v", f)
		}
		if err := checkSchema("schema", f.JSONSchema.Schema, "minLength", "maxLength"); err != nil {
			return nil, refuse(400, "Invalid schema for response_format: %v", err)
		}
		to.Schema = &models.Schema{Name: f.JSONSchema.Name, JSON: f.JSONSchema.Schema}
	}
	for _, t := range in.Tools {
		var parameters struct{ Type string }
		if err := json.Unmarshal(t.Function.Parameters, &parameters); err != nil || parameters.Type != "object" || t.Type != "function" || !isName(t.Function.Name) {
			return nil, refuse(400, "Invalid tool %+v", t)
		}
		to.Tools = append(to.Tools, models.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	if in.ToolChoice != "" && (in.ToolChoice != "none" || len(in.Tools) == 0) {
		return nil, refuse(400, "Invalid value for 'tool_choice': %q with %d tools", in.ToolChoice, len(in.Tools))
	}
	to.NoCalls = in.ToolChoice == "none"
	return to, in.conversation(to)
}

// conversation refuses results of calls that were not made, and calls without
// results.
func (in *openAIRequest) conversation(to *models.Request) error {
	open := map[string]bool{}
	for i, m := range in.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return refuse(400, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'")
		}
		text := ""
		if m.Content != nil {
			text = *m.Content
		}
		switch {
		case m.Role == "system" && i == 0:
			to.System = text
		case m.Role == "tool" && open[m.ToolCallID]:
			delete(open, m.ToolCallID)
			result := models.Result{Call: m.ToolCallID, Text: text}
			if last := len(to.Messages) - 1; to.Messages[last].Role == models.RoleUser {
				to.Messages[last].Results = append(to.Messages[last].Results, result)
			} else {
				to.Messages = append(to.Messages, models.Message{Role: models.RoleUser, Results: []models.Result{result}})
			}
		case m.Role == "user" && text != "":
			to.Messages = append(to.Messages, models.User(text))
		case m.Role == "assistant" && (text != "" || len(m.ToolCalls) > 0):
			said := models.Assistant(text)
			for _, c := range m.ToolCalls {
				if c.Type != "function" || c.ID == "" || !json.Valid([]byte(c.Function.Arguments)) {
					return refuse(400, "messages.[%d].tool_calls is invalid", i)
				}
				open[c.ID] = true
				said.Calls = append(said.Calls, models.Call{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments)})
			}
			to.Messages = append(to.Messages, said)
		default:
			return refuse(400, "messages.[%d] with role %q is invalid", i, m.Role)
		}
	}
	if len(to.Messages) == 0 || len(open) > 0 {
		return refuse(400, "[] is too short - 'messages'")
	}
	return nil
}

// Refuse implements [Dialect].
func (openAI) Refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "some_error", "param": nil, "code": nil}})
}

func data(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("data: %s\n\n", text)
}

type object = map[string]any

func openAIChunk(delta object, finish any) string {
	return data(object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": Name + "-2", "usage": nil,
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

// Events implements [Dialect].
func (openAI) Events(r *Reply) (said, end []string) {
	said = append(said, openAIChunk(object{"role": "assistant", "content": ""}, nil))
	for _, part := range parts(r.Text) {
		said = append(said, openAIChunk(object{"content": part}, nil))
	}
	said = append(said, openAICalls(r)...)
	finish := cmp.Or(map[models.Finish]string{models.FinishCalls: "tool_calls"}[r.Finish], string(r.Finish))
	end = append(end, openAIChunk(object{}, finish))
	if r.Fault != CountsNothing {
		end = append(end, data(object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": Name + "-2", "choices": []object{},
			"usage": object{
				"prompt_tokens": r.Usage.Input, "completion_tokens": r.Usage.Output, "total_tokens": r.Usage.Tokens(),
				"prompt_tokens_details": object{"cached_tokens": r.Usage.CacheRead},
			},
		}))
	}
	return said, append(end, "data: [DONE]\n\n")
}

func openAICalls(r *Reply) (said []string) {
	var heads []string
	args := make([][]string, len(r.Calls))
	for i, c := range r.Calls {
		heads = append(heads, openAIChunk(object{"tool_calls": []object{{
			"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""},
		}}}, nil))
		for _, part := range parts(string(c.Args)) {
			args[i] = append(args[i], openAIChunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": part}}}}, nil))
		}
	}
	if !r.interleaved {
		for i := range heads {
			said = append(append(said, heads[i]), args[i]...)
		}
		return said
	}
	said = heads
	for n, more := 0, true; more; n++ {
		more = false
		for _, all := range args {
			if n < len(all) {
				said, more = append(said, all[n]), true
			}
		}
	}
	return said
}

// Broken implements [Dialect].
func (openAI) Broken() string { return "data: {\"choices\": [}\n\n" }

// Failed implements [Dialect].
func (openAI) Failed() string {
	return data(object{"error": object{"message": "The server had an error", "type": "server_error", "param": nil, "code": nil}})
}
