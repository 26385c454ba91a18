package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

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
	Client   *http.Client // nil: the model's own, without a proxy
	// SchemaOrTools is for servers that call no tools if there is a schema, such as
	// Ollama: in a request with both, the schema is omitted, or the tools if none may
	// be called.
	SchemaOrTools bool
}

// A Model is a model of a server. Make one with [New].
type Model struct {
	id      models.ID
	client  *openai.Client
	http    *http.Client
	secrets []string
	own     bool // the server is OpenAI's, which uses the new name for the bound on tokens
	either  bool // a schema or tools
	bare    bool // the base URL has no path
}

var _ models.Model = (*Model)(nil)

// New returns a model. It makes no request.
func New(o Options) (*Model, error) {
	if o.Model == "" {
		return nil, errors.New("openai: no model is named")
	}
	key, secrets, err := wire.Secrets(o.Key, o.Header)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	c := openai.DefaultConfig(key)
	c.BaseURL = strings.TrimRight(cmp.Or(o.BaseURL, c.BaseURL), "/")
	at, more, err := wire.Base(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	m := &Model{id: models.ID{Provider: cmp.Or(o.Provider, "openai"), Name: o.Model}, http: wire.Client(o.Client, o.Header), secrets: append(secrets, more...), either: o.SchemaOrTools}
	m.own = at.Hostname() == "api.openai.com" || strings.HasSuffix(at.Hostname(), ".openai.azure.com")
	m.bare = at.Path == ""
	c.HTTPClient = m.http
	m.client = openai.NewClientWithConfig(c)
	return m, nil
}

// ID implements [models.Model].
func (m *Model) ID() models.ID { return m.id }

// Close closes idle connections.
func (m *Model) Close() { m.http.CloseIdleConnections() }

// Ask implements [models.Model].
func (m *Model) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	inside, seen := wire.Watch(ctx)
	seen.Stream = true
	stream, err := m.client.CreateChatCompletionStream(inside, m.request(r))
	if err != nil {
		return nil, m.failed(ctx, err, seen)
	}
	defer func() { _ = stream.Close() }()
	a := answer{show: r.Show}
	for {
		line, err := stream.RecvRaw()
		if err == nil {
			err = a.read(line)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, m.failed(ctx, err, seen)
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && a.finish != "":
			return a.whole(m.id)
		case errors.Is(err, io.EOF):
			return nil, &models.Error{Model: m.id, Problem: models.ErrCutOff, Detail: "the stream ended without a finish reason"}
		default:
			return nil, m.failed(ctx, err, seen)
		}
	}
}

// coldest replaces a temperature of 0, which the library would not send. Numbers close
// to the smallest float stop Ollama's runner, which divides by them.
const coldest = 1e-5

// request converts a request to the protocol.
func (m *Model) request(r *models.Request) openai.ChatCompletionRequest {
	to := openai.ChatCompletionRequest{
		Model: m.id.Name, Messages: messages(r), Seed: r.Seed, StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	if m.own {
		to.MaxCompletionTokens = r.Most
	} else {
		to.MaxTokens = r.Most //nolint:staticcheck // the name that most compatible servers know
	}
	if r.Temperature != nil {
		to.Temperature = max(float32(*r.Temperature), coldest)
	}
	tools := r.Tools
	if m.either && r.NoCalls {
		tools = nil
	}
	if s := r.Schema; s != nil && (!m.either || len(tools) == 0) {
		to.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: s.Name, Schema: s.JSON, Strict: true},
		}
	}
	if len(tools) > 0 && r.NoCalls {
		to.ToolChoice = "none"
	}
	for _, t := range tools {
		to.Tools = append(to.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema},
		})
	}
	return to
}

// messages converts the conversation. Neighbors of one role become one message, since
// the templates of many models insist on alternating roles.
func messages(r *models.Request) (all []openai.ChatCompletionMessage) {
	if r.System != "" {
		all = append(all, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: r.System})
	}
	for _, m := range r.Messages {
		for _, result := range m.Results {
			all = append(all, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: result.Call, Content: result.Text})
		}
		if m.Text == "" && len(m.Calls) == 0 {
			continue
		}
		to := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text}
		if last := len(all) - 1; last >= 0 && all[last].Role == to.Role && len(all[last].ToolCalls) == 0 {
			if to.Content != "" && all[last].Content != "" {
				to.Content = "\n\n" + to.Content
			}
			to.Content = all[last].Content + to.Content
			all = all[:last]
		}
		for _, c := range m.Calls {
			to.ToolCalls = append(to.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: c.Name, Arguments: string(c.Args)},
			})
		}
		all = append(all, to)
	}
	return all
}
