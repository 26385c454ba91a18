package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// Options of [New]. Model and Key are required.
type Options struct {
	Model   string       // as the provider names it
	Key     string       // for x-api-key, without blanks around it
	BaseURL string       // without /v1; "": Anthropic's own
	Header  http.Header  // sent with every call
	Client  *http.Client // nil: the model's own, without a proxy
	// NoCache turns off caching of prompts. Input written to the cache costs
	// more than other input, and input read from it less.
	NoCache bool
}

// A Model is a model of Anthropic. Make one with [New].
type Model struct {
	id      models.ID
	client  anthropic.Client
	http    *http.Client
	secrets []string
	cache   bool
}

var _ models.Model = (*Model)(nil)

// New returns a model. It makes no request.
func New(o Options) (*Model, error) {
	key, secrets, err := wire.Secrets(o.Key, o.Header)
	if err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	if o.Model == "" || key == "" {
		return nil, errors.New("anthropic: the model's name or the key is missing")
	}
	base := cmp.Or(o.BaseURL, "https://api.anthropic.com")
	_, more, err := wire.Base(base)
	if err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	m := &Model{id: models.ID{Provider: "anthropic", Name: o.Model}, http: wire.Client(o.Client, o.Header), secrets: append(secrets, more...), cache: !o.NoCache}
	m.client = anthropic.NewClient(
		option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry(), option.WithMaxRetries(0),
		option.WithBaseURL(base), option.WithAPIKey(key), option.WithHTTPClient(m.http),
	)
	return m, nil
}

// ID implements [models.Model].
func (m *Model) ID() models.ID { return m.id }

// Close closes idle connections.
func (m *Model) Close() { m.http.CloseIdleConnections() }

// Ask implements [models.Model].
func (m *Model) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	to, err := m.request(r)
	if err != nil {
		return nil, &models.Error{Model: m.id, Problem: models.ErrInvalid, Detail: models.Detail(err.Error()), Err: err, Unbilled: true}
	}
	inside, seen := wire.Watch(ctx)
	seen.Stream = true
	stream := m.client.Messages.NewStreaming(inside, to)
	defer func() { _ = stream.Close() }()
	a := answer{show: r.Show}
	for stream.Next() {
		if err := a.add(stream.Current()); err != nil {
			return nil, &models.Error{Model: m.id, Problem: models.ErrMalformed, Detail: models.Detail(err.Error(), m.secrets...), Err: err}
		}
	}
	switch err := stream.Err(); {
	case err != nil || ctx.Err() != nil:
		return nil, m.failed(ctx, err, seen)
	case !a.stopped:
		return nil, &models.Error{Model: m.id, Problem: models.ErrCutOff, Detail: "the stream ended without message_stop"}
	}
	return a.whole(m.id)
}
