package otel

import (
	"testing"

	"go.opentelemetry.io/otel/attribute"
	genai "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/messagingconv"
)

func TestNamesAreThoseOfTheConventions(t *testing.T) {
	for ours, theirs := range map[attribute.Key]attribute.Key{
		keySystem: semconv.MessagingSystemKey, keyOperation: semconv.MessagingOperationNameKey, keyType: semconv.MessagingOperationTypeKey,
		keyDestination: semconv.MessagingDestinationNameKey, keyMessage: semconv.MessagingMessageIDKey, keyError: semconv.ErrorTypeKey,
		keyGenAI: genai.GenAIOperationNameKey, keyConversation: genai.GenAIConversationIDKey,
		keyAgentID: genai.GenAIAgentIDKey, keyAgentName: genai.GenAIAgentNameKey,
		keyWorkflow: genai.GenAIWorkflowNameKey,
		keyProvider: genai.GenAIProviderNameKey, keyRequestModel: genai.GenAIRequestModelKey, keyModel: genai.GenAIResponseModelKey,
		keyFinish: genai.GenAIResponseFinishReasonsKey, keyTool: genai.GenAIToolNameKey,
		keyInputTokens: genai.GenAIUsageInputTokensKey, keyOutputTokens: genai.GenAIUsageOutputTokensKey,
		keyException: semconv.ExceptionTypeKey, keyMessageOf: semconv.ExceptionMessageKey, keyStack: semconv.ExceptionStacktraceKey,
	} {
		if ours != theirs {
			t.Errorf("got %s, want %s", ours, theirs)
		}
	}
	for ours, theirs := range map[string]string{
		SchemaURL:            semconv.SchemaURL,
		metricSent:           messagingconv.ClientSentMessages{}.Name(),
		publishType:          semconv.MessagingOperationTypeSend.Value.AsString(),
		processType:          semconv.MessagingOperationTypeProcess.Value.AsString(),
		styles["turn"].verb:  genai.GenAIOperationNameInvokeAgent.Value.AsString(),
		styles["solve"].verb: string(genaiconv.OperationNameInvokeWorkflow),
	} {
		if ours != theirs {
			t.Errorf("got %s, want %s", ours, theirs)
		}
	}
	if got, want := metricConsumed, (messagingconv.ClientConsumedMessages{}).Name(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTooManyWordsAreOther(t *testing.T) {
	var w words
	for i := range maxWords {
		word := string(rune('a' + i))
		if got := w.few(word); got != word {
			t.Fatalf("word %d: got %q, want %q", i, got, word)
		}
	}
	if got := w.few("one more"); got != other {
		t.Errorf("got %q, want %q", got, other)
	}
	if got := w.few("a"); got != "a" {
		t.Errorf("a known word became %q", got)
	}
}

func TestRecentForgetsTheOldest(t *testing.T) {
	r := newRecent[int, string](3)
	for _, k := range []int{1, 2, 3, 1, 4, 5, 6, 7} {
		r.add(k, "x")
		if len(r.entries) > 3 {
			t.Fatalf("holds %d entries, want 3", len(r.entries))
		}
	}
	for k, want := range map[int]bool{4: false, 5: true, 6: true, 7: true} {
		if _, known := r.entries[k]; known != want {
			t.Errorf("%d: known %v, want %v", k, known, want)
		}
	}
}
