package otel_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// asked is a solve whose agent asks a server by the protocol of OpenAI, and calls a tool.
func asked(t *testing.T, r *trace) map[string]oteltest.Span {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"chatcmpl-1","model":"large-2","choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":17,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":5}}}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	model, err := openai.New(openai.Options{Model: "large", BaseURL: server.URL + "/v1", Key: "sk-none"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	asks := agent("asks", signals.KindTask)
	asks.Reactor = agents.Each(func(ctx context.Context, _ signals.Any) seq {
		temperature, seed := 0.5, 7
		if _, err := models.Ask(ctx, model, &models.Request{Messages: []models.Message{models.User("?")}, Most: 100, Temperature: &temperature, Seed: &seed}); err != nil {
			return agents.Fail(err)
		}
		calls, err := toolSet().Begin(ctx)
		if err != nil {
			return agents.Fail(err)
		}
		_, err = calls.Make(ctx, models.Call{ID: "call_1", Name: "grep", Args: json.RawMessage(`{}`)})
		if err != nil {
			return agents.Fail(err)
		}
		return agents.Emit()
	})
	r.solve(t, swarm.Options{Name: "team", Agents: []*agents.Agent{asks}})
	found := map[string]oteltest.Span{}
	for _, s := range r.spans(t) {
		found[s.Name] = s
	}
	return found
}

// TestViewersFindTheAttributesThatTheyRead checks the table of docs/tracing.md: the attributes by which
// Langfuse and Phoenix show a span as what it is.
func TestViewersFindTheAttributesThatTheyRead(t *testing.T) {
	doc, err := os.ReadFile("../docs/tracing.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(chat|execute_tool|invoke_agent|invoke_workflow)` \\| `([a-z_.]+)` \\|").FindAllStringSubmatch(string(doc), -1)
	if len(rows) < 20 {
		t.Fatalf("the table of docs/tracing.md has %d rows", len(rows))
	}
	spans := asked(t, newTrace(t, otel.Options{Content: func(_ signals.Kind, _, text string) string { return text }}))
	names := map[string]string{"chat": "chat large", "execute_tool": "execute_tool grep", "invoke_agent": "invoke_agent asks", "invoke_workflow": "invoke_workflow team"}
	for _, row := range rows {
		if spans[names[row[1]]].Attributes[row[2]] == "" {
			t.Errorf("%s has no %s: %v", names[row[1]], row[2], spans[names[row[1]]].Attributes)
		}
	}
}

func TestACallOfAModelSaysWhatWasAskedAndOfWhom(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	spans := asked(t, newTrace(t, otel.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))}))
	for span, all := range map[string]map[string]string{
		"chat large": {
			"gen_ai.request.max_tokens": "100", "gen_ai.request.temperature": "0.5", "gen_ai.request.seed": "7", "gen_ai.output.type": "text",
			"gen_ai.response.id": "chatcmpl-1", "gen_ai.response.model": "large-2", "gen_ai.usage.cache_read.input_tokens": "5", "server.address": "127.0.0.1",
		},
		"execute_tool grep": {"gen_ai.tool.call.id": "call_1", "gen_ai.tool.type": "function"},
	} {
		for key, want := range all {
			if got := spans[span].Attributes[key]; got != want {
				t.Errorf("%s of %s is %q, want %q", key, span, got, want)
			}
		}
	}
	if chat := spans["chat large"].Attributes; chat["server.port"] == "" || chat["gen_ai.response.time_to_first_chunk"] == "" {
		t.Errorf("got %v, want the server's port and when the answer began", chat)
	}
	const want = "gen_ai.client.operation.time_to_first_chunk n=1 gen_ai.operation.name=chat gen_ai.provider.name=openai gen_ai.request.model=large"
	if text := collected(t, reader); !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant %s", text, want)
	}
}
