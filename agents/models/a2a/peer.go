package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
)

// A peer is where and how an agent is spoken to.
type peer struct {
	url   string
	words *words
}

// card is what of an agent's card is read, of both versions.
type card struct {
	// Of a card of version 0.3.
	Protocol   string `json:"protocolVersion"` // of A2A
	URL        string `json:"url"`
	Transport  string `json:"preferredTransport"`
	Additional []struct {
		URL       string `json:"url"`
		Transport string `json:"transport"`
	} `json:"additionalInterfaces"`
	// Of a card of version 1.0.
	Interfaces []struct {
		URL      string `json:"url"`
		Binding  string `json:"protocolBinding"`
		Protocol string `json:"protocolVersion"`
	} `json:"supportedInterfaces"`
}

// meet returns how the agent is spoken to, from its card.
func (m *Model) meet(ctx context.Context) (*peer, error) {
	m.mu.Lock()
	known := m.peer
	m.mu.Unlock()
	if known != nil {
		return known, nil
	}
	at := *m.base
	at.Path = strings.TrimRight(at.Path, "/") + "/.well-known/agent-card.json"
	var c card
	if err := m.fetch(ctx, http.MethodGet, at.String(), "", nil, &c); err != nil {
		return nil, err
	}
	p, err := m.choose(&c)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.peer = p
	return p, nil
}

// choose returns the newest version that both speak.
func (m *Model) choose(c *card) (*peer, error) {
	var offered []string
	best := &peer{}
	offer := func(version, transport, at string) {
		offered = append(offered, fmt.Sprintf("%.20s by %.20s", version, transport))
		w := wordsOf(version)
		if transport == "JSONRPC" && w != nil && (best.words == nil || best.words == &older && w == &newer) {
			best.url, best.words = at, w
		}
	}
	for _, i := range c.Interfaces {
		offer(i.Protocol, i.Binding, i.URL)
	}
	if c.URL != "" {
		c.Transport = cmp.Or(c.Transport, "JSONRPC")
		offer(c.Protocol, c.Transport, c.URL)
	}
	for _, i := range c.Additional {
		offer(c.Protocol, i.Transport, i.URL)
	}
	if best.words == nil {
		return nil, m.unspeakable("the card offers A2A %.200s; this model speaks 1.0 and 0.3 by JSONRPC", strings.Join(offered, ", "))
	}
	at, err := url.Parse(best.url)
	if err != nil || at.Scheme != m.base.Scheme || at.Host != m.base.Host {
		return nil, m.unspeakable("the card names another server than that of its URL: %.100q", best.url)
	}
	return best, nil
}

// call makes one call of JSON-RPC.
func (m *Model) call(ctx context.Context, p *peer, method string, params, into any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return m.unspeakable("%v", err)
	}
	var got struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := m.fetch(ctx, http.MethodPost, p.url, p.words.version, body, &got); err != nil {
		return err
	}
	if e := got.Error; e != nil {
		problem := models.ErrInvalid
		if e.Code == -32603 || e.Code == -32000 {
			problem = models.ErrOverloaded
		}
		return &models.Error{Model: m.id, Problem: problem, Detail: models.Detail(fmt.Sprintf("error %d: %s %s", e.Code, e.Message, e.Data), m.secrets...)}
	}
	if err := decode(got.Result, into); err != nil {
		return &models.Error{Model: m.id, Problem: models.ErrMalformed, Detail: models.Detail(err.Error(), m.secrets...), Err: err}
	}
	return nil
}

// fetch makes one request, and decodes the answer.
func (m *Model) fetch(ctx context.Context, method, at, version string, body []byte, into any) error {
	header := http.Header{"Accept": {"application/json"}}
	if version != "" {
		header.Set("A2A-Version", version)
	}
	got, err := m.client.Do(ctx, method, at, header, body)
	if err != nil {
		return err
	}
	defer got.Close()
	text, err := got.Read()
	switch {
	case err != nil:
		return err
	case got.Status >= http.StatusBadRequest:
		return models.StatusError(m.id, got.Status, got.Header, models.Detail(string(text), m.secrets...))
	}
	if err := decode(text, into); err != nil {
		return got.Failed(err)
	}
	return nil
}
