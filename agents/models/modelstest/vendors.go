package modelstest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
)

// A Vendor is a server of OpenAI's protocol with the habits of a vendor: what it refuses
// beyond what OpenAI does, and how it writes an answer.
type Vendor struct {
	Name   string
	Source string // where the habits are documented
	Base   string // path and query of its base URL, below the server's; "": none
	Model  string // its name for the model; "": [Name]

	read  func(in object) error // refuses a request, or takes out of it what OpenAI would refuse; nil: neither
	write func(chunk object)    // changes a chunk of an answer; nil: does not
	whole bool                  // it does not stream
}

// Dialect returns the protocol that the vendor speaks.
func (v Vendor) Dialect() Dialect { return vendor{of: v} }

type vendor struct {
	openAI
	of Vendor
}

// Read implements [Dialect].
func (d vendor) Read(r *http.Request) (*models.Request, error) {
	base, query, _ := strings.Cut(d.of.Base, "?")
	var in object
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, refuse(400, "%v", err)
	}
	if r.URL.Path != base+"/chat/completions" || r.URL.RawQuery != query {
		return nil, refuse(404, "Resource not found: %s", r.URL)
	}
	if d.of.Model != "" && in["model"] == d.of.Model {
		in["model"] = Name
	}
	if d.of.read != nil {
		if err := d.of.read(in); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	as := r.Clone(r.Context())
	as.URL.Path, as.Body = "/chat/completions", io.NopCloser(bytes.NewReader(text))
	if key := r.Header.Get("Api-Key"); key != "" && query != "" {
		as.Header.Set("Authorization", "Bearer "+key)
	}
	return d.openAI.Read(as)
}

// Events implements [Dialect].
func (d vendor) Events(r *Reply) (said, end []string) {
	if d.of.whole {
		return []string{whole(r)}, []string{"\n"}
	}
	said, end = d.openAI.Events(r)
	for _, events := range [][]string{said, end} {
		for i, e := range events {
			var chunk object
			if d.of.write != nil && json.Unmarshal([]byte(strings.TrimPrefix(e, "data: ")), &chunk) == nil {
				d.of.write(chunk)
				events[i] = data(chunk)
			}
		}
	}
	return said, end
}

