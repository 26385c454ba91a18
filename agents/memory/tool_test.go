package memory_test

import (
	"encoding/json"
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory"
)

func TestToolShowsAnAgentFactsWithTheirStates(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	remember(t, p, claim("ada", "the port is 8080"), claim("bob", "the port is 8080"), claim("eve", "the port is <9999>"))
	tool := p.Tool()
	got, err := tool.Call(t.Context(), json.RawMessage(`{"about":"the port is 8080"}`))
	want := `[{"content":"the port is 8080","category":"c","state":"confirmed","source":"ada","date":"2026-03-01"},` +
		`{"content":"the port is \u003c9999\u003e","category":"c","state":"quarantined","source":"eve","date":"2026-03-01"}]`
	if err != nil || got.Text != want || tool.Name != "recall" || !tool.Hints.ReadsOnly {
		t.Errorf("%v\n got %s\nwant %s", err, got.Text, want)
	}
	if got, err := tool.Call(t.Context(), json.RawMessage(`{"about":"port","most":1}`)); err != nil || len(got.Text) > len(want)/2 {
		t.Errorf("one: %v, %v", got, err)
	}
	for _, args := range []string{`{"about":""}`, `{"about":"x","most":-1}`} {
		if got, err := tool.Call(t.Context(), json.RawMessage(args)); err != nil || !got.IsError {
			t.Errorf("%s: %v, %v", args, got, err)
		}
	}
}
