package models

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
)

// A Model answers requests. It is safe for concurrent use, keeps nothing between
// requests and reads nothing from the environment.
type Model interface {
	// ID returns the provider and the model. It is constant.
	ID() ID
	// Ask answers one request, by one call of the provider. The request is not
	// modified. When ctx ends, Ask returns at once, with an error that is
	// context.Cause(ctx); every other error is an [*Error].
	Ask(ctx context.Context, r *Request) (*Answer, error)
}

// An ID is a model's provider and name.
type ID struct {
	Provider string `json:"provider"` // such as "openai"
	Name     string `json:"name"`     // the provider's name for it
}

// String returns provider:name.
func (id ID) String() string { return id.Provider + ":" + id.Name }

// A Request is everything that an answer depends on, except the model.
type Request struct {
	System string `json:"system,omitempty"`
	// Messages are the conversation; the first is the user's. An adapter may send
	// neighbors of one role as one message, with an empty line between their texts,
	// because some servers insist on alternating roles.
	Messages []Message `json:"messages"`
	// Schema requests JSON of that schema as the answer's text. Not every
	// provider enforces it, so the reader has to validate the answer. Nil: free
	// text.
	Schema *Schema `json:"schema,omitempty"`
	// Tools are those that the answer may call. They include the tools of calls in
	// Messages, because some providers refuse calls of tools that the request lacks.
	Tools []Tool `json:"tools,omitempty"`
	// NoCalls says that the answer may call none of the tools.
	NoCalls bool `json:"noCalls,omitempty"`
	// Most is the maximum number of tokens of the answer, including the model's
	// reasoning. It is required: a budget reserves them.
	Most        int      `json:"most"`
	Temperature *float64 `json:"temperature,omitempty"` // nil: the provider's default
	Seed        *int     `json:"seed,omitempty"`        // for providers that take one

	// Elsewhere says that another model answers if this one is out: see [Fallback]. Limits then
	// do not wait for the end of an outage.
	Elsewhere bool `json:"-"`
	// Next is the place of a model that a [Fallback] asks instead of the first, from 1, so that a record
	// tells calls of two servers with one model apart. 0: the first.
	Next int `json:"next,omitempty"`
	// Show is called with each piece of the answer as it arrives, by the
	// goroutine that called Ask, before Ask returns. Nil: none.
	Show func(Piece) `json:"-"`
}

// A Schema is a JSON schema with a name of at most 64 letters, digits, _ and -.
// Every provider accepts the keywords type, properties, required, items, enum,
// const, anyOf and description, with all properties of every object required and
// additionalProperties false.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
}

// A Piece is a part of an answer's text as it arrives.
type Piece struct {
	Text string
	// Again says that the answer starts over: earlier pieces are void.
	Again bool
}

// A Role is the author of a message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// A Message is one message of a conversation: a text, with the model's calls or
// their results.
type Message struct {
	Role    Role     `json:"role"`
	Text    string   `json:"text,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`   // the assistant's
	Results []Result `json:"results,omitempty"` // the user's, one for each call of the previous message
	Kept    *Kept    `json:"kept,omitempty"`    // the assistant's
	Files   []File   `json:"files,omitempty"`   // the user's
}

// Kept is what a model wants back with its message although nobody else reads it, such as
// its reasoning with a signature. Only the adapter of that model knows what it is, and
// sends it; for other models it is left out.
type Kept struct {
	Model ID              `json:"model"`
	Data  json.RawMessage `json:"data"`
}

// User returns a message of the user.
func User(text string) Message { return Message{Role: RoleUser, Text: text} }

// Assistant returns a message of the model.
func Assistant(text string) Message { return Message{Role: RoleAssistant, Text: text} }

// A Tool is a function that a model may call.
type Tool struct {
	Name        string          `json:"name"` // at most 64 letters, digits, _ and -
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"` // of its arguments: an object
}

// A Call asks for a tool. Args are valid JSON.
type Call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// A Result is the result of a call.
type Result struct {
	Call    string `json:"call"` // ID of the call
	Text    string `json:"text"`
	IsError bool   `json:"isError,omitempty"`
}

