package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// Options of [New]. Model and Key are required.
type Options struct {
	Model    string       // as the provider names it
	Provider string       // for records and prices; "": "anthropic"
	Key      string       // for x-api-key, without blanks around it
	BaseURL  string       // without /v1; "": Anthropic's own
	Header   http.Header  // sent with every call
	Client   *http.Client // nil: the model's own, without a proxy
	// Params are members of every request, such as top_p or thinking. They replace what the
	// adapter would send. A member that is nil is not sent.
	Params map[string]any
	// NoCache turns off caching of prompts. Input written to the cache costs
	// more than other input, and input read from it less.
	NoCache bool
}

// A Model is a model of Anthropic. Make one with [New].
type Model struct {
	id     models.ID
	client *wire.Client
	base   url.URL
	header http.Header
	params map[string]any
	cache  bool
	learns wire.Learner[forms]
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
	at, more, err := wire.Base(strings.TrimRight(cmp.Or(o.BaseURL, "https://api.anthropic.com"), "/"))
	if err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	at.Path += "/v1/messages"
	m := &Model{id: models.ID{Provider: cmp.Or(o.Provider, "anthropic"), Name: o.Model}, base: *at, params: maps.Clone(o.Params), cache: !o.NoCache}
	m.header = http.Header{"X-Api-Key": {key}, "Anthropic-Version": {"2023-06-01"}}
	m.client = wire.NewClient(m.id, o.Client, o.Header, append(secrets, more...))
	return m, nil
}

// ID implements [models.Model].
func (m *Model) ID() models.ID { return m.id }

// Close closes idle connections.
func (m *Model) Close() { m.client.Close() }

// Ask implements [models.Model]. A request with a member that the server refuses by name is
// made again without it, or with the schema in the prompt.
func (m *Model) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	var body object
	return m.learns.Ask(ctx, func(f forms) (*models.Answer, *wire.Said, error) {
		var err error
		if body, err = m.request(r, f); err != nil {
			return nil, nil, m.client.Invalid(err)
		}
		return m.once(ctx, r, body)
	}, func(f forms, refused *wire.Said) (forms, string) { return f.next(refused, body, r.HasFiles()) })
}

// once makes one call. If the request was refused as invalid, it also returns what was said.
func (m *Model) once(ctx context.Context, r *models.Request, body object) (*models.Answer, *wire.Said, error) {
	a := answer{Answer: wire.Answer{Asked: r}}
	resp, refused, err := m.client.Ask(ctx, m.base.String(), m.header, body, a.read)
	switch {
	case err != nil && a.Begun:
		return nil, nil, err
	case err != nil:
		return nil, refused, err
	}
	whole, err := a.whole(m.id, resp)
	return whole, nil, err
}
