package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// Options of [New]. Model is required.
type Options struct {
	Model    string       // the server's name for it
	Provider string       // for records and prices; "": "openai"
	BaseURL  string       // including its path, mostly /v1; "": OpenAI's own
	Key      string       // without blanks around it; "": none is sent
	Header   http.Header  // sent with every call
	Query    url.Values   // of every call's URL, such as Azure's api-version
	Client   *http.Client // nil: the model's own, without a proxy

	// Params are members of every request, such as top_p, stop or reasoning_effort. They
	// replace what the adapter would send. A member that is nil is not sent.
	Params map[string]any
	// Tokens is the member for the bound on an answer: max_tokens or
	// max_completion_tokens. "": the second for OpenAI, Azure, and models named gpt-5 or
	// o1 to o9 elsewhere; else the first.
	Tokens string
	Schema Schema // "": [JSONSchema]
	Whole  bool   // answers are not streamed
	// Responses says that the protocol is Open Responses (/responses), and not Chat Completions. The
	// server keeps nothing, and there is no seed.
	Responses bool
	// SchemaOrTools is for servers that call no tools if there is a schema, such as
	// Ollama: in a request with both, the schema is omitted, or the tools if none may
	// be called.
	SchemaOrTools bool
}

// A Schema is the way in which a server is told the schema of an answer.
type Schema string

// The ways, from the strictest to none. A server that refuses the first is asked by the
// second, and one that refuses that by the third.
const (
	JSONSchema Schema = "json_schema" // the server enforces it
	JSONObject Schema = "json_object" // the server enforces an object; the prompt has the schema
	Prompt     Schema = "prompt"      // the prompt has it
	Tools      Schema = "tools"       // the answer is a call of a tool with that schema
	Off        Schema = "off"         // nobody is told; the prompt has to do
)

// A Model is a model of a server. Make one with [New].
type Model struct {
	id     models.ID
	client *wire.Client
	base   url.URL
	header http.Header
	params map[string]any
	bare   bool // the base URL has no path
	learns wire.Learner[forms]

	isResponses bool
}

var _ models.Model = (*Model)(nil)

// newer matches the models that take max_completion_tokens alone, behind any gateway.
var newer = regexp.MustCompile(`(?i)(^|[/.])(gpt-5|o[1-9])([-.:@]|$)`)

// New returns a model. It makes no request.
func New(o Options) (*Model, error) {
	if o.Model == "" {
		return nil, errors.New("openai: Options.Model is required: the name that the server has for it")
	}
	if !slices.Contains([]string{"", maxTokens, maxCompletionTokens}, o.Tokens) {
		return nil, fmt.Errorf("openai: tokens %q is neither %s nor %s", o.Tokens, maxTokens, maxCompletionTokens)
	}
	if !slices.Contains([]Schema{"", JSONSchema, JSONObject, Prompt, Tools, Off}, o.Schema) {
		return nil, fmt.Errorf("openai: schema %q is none of json_schema, json_object, prompt, tools and off", o.Schema)
	}
	key, secrets, err := wire.Secrets(o.Key, o.Header)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	at, more, err := wire.Base(strings.TrimRight(cmp.Or(o.BaseURL, "https://api.openai.com/v1"), "/"))
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	m := &Model{
		id: models.ID{Provider: cmp.Or(o.Provider, "openai"), Name: o.Model}, base: *at, header: http.Header{}, bare: strings.Trim(at.Path, "/") == "",
		params: maps.Clone(o.Params),
	}
	azure := strings.HasSuffix(at.Hostname(), ".azure.com") || strings.Contains(at.Path, "/openai/deployments/")
	if own := azure || at.Hostname() == "api.openai.com"; o.Tokens == "" {
		o.Tokens = maxTokens
		if own || newer.MatchString(o.Model) {
			o.Tokens = maxCompletionTokens
		}
	}
	if m.isResponses = o.Responses; o.Responses {
		o.Tokens = maxOutputTokens
	}
	m.learns.Knows(forms{tokens: o.Tokens, schema: cmp.Or(o.Schema, JSONSchema), either: o.SchemaOrTools, whole: o.Whole, swapped: o.Responses})
	if key != "" {
		m.header.Set("Authorization", "Bearer "+key)
	}
	if azure && key != "" {
		m.header = http.Header{"Api-Key": {key}}
	}
	query := at.Query()
	for name, values := range o.Query {
		query[name] = values
		more = append(more, values...)
	}
	m.base.RawQuery = query.Encode()
	m.client = wire.NewClient(m.id, o.Client, o.Header, append(secrets, more...))
	return m, nil
}

// ID implements [models.Model].
func (m *Model) ID() models.ID { return m.id }

// Close closes idle connections.
func (m *Model) Close() { m.client.Close() }

// Ask implements [models.Model]. A request with a member that the server refuses by name is
// made again without it, or in the next form that is known: see package documentation.
func (m *Model) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	var body object
	return m.learns.Ask(ctx, func(f forms) (*models.Answer, *wire.Said, error) {
		body = m.body(r, &f)
		return m.once(ctx, r, body)
	}, func(f forms, refused *wire.Said) (forms, string) { return f.next(refused, body, r.HasFiles()) })
}

// once makes one call. If the request was refused as invalid, it also returns what was said.
func (m *Model) once(ctx context.Context, r *models.Request, body object) (*models.Answer, *wire.Said, error) {
	a, path := &answer{Answer: wire.Answer{Asked: r}}, "/chat/completions"
	read := a.read
	if m.isResponses {
		path, read = "/responses", a.response
	}
	resp, refused, err := m.post(ctx, path, body, read)
	switch {
	case err != nil && a.Text() != "":
		return nil, nil, err
	case err != nil:
		return nil, refused, err
	}
	whole, err := a.Answer.Answer(m.id, resp, a.usage.total())
	return whole, nil, err
}
