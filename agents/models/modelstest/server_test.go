package modelstest

import (
	"net/http"
	"strings"
	"testing"
)

// TestAnthropicRefusesCallsOfToolsThatTheRequestDoesNotHave is as its API does.
func TestAnthropicRefusesCallsOfToolsThatTheRequestDoesNotHave(t *testing.T) {
	const messages = `"messages":[{"role":"user","content":[{"type":"text","text":"?"}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look_up","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"r"}]}]}]`
	const tools = `"tools":[{"name":"look_up","input_schema":{"type":"object"}}]`
	for body, ok := range map[string]bool{
		messages:               false,
		messages + `,` + tools: true,
		messages + `,` + tools + `,"tool_choice":{"type":"none"}`: true,
		messages + `,"tool_choice":{"type":"none"}`:               false,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/v1/messages", strings.NewReader(`{"model":"`+Name+`","max_tokens":1,`+body+`}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"X-Api-Key": {Key}, "Anthropic-Version": {"2023-06-01"}, "Content-Type": {"application/json"}}
		if _, err := Anthropic.Read(r); (err == nil) != ok {
			t.Errorf("%s: got %v", body, err)
		}
	}
}
