package models

import (
	"context"
	"encoding/json"
)

// A Model answers requests. It is safe for concurrent use, keeps nothing between
// requests and reads nothing from the environment.
type Model interface {
	// ID says who serves which model. It is always the same.
	ID() ID
	// Ask answers one request, by one call of the provider. The request is not
	// modified. When ctx ends, Ask returns at once, with an error that is
	// context.Cause(ctx); every other error is an [*Error].
	Ask(ctx context.Context, r *Request) (*Answer, error)
}

// An ID is a model's name and who serves it.
type ID struct {
	Provider string `json:"provider"` // such as "openai"
	Name     string `json:"name"`     // as the provider has it
}

// String returns provider:name.
func (id ID) String() string { return id.Provider + ":" + id.Name }

// A Request is all that an answer depends on, beside the model.
type Request struct {
	System   string    `json:"system,omitempty"`
	Messages []Message `json:"messages"` // the first is the user's
	// Schema makes the answer's text JSON of that schema, as far as the provider
	// enforces it: an answer is checked by who reads it. Nil: free text.
	Schema *Schema `json:"schema,omitempty"`
	Tools  []Tool  `json:"tools,omitempty"` // that the answer may call
	// Most is how many tokens the answer may have, with what the model thinks
	// before it. It is required: a budget reserves them.
	Most        int      `json:"most"`
	Temperature *float64 `json:"temperature,omitempty"` // nil: the provider's default
	Seed        *int     `json:"seed,omitempty"`        // for providers that take one

	// Show is given each piece of the answer as it comes. It is called by the
	// goroutine that asks, before Ask returns. Nil: the answer comes as a whole.
	Show func(Piece) `json:"-"`
}

// A Schema is a JSON schema with a name of letters, digits, _ and -, at most 64.
// What every provider takes is: type, properties, required, items, enum, const,
// anyOf and description; every object has all its properties required and
// additionalProperties false.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
}

// A Piece is a part of an answer's text as it comes.
type Piece struct {
	Text string
	// Again says that the answer begins anew: what came before is void.
	Again bool
}

// A Role says whose words a message is.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// A Message is one of a conversation: a text, with the calls that the model made
// or what came of them.
type Message struct {
	Role    Role     `json:"role"`
	Text    string   `json:"text,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`   // the assistant's
	Results []Result `json:"results,omitempty"` // the user's, one for each call of the message before
}

// User returns a message of the user.
func User(text string) Message { return Message{Role: RoleUser, Text: text} }

// Assistant returns a message of the model.
func Assistant(text string) Message { return Message{Role: RoleAssistant, Text: text} }

// A Tool is what a model may call.
type Tool struct {
	Name        string          `json:"name"` // letters, digits, _ and -, at most 64
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"` // of its arguments: an object
}

// A Call asks for a tool. Args are valid JSON.
type Call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// A Result is what came of a call.
type Result struct {
	Call    string `json:"call"` // its ID
	Text    string `json:"text"`
	IsError bool   `json:"isError,omitempty"`
}

// An Answer is what a model said.
type Answer struct {
	Text   string `json:"text,omitempty"`
	Calls  []Call `json:"calls,omitempty"`
	Finish Finish `json:"finish"`
	Usage  Usage  `json:"usage"`
	Model  string `json:"model,omitempty"` // that answered, as the provider names it
	// Cost is what the answer cost, where somebody knows the price.
	Cost Money `json:"cost,omitempty"`
}

// Finish says why a model stopped.
type Finish string

// The reasons to stop. Others than these are passed on as the provider has them.
const (
	FinishStop   Finish = "stop"   // it had said everything
	FinishLength Finish = "length" // at [Request].Most, or where its context ends
	FinishCalls  Finish = "calls"  // it wants to know what comes of its calls
)