// An Answer is the response of a model. See [Answer.Validate] for its bounds.
type Answer struct {
	Text    string      `json:"text,omitempty"`
	Calls   []Call      `json:"calls,omitempty"`
	Finish  Finish      `json:"finish"`
	Usage   Usage       `json:"usage"`
	Model   string      `json:"model,omitempty"`   // the model that answered, by the provider's name
	Vectors [][]float32 `json:"vectors,omitempty"` // only from an [Embedder], see [ModelOf]
	// Cost is the cost of the answer, if the price is known.
	Cost Money `json:"cost,omitempty"`
	// Kept goes back with the answer, see [Answer.Message]. Nil: nothing.
	Kept *Kept `json:"kept,omitempty"`
	// Instead is set if another model answered than the one that was asked: see [Fallback].
	Instead *Instead `json:"instead,omitempty"`
	// Notes say what a person may want to know of how the answer came about, such as a
	// parameter that the server refused, or a reason to stop that is not known.
	Notes []string `json:"notes,omitempty"`
}

// Message returns the message by which the answer goes back in a conversation.
func (a *Answer) Message() Message {
	return Message{Role: RoleAssistant, Text: a.Text, Calls: a.Calls, Kept: a.Kept}
}

// Identify gives an id to each call that has none, or that of another: nine letters and
// digits, which every server takes, and the same whenever the same is answered. Adapters
// call it on answers to r.
func (a *Answer) Identify(r *Request) {
	ids := map[string]bool{}
	for i := range a.Calls {
		c := &a.Calls[i]
		for n := 0; c.ID == "" || ids[c.ID]; n++ {
			h := fnv.New64a()
			_, _ = fmt.Fprint(h, len(r.Messages), i, n, c.Name, string(c.Args))
			id := "000000000" + strconv.FormatUint(h.Sum64(), 36)
			c.ID = id[len(id)-9:]
		}
		ids[c.ID] = true
	}
}

// Validate returns an [*Error] with [ErrMalformed] for an answer that could not be sent
// back in a conversation: one with a text or something kept of more than 1 MiB or more than 128 calls, or
// with a call that has no ID or name, the ID of another call, an ID of more than 4 KiB, a
// name of more than 256 bytes, or arguments of more than 64 KiB. Adapters call it on
// their answers, and [Ask] on those of any model.
func (a *Answer) Validate(id ID) error {
	detail, ids := "", map[string]bool{}
	switch {
	case len(a.Text) > 1<<20:
		detail = fmt.Sprintf("a text of %d bytes, at most %d are allowed", len(a.Text), 1<<20)
	case a.Kept != nil && len(a.Kept.Data) > 1<<20:
		detail = fmt.Sprintf("%d bytes to be kept, at most %d are allowed", len(a.Kept.Data), 1<<20)
	case len(a.Calls) > 128:
		detail = fmt.Sprintf("%d calls, at most 128 are allowed", len(a.Calls))
	}
	for i, c := range a.Calls {
		switch {
		case c.ID == "" || c.Name == "":
			detail = fmt.Sprintf("call %d has no id or no name", i+1)
		case ids[c.ID]:
			detail = fmt.Sprintf("call %d has the id of another call", i+1)
		case len(c.ID) > 4<<10 || len(c.Name) > 256 || len(c.Args) > 64<<10:
			detail = fmt.Sprintf("call %d has an id of %d, a name of %d and arguments of %d bytes, at most %d, 256 and %d are allowed", i+1, len(c.ID), len(c.Name), len(c.Args), 4<<10, 64<<10)
		}
		ids[c.ID] = true
	}
	if detail == "" {
		return nil
	}
	return &Error{Model: id, Problem: ErrMalformed, Detail: detail}
}

// Finish is the reason why a model stopped.
type Finish string

// The reasons to stop. Providers have many words for them. An adapter reports those that are
// no end as an error, [ErrFiltered] if the provider withheld the answer, else [ErrCutOff], and
// takes one that it does not know for an end, with a note.
const (
	FinishStop   Finish = "stop"   // the answer is complete
	FinishLength Finish = "length" // it reached [Request].Most or the end of its context
	FinishCalls  Finish = "calls"  // it needs the results of its calls
)
