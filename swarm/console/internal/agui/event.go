package agui

import "time"

import "github.com/swarmbus/swarmbus/swarm/console/api"

// protocol is its version.
const protocol = "1.0"

// An Event is one of AG-UI: which members it has depends on its type.
type Event struct {
	Type      string         `json:"type"`
	Timestamp int64          `json:"timestamp,omitempty"` // milliseconds since 1970
	Metadata  map[string]any `json:"metadata,omitempty"`

	ThreadID string   `json:"threadId,omitempty"`
	RunID    string   `json:"runId,omitempty"`
	Protocol string   `json:"protocolVersion,omitempty"`
	Result   any      `json:"result,omitempty"`
	Outcome  *outcome `json:"outcome,omitempty"`
	Usage    []usage  `json:"usage,omitempty"`
	Message  string   `json:"message,omitempty"` // of an error
	Code     string   `json:"code,omitempty"`

	MessageID string  `json:"messageId,omitempty"`
	Role      string  `json:"role,omitempty"`
	Name      string  `json:"name,omitempty"`
	Delta     any     `json:"delta,omitempty"` // a text, or []Op
	StepName  string  `json:"stepName,omitempty"`
	Value     any     `json:"value,omitempty"`
	Snapshot  any     `json:"snapshot,omitempty"`
	CallID    string  `json:"toolCallId,omitempty"`
	CallName  string  `json:"toolCallName,omitempty"`
	Content   *string `json:"content,omitempty"`
}

// An outcome is why a run ended.
type outcome struct {
	Type       string  `json:"type"` // success, interrupt or cancelled
	Interrupts []asked `json:"interrupts,omitempty"`
}

// asked is a question or a call of a tool that a person has to answer.
type asked struct {
	ID      string         `json:"id"`     // of the item of the inbox
	Reason  string         `json:"reason"` // question or tool_call
	Message string         `json:"message,omitempty"`
	CallID  string         `json:"toolCallId,omitempty"`
	Schema  map[string]any `json:"responseSchema,omitempty"`
	Expires *time.Time     `json:"expiresAt,omitempty"`
	// Metadata has the api.Item as "swarmbus".
	Metadata map[string]any `json:"metadata,omitempty"`
}

// usage has the requests and tokens of the models of a solve.
type usage struct {
	InputTokens       int `json:"inputTokens"`
	OutputTokens      int `json:"outputTokens"`
	TotalTokens       int `json:"totalTokens"`
	CachedInputTokens int `json:"cachedInputTokens,omitempty"`
}

// A state is the state that a frontend shows beside the messages.
type state struct {
	Solve     api.Solve            `json:"solve"`
	Proposals map[string]*proposal `json:"proposals"`          // by id
	Decision  *api.Decision        `json:"decision,omitempty"` // when the run ends
}

// A proposal is one of a state.
type proposal struct {
	Content   string  `json:"content"`
	Reasoning string  `json:"reasoning,omitempty"`
	By        string  `json:"by"`      // the source that made it first
	Support   float64 `json:"support"` // 0 to 1
}

// A result is that of a run whose solve has stopped.
type result struct {
	Solve    string        `json:"solve"` // its id
	State    string        `json:"state"` // decided, undecided, waiting, interrupted or failed
	Stop     string        `json:"stop,omitempty"`
	Detail   string        `json:"detail,omitempty"` // why it stopped
	Answer   string        `json:"answer,omitempty"`
	Decision *api.Decision `json:"decision,omitempty"`
}