// whole returns an answer that is not streamed.
func whole(r *Reply) string {
	message, finish := object{"role": "assistant", "content": r.Text}, "stop"
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": string(c.Args)}})
	}
	if calls != nil {
		message["tool_calls"], finish = calls, "tool_calls"
	}
	text, err := json.Marshal(object{
		"object": "chat.completion", "model": Name + "-2", "choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
		"usage": object{"prompt_tokens": r.Usage.Input, "completion_tokens": r.Usage.Output, "total_tokens": r.Usage.Tokens()},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Vendors returns the vendors.
func Vendors() []Vendor {
	return []Vendor{
		{Name: "openai", Source: "https://platform.openai.com/docs/api-reference/chat"},
		{
			Name: "azure", Source: "https://learn.microsoft.com/azure/ai-services/openai/reference", Base: "/openai/deployments/large?api-version=2024-10-21",
			write: func(chunk object) {
				if delta(chunk) != nil {
					chunk["prompt_filter_results"] = []object{{"prompt_index": 0, "content_filter_results": object{}}}
				}
			},
		},
		{
			Name: "o3 behind a proxy", Source: "https://github.com/BerriAI/litellm/issues/13432", Model: "deployment-7",
			read: func(in object) error {
				if in["max_tokens"] != nil {
					return refuse(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
				}
				if in["temperature"] != nil {
					return refuse(400, "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.")
				}
				return nil
			},
		},
		{
			Name: "o3 of an account that is not verified", Source: "https://help.openai.com/en/articles/10910291-api-organization-verification", Model: "o3", whole: true,
			read: func(in object) error {
				if in["stream"] == true {
					return refuse(400, "Your organization must be verified to stream this model.")
				}
				return nil
			},
		},
		{
			Name: "deepseek", Source: "https://api-docs.deepseek.com/guides/thinking_mode",
			read: func(in object) error {
				if format(in) == "json_schema" {
					return refuse(400, "This response_format type is unavailable now")
				}
				delete(in, "response_format")
				return givesBack(in, "reasoning_content", "Missing `reasoning_content` field in the assistant message at message index 2.")
			},
			write: func(chunk object) {
				if d := delta(chunk); d["role"] != nil {
					d["reasoning_content"], d["content"] = "Let me think.", nil
				}
			},
		},
		{
			Name: "gemini", Source: "https://ai.google.dev/gemini-api/docs/thought-signatures", Base: "/v1beta/openai",
			read: func(in object) error {
				for _, m := range list(in["messages"]) {
					for _, c := range list(m["tool_calls"]) {
						if c["extra_content"] == nil {
							return refuse(400, "Function call is missing a thought_signature in functionCall parts.")
						}
						delete(c, "extra_content")
					}
				}
				return nil
			},
			write: func(chunk object) {
				for _, c := range list(delta(chunk)["tool_calls"]) {
					delete(c, "index")
					if c["id"] != nil {
						c["extra_content"] = object{"google": object{"thought_signature": "c2ln"}}
					}
				}
				finishes(chunk, "tool_calls", "stop")
			},
		},
		{
			Name: "groq", Source: "https://console.groq.com/docs/structured-outputs", Base: "/openai/v1",
			read: func(in object) error {
				if in["tools"] != nil && in["response_format"] != nil {
					return refuse(400, "json mode cannot be combined with tool/function calling")
				}
				for i, m := range list(in["messages"]) {
					if m["reasoning"] != nil {
						return refuse(400, "'messages.%d' : for 'role:assistant' the following must be satisfied[('messages.%d' : property 'reasoning' is unsupported)]", i, i)
					}
				}
				return nil
			},
			write: func(chunk object) {
				if d := delta(chunk); d["role"] != nil {
					d["reasoning"] = "Let me think."
				}
				if usage := chunk["usage"]; usage != nil {
					delete(chunk, "usage")
					chunk["x_groq"] = object{"id": "req_1", "usage": usage}
				}
			},
		},
		{
			Name: "mistral", Source: "https://docs.mistral.ai/api", Base: "/v1",
			read: func(in object) error {
				for _, name := range []string{"stream_options", "seed", "max_completion_tokens"} {
					if in[name] != nil {
						return refuse(422, `%s: Extra inputs are not permitted`, name)
					}
				}
				return nil
			},
			write: func(chunk object) {
				if d := delta(chunk); d["content"] != nil && d["role"] == nil {
					d["content"] = []object{{"type": "text", "text": d["content"]}}
				} else if d["role"] != nil {
					d["content"] = []object{{"type": "thinking", "thinking": []object{{"type": "text", "text": "Let me think."}}}}
				}
			},
		},
		{
			Name: "openrouter", Source: "https://openrouter.ai/docs/use-cases/reasoning-tokens", Base: "/api/v1",
			read: func(in object) error { return givesBack(in, "reasoning_details", "reasoning_details: Required") },
			write: func(chunk object) {
				if d := delta(chunk); d["role"] != nil {
					d["reasoning_details"] = []object{{"type": "reasoning.encrypted", "data": "b3Jk", "index": 0}}
				}
				chunk["provider"] = "P"
			},
		},
		{
			Name: "ollama", Source: "https://github.com/ollama/ollama/blob/main/docs/api/openai-compatibility.mdx", Base: "/v1",
			read: func(in object) error {
				if in["response_format"] != nil { // then no tools are called
					delete(in, "tools")
					delete(in, "tool_choice")
				}
				return nil
			},
			write: func(chunk object) { finishes(chunk, "tool_calls", "stop") },
		},
		{
			Name: "vllm", Source: "https://github.com/vllm-project/vllm/issues/51697", Base: "/v1",
			write: func(chunk object) {
				if d := delta(chunk); d != nil {
					d["role"], d["reasoning_content"] = "assistant", nil
					if d["tool_calls"] == nil {
						d["tool_calls"] = []object{}
					}
				}
				for _, c := range list(chunk["choices"]) {
					c["stop_reason"], c["token_ids"] = nil, nil
				}
			},
		},
		{
			Name: "llama.cpp", Source: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md", Base: "/v1",
			read: func(in object) error {
				if in["tools"] != nil && in["response_format"] != nil {
					return refuse(400, "Cannot use custom grammar constraints with tools.")
				}
				return nil
			},
			write: func(chunk object) {
				chunk["created"], chunk["timings"] = 1735774708.5, object{"predicted_per_second": 31.5}
				if d := delta(chunk); d["role"] != nil {
					d["content"] = nil
				}
			},
		},
		{
			Name: "lm studio", Source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/189", Base: "/v1",
			read: func(in object) error {
				if f := format(in); f != "" && f != "json_schema" {
					return refuse(400, "'response_format.type' must be 'json_schema' or 'text'")
				}
				return nil
			},
		},
		{
			Name: "together", Source: "https://docs.together.ai/reference/chat-completions", Base: "/v1",
			write: func(chunk object) {
				finishes(chunk, "stop", "eos")
				for _, c := range list(chunk["choices"]) {
					c["text"], c["seed"] = delta(chunk)["content"], 1
				}
			},
		},
		{
			Name: "gemma", Source: "https://ai.google.dev/gemma/docs/core/prompt-structure", Base: "/v1beta/openai",
			read: func(in object) error {
				for _, m := range list(in["messages"]) {
					if m["role"] == "system" {
						return refuse(400, "Developer instruction is not enabled for models/gemma-3-27b-it")
					}
				}
				if format(in) != "" {
					return refuse(400, "JSON mode is not enabled for models/gemma-3-27b-it")
				}
				return nil
			},
		},
	}
}

// list returns the objects of a list.
func list(value any) (all []object) {
	elements, _ := value.([]any)
	for _, one := range elements {
		if o, ok := one.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

// delta returns the delta of a chunk; nil: it has none.
func delta(chunk object) object {
	for _, c := range list(chunk["choices"]) {
		d, _ := c["delta"].(object)
		return d
	}
	return nil
}

// finishes changes a reason to stop.
func finishes(chunk object, from, to string) {
	for _, c := range list(chunk["choices"]) {
		if c["finish_reason"] == from {
			c["finish_reason"] = to
		}
	}
}

// format returns the type of the response format; "": none.
func format(in object) string {
	f, _ := in["response_format"].(object)
	sort, _ := f["type"].(string)
	return sort
}

// givesBack refuses a message with calls that lacks a member, and takes that out.
func givesBack(in object, member, words string) error {
	for _, m := range list(in["messages"]) {
		if m["tool_calls"] != nil && m[member] == nil {
			return refuse(400, "%s", words)
		}
		delete(m, member)
	}
	return nil
}
