package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A Tool is something that agents can call.
type Tool struct {
	Spec
	// Call runs the tool. Args are JSON that conforms to Input. It is called concurrently,
	// and has to return when ctx ends. A failure that the tool reports is a [Result] with
	// IsError; an error says that the call got no result, which counts for a circuit
	// breaker ([Limit]) unless it is a [*RefusalError]. The agent gets both.
	Call func(ctx context.Context, args json.RawMessage) (Result, error)
}

// A Spec says what a tool is.
type Spec struct {
	Server      string          `json:"server,omitempty"` // the server's name; "": a Go function
	Name        string          `json:"name"`             // as its server calls it; 1 to 128 letters, digits, _, - and .
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`            // JSON schema of the arguments: an object
	Output      json.RawMessage `json:"output,omitempty"` // JSON schema of the result's text; nil: any text
	Hints       Hints           `json:"hints"`
	// Unchecked says why arguments are not checked against Input, but by the server alone; "": they are.
	Unchecked string `json:"unchecked,omitempty"`
}

// Hints are what a tool says of itself. The zero value is the most careful.
type Hints struct {
	ReadsOnly      bool `json:"readsOnly,omitempty"`      // it changes nothing
	Repeatable     bool `json:"repeatable,omitempty"`     // a second call with the same arguments changes nothing more
	ReachesOutside bool `json:"reachesOutside,omitempty"` // it works on what others control, such as the web
	// Instructs says that results are the program's instructions to the agent, which it gets uncut,
	// and no findings: nobody else hears of them.
	Instructs bool `json:"instructs,omitempty"`
}

// repeats reports whether a call may be made twice.
func (h Hints) repeats() bool { return h.ReadsOnly || h.Repeatable }

// A Result is what a tool returned.
type Result struct {
	Text    string `json:"text"`
	IsError bool   `json:"isError,omitempty"` // the tool reports that it failed
}

// A RefusalError is the error of a call that a server answered with a refusal of its
// protocol, so the server works.
type RefusalError struct {
	Code int64
	Text string // the server's
}

func (e *RefusalError) Error() string {
	return fmt.Sprintf("the server refused the call (code %d): %s", e.Code, e.Text)
}

// A Source provides tools, which may change from call to call.
type Source interface {
	// Tools returns the tools as they are now. It is called concurrently, at the
	// beginning of turns and before calls, so it must be quick. It returns an error if
	// they are not known.
	Tools(ctx context.Context) ([]Tool, error)
}

// Tools implements [Source]: it returns the tool.
func (t Tool) Tools(context.Context) ([]Tool, error) { return []Tool{t}, nil }

// Full returns the name that no other tool of a set has: the tool's, or server/name.
func (s Spec) Full() string {
	if s.Server == "" {
		return s.Name
	}
	return s.Server + "/" + s.Name
}

// hash returns a hash of all that a person who allows the tool relies on.
func (s Spec) hash() string {
	text, _ := json.Marshal(s) // raw messages that were validated always marshal
	return hashOf(string(text))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

var (
	serverName  = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	specName    = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,128}$`)
	notOffered  = regexp.MustCompile(`[^a-zA-Z0-9_-]`)
	offeredName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) // what providers of models accept
)

// mostDescription is the most bytes of a description.
const mostDescription = 8 << 10

// Validate returns a [*signals.FieldError] for the first field that breaks a rule.
func (s Spec) Validate() error {
	wrong := func(field, value, problem string) error {
		return &signals.FieldError{Field: "tool." + field, Value: value, Problem: problem}
	}
	switch {
	case s.Server != "" && !serverName.MatchString(s.Server):
		return wrong("server", s.Server, "not 1 to 64 letters, digits, _, - and .")
	case !specName.MatchString(s.Name):
		return wrong("name", s.Name, "not 1 to 128 letters, digits, _, - and .")
	case len(s.Description) > mostDescription:
		return wrong("description", fmt.Sprintf("%.40s…", s.Description), fmt.Sprintf("%d bytes, at most %d are allowed", len(s.Description), mostDescription))
	}
	_, err := schema.Compile(s.Input)
	if s.Unchecked != "" && errors.Is(err, schema.ErrBeyond) {
		err = nil
	}
	if err == nil && !isObject(s.Input) {
		err = errors.New("not the JSON schema of an object")
	}
	if err != nil {
		return wrong("input", text.Cut(string(s.Input), 80), err.Error())
	}
	if s.Output != nil {
		if _, err := schema.Compile(s.Output); err != nil {
			return wrong("output", text.Cut(string(s.Output), 80), err.Error())
		}
	}
	return nil
}

func (t Tool) validate() error {
	if err := t.Validate(); err != nil {
		return fmt.Errorf("tools: %s: %w", cmp.Or(text.Cut(t.Full(), 80), "(no name)"), err)
	}
	if t.Call == nil {
		return fmt.Errorf("tools: %s: %w", t.Full(), &signals.FieldError{Field: "tool.call", Value: t.Name, Problem: "missing"})
	}
	return nil
}
